/** Console sessions: opened with a token, used with a cookie, ended by signing out, by idleness, or by age (G-8). */
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { secretHash } from '../../config/secret-hash.ts';
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ConsoleSession, SessionStore } from '../../ports/sessions.ts';
import { type Doors, holderOf, type TokenHolder } from './admin-caller.ts';
import { sessionIdOf } from './session-cookie.ts';
import { fromStore } from './store-trouble.ts';

/** What sessions need of a gateway. */
export interface SessionPlace {
  readonly sessions: SessionStore;
  /** Of the store: replicas compare each other's instants. */
  readonly storeClock: Pick<Clock, 'wall'>;
  snapshot(): Doors;
}

/** A browser that is left open on somebody's desk is signed out after this. */
const IDLE_MS = 12 * 60 * 60 * 1000;
/** A cookie that was copied from a machine opens nothing after this, however busily it is used. */
export const SESSION_LIFE_MS = 7 * 24 * 60 * 60 * 1000;
/** That a session was used is written so often: a console that asks every second must not write every second. */
const TOUCH_EVERY_MS = 60_000;
/** Sessions of one person: a script that signs in again and again must not fill the store. */
const MOST_OF_ONE = 20;

/** A new one, under an id of its own whatever cookie was sent: nobody can be made to use a session that others know. */
export async function openSession(
  place: SessionPlace,
  { person }: TokenHolder,
  tokenHash: string,
): Promise<{ readonly id: string; readonly session: ConsoleSession }> {
  const id = randomBytes(32).toString('base64url');
  const wall = place.storeClock.wall();
  const session: ConsoleSession = {
    idHash: secretHash(id),
    person,
    tokenHash,
    csrfToken: randomBytes(32).toString('base64url'),
    openedAt: wall,
    usedAt: wall,
    expiresAt: wall + IDLE_MS,
  };
  await fromStore(() => place.sessions.open(session, MOST_OF_ONE));
  return { id, session };
}

/** The session of a call's cookie; null = it has none, or none any more. Throws `ClientError` 503 as the store does. */
export async function sessionOf(place: SessionPlace, headers: IncomingHttpHeaders): Promise<ConsoleSession | null> {
  const id = sessionIdOf(headers.cookie);
  if (id === null) return null;
  const wall = place.storeClock.wall();
  const found = await fromStore(() => place.sessions.find(secretHash(id), wall));
  if (found === null || wall - found.usedAt < TOUCH_EVERY_MS) return found;
  const expiresAt = Math.min(wall + IDLE_MS, found.openedAt + SESSION_LIFE_MS);
  // Nobody waits for it: the next call does it as well.
  void place.sessions.touch(found.idHash, wall, expiresAt).catch(() => undefined);
  return { ...found, usedAt: wall, expiresAt };
}

/** Who uses the session, by what is in force now; null = its token opens nothing any more, or belongs to another one. */
export function holderOfSession(place: SessionPlace, session: ConsoleSession): TokenHolder | null {
  const holder = holderOf(place.snapshot(), session.tokenHash);
  return holder?.person === session.person ? holder : null;
}

/** 401 of a cookie that opens nothing. */
export function sessionOver(): ClientError {
  return new ClientError(gatewayError('missing_api_key', 'There is no session, or it is over: sign in again.'));
}
