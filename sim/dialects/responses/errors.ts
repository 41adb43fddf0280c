/** Errors of the Responses API: as answers they are Chat's, in a stream they have three forms. */
import { fieldsOf } from '../../answer/fields.ts';
import { errorBody as chatErrorBody } from '../chat/errors.ts';
import type { Fault, StreamEvent } from '../dialect.ts';

/** The error object as JSON text. */
export function errorBody(fault: Fault): string {
  const error = { ...fieldsOf(fieldsOf(JSON.parse(chatErrorBody(fault)))['error']) };
  if (fault.status === 400 && fault.message === undefined) error['message'] = "Invalid value for 'input'.";
  if (fault.code === '') error['code'] = null;
  return JSON.stringify({ error });
}

/**
 * An error inside a stream. Nothing shown: the flat `error` event of the published form. No content shown: the nested
 * one that is really sent. Content shown: the response itself, failed.
 */
export function streamError(fault: Fault, shown: readonly StreamEvent[]): StreamEvent {
  const number = { sequence_number: shown.length };
  const { type, code, message, param } = fieldsOf(fieldsOf(JSON.parse(errorBody(fault)))['error']);
  const first = shown[0];
  if (first === undefined) return event('error', { code, message, param, ...number });
  if (!shown.some(({ content }) => content))
    return event('error', { error: { type, code, message, param }, ...number });
  const response = fieldsOf(fieldsOf(JSON.parse(first.data))['response']);
  const error = { code: FAILED_CODES[fault.status] ?? 'server_error', message };
  return event('response.failed', { response: { ...response, status: 'failed', error }, ...number });
}

/** Codes of a failed response, by the status of what they mean. */
const FAILED_CODES: Readonly<Record<number, string>> = {
  400: 'invalid_prompt',
  402: 'insufficient_quota',
  429: 'rate_limit_exceeded',
  503: 'server_is_overloaded',
  529: 'server_is_overloaded',
};

function event(type: string, fields: object): StreamEvent {
  return { name: type, data: JSON.stringify({ type, ...fields }), content: false };
}
