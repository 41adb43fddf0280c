/** What watches the process asks here: liveness, readiness, metrics, and the description of the admin API. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { gatewayError } from '../../core/errors/catalogue.ts';
import type { Entitlement } from '../../ports/entitlement.ts';
import { sendError } from '../error-reply.ts';
import { JWKS_PATH, registerWellKnown } from '../well-known.ts';
import type { AdminDeps, OpsGateway } from './admin-deps.ts';
import { adminRoutes } from './admin-routes.ts';
import { bearerToken, isToken, tokenHash } from './bearer-token.ts';
import { type OpsRoute, openapiDocument } from './openapi.ts';

export interface OpsDeps {
  readonly gateway: OpsGateway;
  /** For its description alone. */
  readonly admin: AdminDeps;
  readonly entitlement: Pick<Entitlement, 'published'>;
  readonly metrics: { text(): Promise<string>; readonly contentType: string };
  /** Why the gateway can't take requests yet or any more, beside draining; null when it can. */
  readonly notReady?: () => string | null;
}

export const OPS_ROUTES: readonly OpsRoute[] = [
  {
    path: '/healthz',
    summary: 'Whether the process lives.',
    answers: { '200': 'It does.' },
    contentType: 'application/json',
  },
  {
    path: '/readyz',
    summary: 'Whether it takes requests.',
    answers: { '200': 'It does.', '503': 'It does not; `reason` says why.' },
    contentType: 'application/json',
  },
  {
    path: '/metrics',
    summary: 'Prometheus metrics. Open on loopback, else behind `server.metrics_token`.',
    answers: { '200': 'The metrics.', '401': 'Not on loopback, and the token is missing, wrong or not configured.' },
    contentType: 'text/plain',
    token: 'metrics',
  },
  {
    path: JWKS_PATH,
    summary: 'Public keys of signed entitlements (G-5), as a JSON Web Key Set.',
    answers: { '200': 'The keys; without any, nothing is signed.' },
    contentType: 'application/json',
  },
  {
    path: '/openapi.json',
    summary: 'This description.',
    answers: { '200': 'An OpenAPI 3.1 document.' },
    contentType: 'application/json',
  },
];

export function registerOps(app: FastifyInstance, deps: OpsDeps): void {
  // Made when it is first asked for: it would take a good part of every start.
  let document: object | null = null;
  const described = (): object => {
    document ??= openapiDocument(adminRoutes(deps.admin), OPS_ROUTES);
    return document;
  };
  app.get('/healthz', (_request, reply) => fresh(reply).send({ status: 'ok' }));
  app.get('/readyz', (_request, reply) => ready(deps, reply));
  app.get('/metrics', (request, reply) => metrics(deps, request, reply));
  registerWellKnown(app, deps.entitlement);
  app.get('/openapi.json', (_request, reply) => reply.send(described()));
}

/** The state of a moment is nothing to keep. */
function fresh(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store');
}

function ready(deps: OpsDeps, reply: FastifyReply): FastifyReply {
  const reason = deps.gateway.draining ? 'draining' : (deps.notReady?.() ?? null);
  if (reason === null) return fresh(reply).send({ status: 'ready' });
  return fresh(reply).code(503).header('retry-after', '1').send({ status: 'not_ready', reason });
}

async function metrics(deps: OpsDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!isLocal(request)) {
    const token = deps.gateway.snapshot().server.metricsToken;
    if (token === null) return refuse(deps, reply, 'is open on loopback only: no `server.metrics_token` is configured');
    const sent = bearerToken(request.headers.authorization);
    if (sent === null || !isToken(sent, tokenHash(token.reveal()))) {
      return refuse(deps, reply, 'needs `server.metrics_token` from here: send `Authorization: Bearer TOKEN`');
    }
  }
  return fresh(reply)
    .type(deps.metrics.contentType)
    .send(await deps.metrics.text());
}

function refuse(deps: OpsDeps, reply: FastifyReply, why: string): FastifyReply {
  reply.header('www-authenticate', 'Bearer');
  return sendError(deps.gateway, reply, gatewayError('invalid_api_key', `/metrics ${why}.`));
}

/**
 * By the address of the socket, never by a header that claims one. A proxy on this machine makes everybody local, so
 * what came through one is not.
 */
function isLocal(request: FastifyRequest): boolean {
  const { headers, socket } = request.raw;
  const forwarded = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].some((name) => headers[name] !== undefined);
  return !forwarded && /^(::1|(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i.test(socket.remoteAddress ?? '');
}
