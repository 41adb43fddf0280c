/** Errors of this dialect: as answers they are Chat's, in a stream they are events (E-1, T-4, T-11). */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { BodyView } from '../bytes/body-view.ts';
import { edit, setJson } from '../bytes/edit.ts';
import { jsonBytes, textOf, utf8 } from '../bytes/text.ts';
import { errorObject } from '../chat/errors.ts';

export { KEEP_ALIVE, renderError } from '../chat/errors.ts';

/**
 * The only event of a stream that has shown nothing. Its published form is flat, the one that is really sent holds the
 * error in a member: both at once, so that every client finds what it looks for (dialects §3).
 */
export function streamError(error: GatewayError, requestId: string): Uint8Array {
  const { code, message, param } = error;
  return eventBytes('error', {
    type: 'error',
    code,
    message,
    param,
    sequence_number: 0,
    error: errorObject(error, requestId),
  });
}

/**
 * T-4: the response, failed. The error stands beside it as well: clients that read single events take a failed response
 * for one more of them, but stop at an error.
 *
 * @param response The response as the stream told it before; null = it told none.
 * @param sequence Number of the event.
 */
export function failedResponse(
  error: GatewayError,
  requestId: string,
  response: BodyView | null,
  sequence: number,
): Uint8Array {
  const told = { code: error.code, message: error.message, request_id: requestId };
  const failed =
    response === null
      ? jsonBytes({ id: `resp_${requestId}`, object: 'response', status: 'failed', error: told, output: [] })
      : edit(response, [setJson('status', 'failed'), setJson('error', told)]);
  const rest = jsonBytes({ sequence_number: sequence, error: errorObject(error, requestId) });
  return utf8(
    `event: response.failed\ndata: {"type":"response.failed","response":${textOf(failed)},${textOf(rest).slice(1)}\n\n`,
  );
}

/** One event of the stream. */
export function eventBytes(name: string, data: unknown): Uint8Array {
  return utf8(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}
