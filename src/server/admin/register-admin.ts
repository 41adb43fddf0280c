/** The admin plane under `/admin`: every route behind a token and a permission, every error in one shape (O-5, G-8). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallOrigin } from '../../config/objects/config-objects.ts';
import { reachOf } from '../../core/access/roles.ts';
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import { requestIdOf, sendError } from '../error-reply.ts';
import { AdminAudit } from './admin-audit.ts';
import { type AdminCaller, adminCaller } from './admin-caller.ts';
import type { AdminDeps, AdminGateway } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { adminRoutes } from './admin-routes.ts';
import { badParameter } from './bad-parameter.ts';
import { MAX_BODY_BYTES, readJsonBody } from './json-body.ts';
import { QueryParameters } from './query-parameters.ts';
import { denied } from './refusals.ts';

export async function registerAdmin(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  await app.register(async (scope) => plane(scope, deps), { prefix: '/admin' });
}

async function plane(scope: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { gateway } = deps;
  const callers = new WeakMap<FastifyRequest, AdminCaller>();
  const audit = new AdminAudit(deps.audit);
  scope.addHook('onRequest', async (request, reply) => {
    requestIdOf(gateway, reply);
    reply.header('cache-control', 'no-store');
    await catchUp(gateway, request);
    callers.set(request, enter(gateway, audit, request, reply));
  });
  // As bytes, whatever type is announced: routes that read no body do not mind one.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  scope.setErrorHandler((error, _request, reply) => answerError(gateway, error, reply));

  const routes = adminRoutes(deps);
  scope.setNotFoundHandler((request, reply) => notFound(gateway, routes, request, reply));
  for (const route of routes) {
    scope.route({
      method: route.method,
      bodyLimit: route.maxBodyBytes ?? MAX_BODY_BYTES,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      // Before the body is read: who may not call has nothing to send.
      onRequest: async (request) => allow(route, callers.get(request)),
      handler: async (request, reply) => {
        const call = callOf(route, request, callers.get(request), originOf(gateway, request, reply));
        const answer = await route.handle(call);
        audit.done(route, call, answer, gateway.clock.wall());
        return reply.code(route.status ?? 200).send(answer);
      },
    });
  }
}

/** G-8. The caller, once its role is known to reach this route. */
function allow(route: AdminRoute, caller: AdminCaller | undefined): AdminCaller {
  if (caller === undefined) throw new Error('the hook that tells who calls did not run');
  if (reachOf(caller.role, route.needs) === 'none') {
    throw denied(`The role ${caller.role} may not do this (${route.needs}); ask an account admin.`);
  }
  return caller;
}

/** What was changed at another replica is seen here by whoever asks next; strangers cost the store little. */
async function catchUp(gateway: AdminGateway, request: FastifyRequest): Promise<void> {
  const { elsewhere } = gateway;
  if (elsewhere === null) return;
  let isKnown = true;
  try {
    adminCaller(gateway.snapshot(), request.headers.authorization, gateway.clock.wall());
  } catch {
    isKnown = false;
  }
  await (isKnown ? elsewhere.catchUp() : elsewhere.ask());
}

/** Who calls; that somebody came in, or was kept out, is written down. */
function enter(gateway: AdminGateway, audit: AdminAudit, request: FastifyRequest, reply: FastifyReply): AdminCaller {
  const wall = gateway.clock.wall();
  const origin = originOf(gateway, request, reply);
  try {
    const caller = adminCaller(gateway.snapshot(), request.headers.authorization, wall);
    audit.login(caller, origin, wall);
    return caller;
  } catch (error) {
    audit.refused(error, origin, wall);
    throw error;
  }
}

function originOf(gateway: AdminGateway, request: FastifyRequest, reply: FastifyReply): CallOrigin {
  return { requestId: requestIdOf(gateway, reply), ip: request.ip ?? null };
}

function callOf(
  route: AdminRoute,
  request: FastifyRequest,
  known: AdminCaller | undefined,
  origin: CallOrigin,
): AdminCall {
  const caller = allow(route, known);
  const params = request.params as Readonly<Record<string, string>>;
  return {
    params,
    id: params['id'] ?? '',
    body: bodyOf(route, request),
    caller,
    scope: reachOf(caller.role, route.needs) === 'all' ? null : (caller.workspace ?? ''),
    ifVersion: versionOf(request.headers['if-match']),
    query: queryOf(route, request),
    origin,
  };
}

function queryOf({ parameters }: AdminRoute, { query }: FastifyRequest): QueryParameters {
  return new QueryParameters(
    query,
    parameters.map(({ name }) => name),
  );
}

function bodyOf({ body }: AdminRoute, request: FastifyRequest): Readonly<Record<string, unknown>> {
  if (body === undefined) return {};
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return readJsonBody(body, bytes, bytes.length === 0 ? undefined : request.headers['content-type']);
}

/** `"3"`, `3` or `*` (any version). */
function versionOf(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '*') return null;
  const version = /^\s*"?(\d{1,9})"?\s*$/.exec(header)?.[1];
  if (version === undefined) throw badParameter('If-Match', 'must be the `version` of the object, as a number');
  return Number(version);
}

function answerError(gateway: AdminGateway, error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof ClientError) {
    if (error.error.status === 401) reply.header('www-authenticate', 'Bearer');
    return sendError(gateway, reply, error.error);
  }
  const { statusCode, message } = error as { readonly statusCode?: number; readonly message?: string };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    const code = statusCode === 413 ? 'request_too_large' : 'invalid_parameter';
    return sendError(gateway, reply, gatewayError(code, message ?? 'bad request', { status: statusCode }));
  }
  gateway.reportBug(error, requestIdOf(gateway, reply));
  return sendError(gateway, reply, gatewayError('internal_error', 'A fault inside the gateway; its log says more.'));
}

function notFound(
  gateway: AdminGateway,
  routes: readonly AdminRoute[],
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const path = request.url.split('?')[0] ?? '';
  const others = routes.filter((route) => pattern(route).test(path));
  if (others.length === 0)
    return sendError(gateway, reply, gatewayError('not_found', noSuchPath(request.method, path)));
  const allowed = [...new Set(others.map(({ method }) => method))].sort().join(', ');
  reply.header('allow', allowed);
  const message = `${request.method} is not served at ${path.slice(0, 200)}; use ${allowed}.`;
  return sendError(gateway, reply, gatewayError('method_not_allowed', message));
}

function pattern(route: AdminRoute): RegExp {
  return new RegExp(`^/admin${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`);
}

function noSuchPath(method: string, path: string): string {
  return `${method} ${path.slice(0, 200)} is not served here; /openapi.json lists what is.`;
}
