/** Errors of everything that fastify serves, in OpenAI's shape with the request's id (E-5). */
import type { FastifyReply } from 'fastify';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import { chatCodec } from '../dialects/chat/codec.ts';
import type { Clock } from '../ports/clock.ts';

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

/** Answers with an error, under the request's id. */
export function sendError(context: ErrorContext, reply: FastifyReply, error: GatewayError): FastifyReply {
  const wall = context.clock.wall();
  const shown = error.code === 'store_unavailable' ? { ...error, retryAt: wall + RETRY_MS } : error;
  const rendered = chatCodec.renderError(shown, requestIdOf(context, reply), false, wall);
  return reply
    .code(rendered.status)
    .headers({ ...rendered.headers })
    .send(Buffer.from(rendered.body));
}
