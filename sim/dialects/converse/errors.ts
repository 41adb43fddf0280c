/** Errors in this API's words: the kind in a header, or in a stream as the name of an exception. */
import type { Fault, StreamEvent } from '../dialect.ts';

interface Row {
  readonly type: string;
  readonly message: string;
}

const BY_STATUS: Readonly<Record<number, Row>> = {
  400: row('ValidationException', 'The request was refused.'),
  401: row('UnrecognizedClientException', 'The security token included in the request is invalid.'),
  403: row('AccessDeniedException', "You don't have access to the model with the specified model ID."),
  404: row('ResourceNotFoundException', 'Model not found.'),
  408: row('ModelTimeoutException', 'Model has timed out in processing the request. Try your request again.'),
  413: row('ValidationException', 'Input is too large.'),
  424: row('ModelErrorException', 'The model returned an error while processing the request.'),
  429: row('ThrottlingException', 'Too many requests, please wait before trying again.'),
  500: row(
    'InternalServerException',
    'The system encountered an unexpected error during processing. Try your request again.',
  ),
  503: row('ServiceUnavailableException', 'Bedrock is unable to process your request.'),
};

const REQUEST_ID = '00000000-0000-4000-8000-000000000000';

/** Exceptions that a stream knows; what it doesn't is told as one of these. */
const STREAMED = [
  ...['internalServerException', 'modelStreamErrorException', 'validationException', 'throttlingException'],
  'serviceUnavailableException',
];

function row(type: string, message: string): Row {
  return { type, message };
}

function rowOf(status: number): Row {
  const found = BY_STATUS[status];
  if (found !== undefined) return found;
  // Overload has no status of its own here.
  if (status === 529) return BY_STATUS[503]!;
  return status >= 500 ? BY_STATUS[500]! : BY_STATUS[400]!;
}

export function errorBody({ status, message }: Fault): string {
  return JSON.stringify({ message: message ?? rowOf(status).message });
}

/** The only place where the kind of an error is told. */
export function errorName({ status, code }: Fault): Record<string, string> {
  const type = code?.endsWith('Exception') === true ? code : rowOf(status).type;
  return { 'x-amzn-errortype': type, 'x-amzn-requestid': REQUEST_ID };
}

/** An exception inside a stream. */
export function streamError(fault: Fault): StreamEvent {
  const { type, message } = rowOf(fault.status);
  const name = type.charAt(0).toLowerCase() + type.slice(1);
  const known = STREAMED.includes(name) ? name : 'modelStreamErrorException';
  return { name: known, data: JSON.stringify({ message: fault.message ?? message }), content: false };
}
