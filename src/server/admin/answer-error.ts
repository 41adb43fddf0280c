/** Errors of the admin plane, all in one shape (O-5), and where a call came from. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallOrigin } from '../../config/objects/config-objects.ts';
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import { requestIdOf, sendError } from '../error-reply.ts';
import type { AdminGateway } from './admin-deps.ts';

export function originOf(gateway: AdminGateway, request: FastifyRequest, reply: FastifyReply): CallOrigin {
  return { requestId: requestIdOf(gateway, reply), ip: request.ip ?? null };
}

export function answerError(gateway: AdminGateway, error: unknown, reply: FastifyReply): FastifyReply {
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
