/** Under which key a request runs: its own, one derived from it, or none (I-1, I-5, I-10). */
import type { IncomingHttpHeaders } from 'node:http';
import { CLASSIC } from '../../core/idempotency/check-deliveries.ts';
import { derivedKeyHash, keyHashOf, keyRef } from '../../core/idempotency/derive.ts';
import { fingerprintOf } from '../../core/idempotency/fingerprint.ts';
import type { KeyRef } from '../../core/idempotency/key-row.ts';
import { checkIdempotencyKey } from '../../core/request/idempotency-key.ts';
import { good, type Read } from '../../core/request/read.ts';
import { deadlineAsked, type OnDuplicate, onDuplicateOf } from '../../core/request/under-a-key.ts';
import type { ClientRequest } from '../../dialects/contract.ts';
import type { Gateway } from '../gateway.ts';
import { preparedFor } from '../prepared.ts';
import type { Principal } from '../principal.ts';
import type { Arrival } from '../reception.ts';

/** What a request asks of the ledger. */
export interface KeyedAsk {
  /** Unique for `ref`. */
  readonly id: string;
  readonly ref: KeyRef;
  /** Name of the client key that asks. */
  readonly clientKey: string;
  readonly fingerprint: string;
  /** The client sent the key; false = it was derived (I-10). */
  readonly explicit: boolean;
  /** Wall ms until which the key is kept at least. */
  readonly expiresAt: number;
  /** Upstream calls it may cost in all its rounds (I-7). */
  readonly maxAttempts: number;
  /** A finished success makes way for a new run (I-10). */
  readonly regenerate: boolean;
  readonly onDuplicate: OnDuplicate;
  /** How long it would wait for somebody else's run, ms. */
  readonly patienceMs: number;
}

/** A key's name within this process. */
export function idOf({ keyHash, scope }: KeyRef): string {
  return `${keyHash} ${scope}`;
}

/** I-10. */
const DERIVED_WINDOW_MS = 15 * 60_000;
/** A derived key binds nobody who did not ask for it: its rounds are not counted against each other. */
const UNCOUNTED = 1_000_000;

/** Whether the request has anything to do with keys: costs a look-up. */
export function asksForKey(headers: IncomingHttpHeaders, { key }: Principal): boolean {
  return headers['idempotency-key'] !== undefined || key.idempotency.auto;
}

/** What is read of the request itself. */
export interface Sent {
  readonly request: ClientRequest;
  readonly body: Uint8Array;
  /** It is recognised as a client's own repetition (D-7). */
  readonly isRetry: boolean;
}

export function readAsk(
  gateway: Gateway,
  { http, snapshot, route }: Arrival,
  { key, workspace }: Principal,
  { request, body, isRetry }: Sent,
): Read<KeyedAsk> {
  const header = http.headers['idempotency-key'];
  const text = Array.isArray(header) ? header.join(', ') : header;
  const valid = checkIdempotencyKey(text);
  if (!valid.ok) return valid;
  const rules = preparedFor(snapshot).rulesOf(key);
  const endpoint = route.classic ? `${route.endpoint}${CLASSIC}` : route.endpoint;
  const fingerprint = fingerprintOf({ endpoint, place: request.place, body });
  const by = text === undefined ? 'key' : key.idempotency.scope;
  const hash =
    text === undefined
      ? derivedHash(http.headers, key.name, route.codec.callerMark(request, 'user'), fingerprint)
      : keyHashOf(text);
  const ref = keyRef({ by, key, workspace, endpoint }, hash);
  const explicit = text !== undefined;
  const patienceMs = deadlineAsked(request, http.headers, rules);
  const { windowMs, maxAttemptsPerKey } = snapshot.idempotency;
  return good({
    id: idOf(ref),
    ref,
    clientKey: key.name,
    fingerprint,
    explicit,
    expiresAt: gateway.clock.wall() + Math.max(explicit ? windowMs : DERIVED_WINDOW_MS, patienceMs),
    maxAttempts: explicit ? maxAttemptsPerKey : UNCOUNTED,
    regenerate: !explicit && !isRetry,
    onDuplicate: explicit ? onDuplicateOf(request, http.headers, rules, snapshot.defaults) : 'join',
    patienceMs,
  });
}

function derivedHash(
  headers: IncomingHttpHeaders,
  clientKey: string,
  user: string | null,
  fingerprint: string,
): string {
  const sent = headers['x-business-key'];
  return derivedKeyHash({ businessKey: typeof sent === 'string' ? sent : null, clientKey, user, fingerprint });
}
