/** `GET /.well-known/jwks.json`: the keys that entitlements are checked with (G-5). Public, as all such pages are. */
import type { FastifyInstance } from 'fastify';
import type { Entitlement } from '../ports/entitlement.ts';

export const JWKS_PATH = '/.well-known/jwks.json';

/** A verifier that asks no more often misses no key: the next one is shown for an hour before it signs. */
const KEEP_S = 300;

export function registerWellKnown(app: FastifyInstance, entitlement: Pick<Entitlement, 'published'>): void {
  app.get(JWKS_PATH, (_request, reply) =>
    reply.header('cache-control', `public, max-age=${KEEP_S}`).send(entitlement.published()),
  );
}
