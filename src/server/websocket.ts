/**
 * Web sockets: nobody is answered over one. Clients that try one before plain HTTP are told so at once and in words, so
 * that they go on with HTTP instead of waiting (dialects §1.1).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gatewayError } from '../core/errors/catalogue.ts';
import type { Gateway } from '../runtime/gateway.ts';
import { codecAt, pathOf } from './data-routes.ts';
import { TWIN } from './plain-routes.ts';

/** Where clients try it. */
const TRIED: ReadonlySet<string> = new Set(['/v1/responses', `${TWIN}/responses`]);

/** Any other protocol asked for (`h2c`) may be ignored, and is. */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  const { upgrade } = headers;
  return upgrade !== undefined && /(?:^|,)\s*websocket\s*(?:,|$)/i.test(upgrade);
}

/** 426 where there is another way, 400 elsewhere; then the connection ends, and nobody waits on it for frames. */
export function refuseWebSocket(gateway: Gateway, request: IncomingMessage, response: ServerResponse): void {
  const path = pathOf(request.url ?? '/');
  const tried = TRIED.has(path.replace(/\/$/, ''));
  const message = tried
    ? 'answers do not come over web sockets here; send the request with POST over HTTP, streamed or whole'
    : 'web sockets are not served here';
  const error = gatewayError('not_available', message, { status: tried ? 426 : 400 });
  const requestId = gateway.newId('req_');
  const { status, headers, body } = codecAt(path).renderError(error, requestId, false, gateway.clock.wall());
  const list = ['x-request-id', requestId, 'connection', 'close', 'content-length', String(body.length)];
  // 426 has to name what it wants instead.
  if (tried) list.push('upgrade', 'HTTP/1.1');
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  response.writeHead(status, list);
  response.end(body);
}
