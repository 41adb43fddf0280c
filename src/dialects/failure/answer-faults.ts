/** What a dialect knows of successes that are none (F-5, F-6), and what all of them have in common. */
import type { FailureClass } from '../../core/failure.ts';

/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Why a well-formed answer counts as a failed call. */
export interface AnswerFault {
  readonly class: FailureClass;
  readonly maybeExecuted: boolean;
  readonly code: string | null;
  readonly message: string;
}

/** A call that says it is whole and is not (dialects §8). */
export const BROKEN_CALL: AnswerFault = {
  class: 'malformed',
  maybeExecuted: true,
  code: null,
  message: 'a call is missing, has no name, or its arguments are no JSON',
};

/** A dialect's words, for `classifyWith`. Values are parsed JSON of any kind. */
export interface AnswerFaults {
  /** What an answer of this dialect is, for messages: `chat completion`. */
  readonly answerName: string;
  /** The error a success holds, as the value to be read; null = it holds none. */
  errorIn(value: unknown): unknown;
  /** Why a success without an error object is no answer; null = nothing in it says so. */
  answerFault(value: unknown): AnswerFault | null;
}

/** A JSON object; null = it is something else. */
export function objectOf(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

function isFilled(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return typeof value === 'number' && value !== 0;
}

/** A field beside the answer that says it is none: a result code other than good. */
function badCode(value: unknown): boolean {
  return (
    (typeof value === 'number' && value !== 0 && value !== 200) ||
    (typeof value === 'string' && !/^(?:0|200|ok|success)?$/i.test(value))
  );
}

/**
 * The error a parsed success holds, in any of the shapes upstreams use, as the value to be read; null = it holds none.
 * `isAnswer`: it has what makes it an answer of its dialect, so that a message in it is no error.
 */
export function errorIn(value: unknown, isAnswer: (body: Json) => boolean): unknown {
  if (Array.isArray(value)) return value.some((item) => errorIn(item, isAnswer) !== null) ? value : null;
  const body = objectOf(value);
  if (body === null) return null;
  const response = objectOf(body['Response'] ?? body['response']);
  const base = objectOf(body['base_resp']);
  const named =
    isFilled(body['error']) ||
    isFilled(body['errors']) ||
    isFilled(response?.['Error'] ?? response?.['error']) ||
    body['object'] === 'error' ||
    body['type'] === 'error' ||
    (base !== null && badCode(base['status_code'])) ||
    badCode(body['error_code'] ?? body['errorCode'] ?? 0);
  if (named) return body;
  if (isAnswer(body)) return null;
  // Without an answer, a message or a result code is all it says.
  const says = ['message', 'msg', 'detail', 'error_msg', 'Message', 'fault'].some((key) => isFilled(body[key]));
  return says || badCode(body['code'] ?? 0) ? body : null;
}
