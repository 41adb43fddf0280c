/** Errors of everything that fastify serves, in the shape of the path's dialect and with the request's id (E-5). */
import type { FastifyReply } from 'fastify';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import type { DialectCodec } from '../dialects/contract.ts';
import type { Clock } from '../ports/clock.ts';
import { idHeaderOf } from '../runtime/response-headers.ts';
import { codecAt, pathOf } from './data-routes.ts';

/** A store in trouble is asked again after a second (H-5). */
const RETRY_MS = 1000;

/** What rendering an error needs of a gateway. */
export interface ErrorContext {
  readonly clock: Pick<Clock, 'wall'>;
  newId(prefix: 'req_'): string;
}

/** The id the answer has, given to it at the first question. */
export function requestIdOf(context: ErrorContext, reply: FastifyReply): string {
  const given = reply.getHeader('x-request-id');
  if (typeof given === 'string') return given;
  const made = context.newId('req_');
  reply.header('x-request-id', made);
  return made;
}

/** Answers with an error, under the request's id. `codec`: in whose words, where the path does not say. */
export function sendError(
  context: ErrorContext,
  reply: FastifyReply,
  error: GatewayError,
  codec: DialectCodec = codecAt(pathOf(reply.request.url)),
): FastifyReply {
  const wall = context.clock.wall();
  const shown = error.code === 'store_unavailable' ? { ...error, retryAt: wall + RETRY_MS } : error;
  const requestId = requestIdOf(context, reply);
  const rendered = codec.renderError(shown, requestId, false, wall);
  const idHeader = idHeaderOf(codec.dialect);
  if (idHeader !== null) reply.header(idHeader, requestId);
  return reply
    .code(rendered.status)
    .headers({ ...rendered.headers })
    .send(Buffer.from(rendered.body));
}
