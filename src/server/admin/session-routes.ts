/**
 * `/admin/v1/session`: signing in to the console with a token, asking who one is, signing out (G-8). Beside the other
 * routes of the plane, because nobody has come in yet who calls these.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { secretHash } from '../../config/secret-hash.ts';
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import type { ConsoleSession } from '../../ports/sessions.ts';
import { SAFE_HEADERS } from '../safe-headers.ts';
import type { AdminAudit } from './admin-audit.ts';
import { type AdminCaller, holderOf, isClientKey } from './admin-caller.ts';
import type { AdminGateway } from './admin-deps.ts';
import { catchUp } from './admin-entrance.ts';
import { answerError, originOf } from './answer-error.ts';
import { readJsonBody } from './json-body.ts';
import { instant } from './managed.ts';
import { cameByTls, sessionCookie } from './session-cookie.ts';
import { holderOfSession, openSession, SESSION_LIFE_MS, sessionOf, sessionOver } from './session-desk.ts';
import { refuseForeign, refuseForged } from './session-guard.ts';
import { SignInDelay, senderOf } from './sign-in-delay.ts';
import { fromStore } from './store-trouble.ts';

/** Tokens are at most this long: a larger body is 413 before it is read to its end. */
const MAX_TOKEN_CHARS = 4096;
const MAX_BODY_BYTES = 16_384;

export const SIGN_IN_BODY = z.strictObject({
  token: z
    .string({ error: () => 'must be a text' })
    .min(1, { error: () => 'must not be empty' })
    .max(MAX_TOKEN_CHARS, { error: () => `must have at most ${MAX_TOKEN_CHARS} characters` })
    .describe('The admin token, or a member’s.'),
});

/** Where the routes lie, for whoever says what is served at a path. */
export const SESSION_METHODS = ['GET', 'POST', 'DELETE'] as const;
export const SESSION_PATH = '/v1/session';

/** One call on the routes. */
interface Visit {
  readonly gateway: AdminGateway;
  readonly audit: AdminAudit;
  readonly delay: SignInDelay;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Registers the routes in a scope of their own, below the prefix of the plane. */
export function registerSessions(scope: FastifyInstance, gateway: AdminGateway, audit: AdminAudit): void {
  const delay = new SignInDelay();
  scope.addHook('onRequest', async (request, reply) => {
    originOf(gateway, request, reply);
    reply.headers({ 'cache-control': 'no-store', ...SAFE_HEADERS });
  });
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  scope.setErrorHandler((error, _request, reply) => answerError(gateway, error, reply));
  const handlers = { GET: show, POST: signIn, DELETE: signOut } as const;
  for (const method of SESSION_METHODS) {
    scope.route({
      method,
      url: SESSION_PATH,
      bodyLimit: MAX_BODY_BYTES,
      handler: (request, reply) => handlers[method]({ gateway, audit, delay, request, reply }),
    });
  }
}

async function signIn({ gateway, audit, delay, request, reply }: Visit): Promise<object> {
  const origin = originOf(gateway, request, reply);
  const { headers } = request;
  const sender = senderOf(request.raw.socket.remoteAddress, headers);
  try {
    refuseForeign(headers);
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const { token } = readJsonBody(SIGN_IN_BODY, bytes, headers['content-type']) as { readonly token: string };
    const waitMs = delay.begin(sender, gateway.clock.now());
    if (waitMs > 0) throw tooManyTries(waitMs, gateway.clock.wall());
    const hash = secretHash(token.trim());
    await catchUp(gateway, hash);
    const snapshot = gateway.snapshot();
    const holder = holderOf(snapshot, hash);
    const isKey = isClientKey(snapshot, hash, gateway.clock.wall());
    if (holder === null) throw wrongToken(isKey);
    delay.good(sender);
    const earlier = await sessionOf(gateway, headers);
    const { id, session } = await openSession(gateway, holder, hash);
    if (earlier !== null) await fromStore(() => gateway.sessions.end(earlier.idHash));
    giveCookie(request, reply, id);
    audit.session('sign_in', holder.caller, origin, gateway.clock.wall());
    return shown(holder.caller, session);
  } catch (error) {
    audit.refused(error, origin, gateway.clock.wall());
    throw error;
  }
}

async function show({ gateway, request }: Visit): Promise<object> {
  const { caller, session } = await present(gateway, request);
  return shown(caller, session);
}

/** Whoever has no session any more is told the same: he is out. */
async function signOut({ gateway, audit, request, reply }: Visit): Promise<object> {
  const session = await sessionOf(gateway, request.headers);
  if (session !== null) {
    refuseForged(session, request.method, request.headers);
    await fromStore(() => gateway.sessions.end(session.idHash));
  }
  giveCookie(request, reply, null);
  if (session === null) return {};
  const holder = holderOfSession(gateway, session);
  if (holder !== null) {
    audit.session('sign_out', holder.caller, originOf(gateway, request, reply), gateway.clock.wall());
  }
  return {};
}

interface Present {
  readonly caller: AdminCaller;
  readonly session: ConsoleSession;
}

async function present(gateway: AdminGateway, request: FastifyRequest): Promise<Present> {
  const session = await sessionOf(gateway, request.headers);
  if (session === null) throw sessionOver();
  await catchUp(gateway, session.tokenHash);
  const holder = holderOfSession(gateway, session);
  if (holder === null) throw sessionOver();
  return { caller: holder.caller, session };
}

function giveCookie(request: FastifyRequest, reply: FastifyReply, id: string | null): void {
  const isSecure = cameByTls(request.headers, request.raw.socket as { readonly encrypted?: boolean });
  reply.header('set-cookie', sessionCookie(id, SESSION_LIFE_MS, isSecure));
}

function shown({ name, role, workspace }: AdminCaller, { csrfToken, expiresAt }: ConsoleSession): object {
  return { name, role, workspace, csrf_token: csrfToken, expires_at: instant(expiresAt) };
}

function wrongToken(isKey: boolean): ClientError {
  const message = isKey
    ? 'This is a client key, for requests to models. The console takes the admin token or a member’s.'
    : 'The token is wrong: it is neither the admin token nor a member’s.';
  return new ClientError(gatewayError('invalid_api_key', message));
}

function tooManyTries(waitMs: number, wall: number): ClientError {
  const seconds = Math.ceil(waitMs / 1000);
  const when = seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
  const message = `Too many sign-ins have failed. The next one is taken in ${when}; until then none is looked at.`;
  return new ClientError(gatewayError('sign_in_delayed', message, { retryAt: wall + waitMs }));
}
