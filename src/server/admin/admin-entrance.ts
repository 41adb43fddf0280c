/** Who comes in to the admin plane: by a token, or by the session of a browser (G-8). That somebody did is written down. */
import type { FastifyRequest } from 'fastify';
import type { CallOrigin } from '../../config/objects/config-objects.ts';
import type { AdminAudit } from './admin-audit.ts';
import { type AdminCaller, adminCaller, holderOf } from './admin-caller.ts';
import type { AdminGateway } from './admin-deps.ts';
import { bearerToken, tokenHash } from './bearer-token.ts';
import { sessionIdOf } from './session-cookie.ts';
import { holderOfSession, sessionOf, sessionOver } from './session-desk.ts';
import { refuseForged } from './session-guard.ts';

/** Throws `ClientError`: 401, 403, or 503 as the store does. A token beats the cookie. */
export async function enter(
  gateway: AdminGateway,
  audit: AdminAudit,
  request: FastifyRequest,
  origin: CallOrigin,
): Promise<AdminCaller> {
  const { authorization, cookie } = request.headers;
  const wall = gateway.clock.wall();
  try {
    const token = bearerToken(authorization);
    if (token === null && sessionIdOf(cookie) !== null) return await bySession(gateway, request);
    await catchUp(gateway, token === null ? null : tokenHash(token).toString('hex'));
    const caller = adminCaller(gateway.snapshot(), authorization, wall);
    audit.login(caller, origin, wall);
    return caller;
  } catch (error) {
    audit.refused(error, origin, wall);
    throw error;
  }
}

async function bySession(gateway: AdminGateway, { headers, method }: FastifyRequest): Promise<AdminCaller> {
  const session = await sessionOf(gateway, headers);
  if (session === null) throw sessionOver();
  await catchUp(gateway, session.tokenHash);
  const holder = holderOfSession(gateway, session);
  if (holder === null) throw sessionOver();
  refuseForged(session, method, headers);
  return holder.caller;
}

/**
 * What was changed at another replica is seen here by whoever asks next; strangers cost the store little.
 * `hash`: of the token that is asked about, null = none.
 */
export async function catchUp(gateway: AdminGateway, hash: string | null): Promise<void> {
  const { elsewhere } = gateway;
  if (elsewhere === null) return;
  const isKnown = hash !== null && holderOf(gateway.snapshot(), hash) !== null;
  await (isKnown ? elsewhere.catchUp() : elsewhere.ask());
}
