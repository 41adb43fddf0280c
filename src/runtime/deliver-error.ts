/** How an error reaches its client, whatever has been sent before it. */
import type { GatewayError } from '../core/errors/gateway-error.ts';
import type { ClientRequest, ErrorFrame } from '../dialects/contract.ts';
import type { Delivery, FrameOf } from './delivery.ts';
import type { Job } from './job.ts';
import { errorHeaders } from './response-headers.ts';

/** Whom an error is told, and how its dialect says it. */
export interface ErrorPlace extends Pick<Job, 'codec' | 'identity' | 'classic'> {
  readonly request?: ClientRequest | undefined;
  /** The words of a stream that has begun; absent = nothing but keep-alives was shown. */
  readonly frame?: FrameOf | undefined;
}

/** Sends an error by whatever way is left: status and body, or one event in an open stream (T-4, T-11). */
export function deliverError(
  delivery: Delivery,
  where: ErrorPlace,
  error: GatewayError,
  facts: { readonly attempts: number; readonly wall: number },
): void {
  if (delivery.headersSent) {
    const { codec, identity, request, frame } = where;
    const { requestId } = identity;
    endBroken(delivery, frame === undefined ? codec.streamError(error, requestId, request) : frame(requestId));
    return;
  }
  const rendered = where.codec.renderError(error, where.identity.requestId, where.classic, facts.wall);
  const headers = errorHeaders(where.identity, rendered.headers, facts.attempts);
  headers.push('content-length', String(rendered.body.length));
  // The rest of a body that is too large is not read: the connection can't be used again.
  if (error.status === 413) headers.push('connection', 'close');
  delivery.open(rendered.status, headers);
  delivery.end(rendered.body);
}

/** Ends what was begun with the words its dialect has for that, or without any: by a reset, which nobody takes for an end. */
export function endBroken(delivery: Delivery, frame: ErrorFrame): void {
  if (frame !== 'destroy') delivery.end(frame);
  else if (delivery.destroy === undefined) delivery.end(null);
  else delivery.destroy();
}
