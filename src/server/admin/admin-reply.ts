/** Errors of the admin plane, in OpenAI's shape with the request's id (E-5). */
import type { FastifyReply } from 'fastify';
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import { chatCodec } from '../../dialects/chat/codec.ts';
import type { Clock } from '../../ports/clock.ts';

/** Its own retry advice: a store in trouble is asked again after a second (H-5). */
const RETRY_MS = 1000;

/** What rendering an error needs; both kinds of gateway have it. */
export interface ErrorContext {
  readonly clock: Pick<Clock, 'wall'>;
  newId(prefix: 'req_'): string;
}

export function sendAdminError(context: ErrorContext, reply: FastifyReply, error: GatewayError): FastifyReply {
  const sent = reply.getHeader('x-request-id');
  const requestId = typeof sent === 'string' ? sent : context.newId('req_');
  const wall = context.clock.wall();
  const shown = error.code === 'store_unavailable' ? { ...error, retryAt: wall + RETRY_MS } : error;
  const rendered = chatCodec.renderError(shown, requestId, false, wall);
  return reply
    .code(rendered.status)
    .headers({ ...rendered.headers, 'x-request-id': requestId })
    .send(Buffer.from(rendered.body));
}

/** A bad query parameter, named. */
export function badParameter(name: string, expected: string): ClientError {
  const message = `The parameter \`${name}\` ${expected}.`;
  return new ClientError(gatewayError('invalid_parameter', message, { param: name }));
}
