/** `GET /v1/requests/{id}`: how the caller's own request went, without its routing trace (G-8). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ClientError, gatewayError } from '../core/errors/catalogue.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import { quotedName } from '../core/quoted-name.ts';
import type { RequestRecord, RequestSummary } from '../core/record.ts';
import { good, type Read } from '../core/request/read.ts';
import { recognise } from '../runtime/authenticate.ts';
import { recordOf } from '../runtime/elsewhere.ts';
import type { Gateway } from '../runtime/gateway.ts';
import type { AdminCaller } from './admin/admin-caller.ts';
import { bearerToken, tokenHash } from './admin/bearer-token.ts';
import { OWN_REQUEST_FIELDS } from './admin/caller-routes.ts';
import { holderOfSession, sessionOf } from './admin/session-desk.ts';
import { requestIdOf, sendError } from './error-reply.ts';
import { SAFE_HEADERS } from './safe-headers.ts';

export function registerOwnRequests(app: FastifyInstance, gateway: Gateway): void {
  app.get<{ Params: { id: string } }>('/v1/requests/:id', async (request, reply) => {
    requestIdOf(gateway, reply);
    reply.headers({ 'cache-control': 'no-store', ...SAFE_HEADERS });
    const owns = await ownerOf(gateway, request);
    if (!owns.ok) return sendError(gateway, reply, owns.error);
    const { id } = request.params;
    const found = await look(gateway, id);
    if (!found.ok) return sendError(gateway, reply, found.error);
    if (found.value === null || !owns.value(found.value)) return sendError(gateway, reply, noSuch(id));
    return reply.send(shown(found.value));
  });
}

type Owns = (record: RequestSummary) => boolean;

/** A client key owns its requests; a member, by token or by session, may look at those of its workspace. */
async function ownerOf(gateway: Gateway, request: FastifyRequest): Promise<Read<Owns>> {
  const { principal, snapshot } = await recognise(gateway, request.raw);
  if (principal.ok) {
    const { key } = principal.value;
    return good((record) => record.key === key.name && record.workspace === key.workspace);
  }
  const token = bearerToken(request.headers.authorization);
  const member = token === null ? undefined : snapshot.members.get(tokenHash(token).toString('hex'));
  if (member !== undefined) return good(ownsAs(member));
  if (token !== null) return principal;
  const signedIn = await bySession(gateway, request);
  if (!signedIn.ok) return signedIn;
  return signedIn.value === null ? principal : good(ownsAs(signedIn.value));
}

function ownsAs({ role, workspace }: Pick<AdminCaller, 'role' | 'workspace'>): Owns {
  return (record) => role === 'account_admin' || record.workspace === workspace;
}

/** Null = the call has no session. It only reads, so the cookie is enough. */
async function bySession(gateway: Gateway, { headers }: FastifyRequest): Promise<Read<AdminCaller | null>> {
  try {
    const session = await sessionOf(gateway, headers);
    if (session === null) return good(null);
    await gateway.elsewhere?.catchUp();
    return good(holderOfSession(gateway, session)?.caller ?? null);
  } catch (error) {
    if (error instanceof ClientError) return { ok: false, error: error.error };
    throw error;
  }
}

async function look(gateway: Gateway, id: string): Promise<Read<RequestRecord | null>> {
  try {
    return good(await recordOf(gateway, id));
  } catch (error) {
    if (error instanceof ClientError) return { ok: false, error: error.error };
    throw error;
  }
}

/** Not there, or not the caller's: nobody learns which. */
function noSuch(id: string): GatewayError {
  return gatewayError(
    'not_found',
    `no request ${quotedName(id, 64)} of yours is in the log; it may be older than the log keeps`,
  );
}

/** What its client could see anyway, and what it cost. */
function shown(record: RequestRecord): object {
  return Object.fromEntries(OWN_REQUEST_FIELDS.map((field) => [field, record[field]]));
}
