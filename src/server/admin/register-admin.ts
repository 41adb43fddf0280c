/** The admin plane under `/admin`: every route behind a token and a permission, every error in one shape (O-5, G-8). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallOrigin } from '../../config/objects/config-objects.ts';
import { reachOf } from '../../core/access/roles.ts';
import { gatewayError } from '../../core/errors/catalogue.ts';
import { sendError } from '../error-reply.ts';
import { SAFE_HEADERS } from '../safe-headers.ts';
import { AdminAudit } from './admin-audit.ts';
import type { AdminCaller } from './admin-caller.ts';
import type { AdminDeps, AdminGateway } from './admin-deps.ts';
import { enter } from './admin-entrance.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { adminRoutes } from './admin-routes.ts';
import { answerError, originOf } from './answer-error.ts';
import { badParameter } from './bad-parameter.ts';
import { MAX_BODY_BYTES, readJsonBody } from './json-body.ts';
import { QueryParameters } from './query-parameters.ts';
import { denied } from './refusals.ts';
import { registerSessions, SESSION_METHODS, SESSION_PATH } from './session-routes.ts';
import { StreamedAnswer, sendStreamed } from './streamed-answer.ts';

export async function registerAdmin(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const audit = new AdminAudit(deps.audit);
  await app.register(async (scope) => plane(scope, deps, audit), { prefix: '/admin' });
  await app.register(async (scope) => registerSessions(scope, deps.gateway, audit), { prefix: '/admin' });
}

async function plane(scope: FastifyInstance, deps: AdminDeps, audit: AdminAudit): Promise<void> {
  const { gateway } = deps;
  const callers = new WeakMap<FastifyRequest, AdminCaller>();
  scope.addHook('onRequest', async (request, reply) => {
    const origin = originOf(gateway, request, reply);
    reply.headers({ 'cache-control': 'no-store', ...SAFE_HEADERS });
    callers.set(request, await enter(gateway, audit, request, origin));
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
        if (answer instanceof StreamedAnswer) return sendStreamed(reply, answer);
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

type Served = Pick<AdminRoute, 'method' | 'path'>;

const SESSIONS: readonly Served[] = SESSION_METHODS.map((method) => ({ method, path: SESSION_PATH }));

function notFound(
  gateway: AdminGateway,
  routes: readonly Served[],
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const path = request.url.split('?')[0] ?? '';
  const others = [...routes, ...SESSIONS].filter((route) => pattern(route).test(path));
  if (others.length === 0)
    return sendError(gateway, reply, gatewayError('not_found', noSuchPath(request.method, path)));
  const allowed = [...new Set(others.map(({ method }) => method))].sort().join(', ');
  reply.header('allow', allowed);
  const message = `${request.method} is not served at ${path.slice(0, 200)}; use ${allowed}.`;
  return sendError(gateway, reply, gatewayError('method_not_allowed', message));
}

function pattern(route: Served): RegExp {
  return new RegExp(`^/admin${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`);
}

function noSuchPath(method: string, path: string): string {
  return `${method} ${path.slice(0, 200)} is not served here; /openapi.json lists what is.`;
}
