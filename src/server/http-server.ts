/**
 * The HTTP server: data-plane paths go straight to the request's life; everything else (models, admin, health,
 * metrics, unknown paths) to fastify, off the hot path.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { gatewayError } from '../core/errors/catalogue.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import { authenticate } from '../runtime/authenticate.ts';
import { serveBound } from '../runtime/bound-call.ts';
import type { Gateway } from '../runtime/gateway.ts';
import { observeRefusal } from '../runtime/key-rests.ts';
import { servePlan } from '../runtime/plan-request.ts';
import { serveRequest } from '../runtime/serve-request.ts';
import { boundCallOf, isUnlisted } from './bound-routes.ts';
import { isLaterPath, methodsOf, PLAN_ROUTES, pathOf, routeOf } from './data-routes.ts';
import { requestIdOf, sendError } from './error-reply.ts';
import { registerJobs } from './jobs.ts';
import { registerModels } from './models.ts';
import { registerOwnKey } from './own-key.ts';
import { registerOwnRequests } from './own-requests.ts';
import { asksForWebSocket, refuseWebSocket } from './websocket.ts';

export interface HttpServer {
  readonly app: FastifyInstance;
  readonly server: Server;
  listen(host: string, port: number): Promise<number>;
  /** Stops accepting and cuts every connection: whoever wants requests to finish waits for them before. */
  close(): Promise<void>;
}

/** @param register adds the admin plane and the operator's endpoints */
export async function createHttpServer(
  gateway: Gateway,
  register: (app: FastifyInstance) => Promise<void> | void,
): Promise<HttpServer> {
  let server: Server | null = null;
  const app = fastify({
    logger: false,
    exposeHeadRoutes: true,
    clientErrorHandler: (error, socket) => refuseGarbage(gateway, error, socket),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    frameworkErrors: (_error, _request, reply) =>
      void sendError(gateway, reply, gatewayError('invalid_parameter', 'the path is not a valid URL', { status: 400 })),
    serverFactory: (handler) => {
      server = createServer(SERVER_OPTIONS, (request, response) => dispatch(gateway, handler, request, response));
      return server;
    },
  });
  app.setNotFoundHandler((request, reply) => refuseUnserved(gateway, request, reply));
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) {
      gateway.reportBug(error, requestIdOf(gateway, reply));
      return sendError(gateway, reply, gatewayError('internal_error', 'a fault inside the gateway; its log says more'));
    }
    return sendError(gateway, reply, gatewayError('invalid_parameter', error.message, { status }));
  });
  // Nothing behind fastify reads a body. Its own parsers would refuse an empty one that calls itself JSON, as many clients
  // send it with every POST, before the path and the method are looked at.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null));
  registerModels(app, gateway);
  registerOwnKey(app, gateway);
  registerOwnRequests(app, gateway);
  registerJobs(app, gateway);
  await register(app);
  await app.ready();
  const http = server as Server | null;
  if (http === null) throw new Error('fastify made no server');
  return { app, server: http, listen: (host, port) => listen(http, host, port), close: () => close(http, app) };
}

/** No such path, not with this method, or not yet. A known key's share in it counts like its other faults (G-6). */
function refuseUnserved(gateway: Gateway, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = pathOf(request.url);
  const allowed = isLaterPath(path) ? null : methodsOf(path);
  if (allowed !== null) reply.header('allow', allowed);
  const error = unservedError(request.method, path, allowed);
  const principal = authenticate(request.raw, gateway.snapshot(), gateway.clock.wall());
  if (principal.ok) observeRefusal(gateway, principal.value.key.name, requestIdOf(gateway, reply), error);
  return sendError(gateway, reply, error);
}

function unservedError(method: string, path: string, allowed: string | null): GatewayError {
  const shown = path.slice(0, 200);
  if (isLaterPath(path) || isUnlisted(method, path)) {
    return gatewayError('not_available', `${shown} is not available in this version`);
  }
  if (allowed !== null) {
    return gatewayError('method_not_allowed', `${method} is not served at ${shown}; use ${allowed}`);
  }
  return gatewayError('not_found', `${method} ${shown} is not served here`);
}

// Longer than the idle limits of the usual load balancers (60 s), so that none of them writes into a closing socket.
const SERVER_OPTIONS = {
  keepAliveTimeout: 75_000,
  headersTimeout: 60_000,
  keepAlive: true,
  noDelay: true,
  // Nothing here depends on the host's name, and Node would refuse without a word (E-5).
  requireHostHeader: false,
} as const;

function dispatch(
  gateway: Gateway,
  other: (request: IncomingMessage, response: ServerResponse) => void,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  // Who is told so before the next request sends that one elsewhere.
  if (gateway.leaving) response.shouldKeepAlive = false;
  if (request.headers.upgrade !== undefined && asksForWebSocket(request)) {
    refuseWebSocket(gateway, request, response);
    return;
  }
  const served = request.method === 'POST' ? serve(gateway, request, response) : ask(gateway, request, response);
  if (served === null) {
    other(request, response);
    return;
  }
  served.catch((error: unknown) => {
    gateway.reportBug(error, 'unknown');
    response.destroy();
  });
}

/** Null = not a path of the data plane. */
function serve(gateway: Gateway, request: IncomingMessage, response: ServerResponse): Promise<void> | null {
  const url = request.url ?? '/';
  const routed = routeOf('POST', url, request.headers);
  if (routed !== null) return serveRequest(gateway, routed, request, response);
  const planned = PLAN_ROUTES.get(pathOf(url));
  return planned === undefined ? ask(gateway, request, response) : servePlan(gateway, planned, request, response);
}

/** Calls on what lives upstream. Null = not a path of the data plane. */
function ask(gateway: Gateway, request: IncomingMessage, response: ServerResponse): Promise<void> | null {
  const url = request.url ?? '/';
  const bound = boundCallOf(request.method, pathOf(url), url);
  return bound === null ? null : serveBound(gateway, bound, request, response);
}

/** Not HTTP, headers too large, or too slow: one plain JSON error, never a silent reset. */
function refuseGarbage(gateway: Gateway, error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const [status, reason] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'the request headers are too large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'the request took too long to arrive']
        : ['400 Bad Request', 'this is not a valid HTTP/1.1 request'];
  const requestId = gateway.newId('req_');
  const body = Buffer.from(
    JSON.stringify({
      error: {
        message: reason,
        type: 'invalid_request_error',
        code: 'invalid_parameter',
        param: null,
        request_id: requestId,
      },
    }),
  );
  // Who never closes his half must not keep ours.
  socket.setTimeout(LAST_WORDS_MS, () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n` +
      `x-request-id: ${requestId}\r\nx-should-retry: false\r\n\r\n${body.toString()}`,
  );
}

/** Long enough for a slow reader to get the error. */
const LAST_WORDS_MS = 1000;

/** An answer has begun on this connection: another one's bytes must not fall into it. */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as Socket & { readonly _httpMessage?: ServerResponse | null };
  return answer?.headersSent === true;
}

/** A burst of new connections waits to be taken in; the system's own limit may be lower. Node's 511 loses some to resets. */
const BACKLOG = 4096;

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

async function close(server: Server, app: FastifyInstance): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
  await app.close().catch(() => undefined);
}
