/** The admin plane under `/admin`: every route behind the admin token, every error in one shape (O-5, H-3). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import { requestIdOf, sendError } from '../error-reply.ts';
import type { AdminGateway } from './admin-deps.ts';
import type { AdminRoute } from './admin-route.ts';
import { bearerToken, isToken } from './bearer-token.ts';
import { healthRoutes } from './health-routes.ts';
import { requestRoutes } from './request-routes.ts';

/** Every admin route, for the plane itself and for its description. */
export function adminRoutes(gateway: AdminGateway): AdminRoute[] {
  return [...requestRoutes(gateway), ...healthRoutes(gateway)];
}

export async function registerAdmin(app: FastifyInstance, deps: { readonly gateway: AdminGateway }): Promise<void> {
  const { gateway } = deps;
  await app.register(async (scope) => plane(scope, gateway), { prefix: '/admin' });
}

async function plane(scope: FastifyInstance, gateway: AdminGateway): Promise<void> {
  scope.addHook('onRequest', async (request, reply) => {
    requestIdOf(gateway, reply);
    reply.header('cache-control', 'no-store');
    authorise(gateway, request);
  });
  // Orders carry no body; whatever type a client announces for its empty one is fine.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 65_536 }, (_request, _body, done) =>
    done(null, null),
  );
  scope.setErrorHandler((error, _request, reply) => answerError(gateway, error, reply));

  const routes = adminRoutes(gateway);
  scope.setNotFoundHandler((request, reply) => notFound(gateway, routes, request, reply));
  for (const route of routes) {
    scope.route<{ Params: { id?: string } }>({
      method: route.method,
      url: route.path.replace('{id}', ':id'),
      handler: async ({ query, params }) => route.handle({ query, id: params.id ?? '' }),
    });
  }
}

function authorise(gateway: AdminGateway, request: FastifyRequest): void {
  const expected = gateway.snapshot().adminTokenHash;
  if (expected === null) {
    const closed = 'The admin API is closed: no admin token is configured. Set `admin.token` and reload.';
    throw new ClientError(gatewayError('invalid_api_key', closed));
  }
  const token = bearerToken(request.headers.authorization);
  if (token === null) {
    const missing = 'The admin API needs the admin token: send `Authorization: Bearer TOKEN`.';
    throw new ClientError(gatewayError('missing_api_key', missing));
  }
  if (!isToken(token, Buffer.from(expected, 'hex'))) {
    const wrong = 'This is not the admin token. It is `admin.token` of the configuration, not a client key.';
    throw new ClientError(gatewayError('invalid_api_key', wrong));
  }
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
  const allowed = [...new Set(others.map(({ method }) => method))].join(', ');
  reply.header('allow', allowed);
  const message = `${request.method} is not served at ${path.slice(0, 200)}; use ${allowed}.`;
  return sendError(gateway, reply, gatewayError('method_not_allowed', message));
}

function pattern(route: AdminRoute): RegExp {
  return new RegExp(`^/admin${route.path.replace('{id}', '[^/]+')}/?$`);
}

function noSuchPath(method: string, path: string): string {
  return `${method} ${path.slice(0, 200)} is not served here; /openapi.json lists what is.`;
}
