/** What makes a well-formed success of the Chat dialect a failure (F-5, F-6). */
import type { FailureClass } from '../../core/failure.ts';

/**
 * Finish reasons that say the answer failed (F-6), with their class. Before commit it counts; after commit the stream is
 * interrupted (T-4).
 */
export const FAILED_FINISH: ReadonlyMap<string, FailureClass> = new Map<string, FailureClass>([
  ['error', 'server_error'],
  ['abort', 'server_error'],
  ['network_error', 'server_error'],
  ['insufficient_system_resource', 'overloaded'],
]);

/** Finish reasons of a filter; with an answer they are served, without one they are the class content_policy (F-5). */
export const FILTER_FINISH: ReadonlySet<string> = new Set([
  'content_filter',
  'sensitive',
  'safety',
  'refusal',
  'prohibited_content',
]);

export interface AnswerFault {
  readonly class: FailureClass;
  readonly maybeExecuted: boolean;
  readonly code: string | null;
  readonly message: string;
}

type Json = Readonly<Record<string, unknown>>;

function objectOf(value: unknown): Json | null {
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

/** The error a parsed success holds, as the value to be read; null = it holds none. */
export function errorIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.some((item) => errorIn(item) !== null) ? value : null;
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
  if (body['choices'] !== undefined) return null;
  // Without an answer, a message or a result code is all it says.
  const says = ['message', 'msg', 'detail', 'error_msg', 'Message', 'fault'].some((key) => isFilled(body[key]));
  return says || badCode(body['code'] ?? 0) ? body : null;
}

function blocked(body: Json): string | null {
  const reason = objectOf(body['promptFeedback'])?.['blockReason'];
  return typeof reason === 'string' && reason !== '' ? reason : null;
}

function finishReasons(body: Json): string[] {
  const choices = Array.isArray(body['choices']) ? (body['choices'] as unknown[]) : [];
  return choices.flatMap((choice) => {
    const reason = objectOf(choice)?.['finish_reason'];
    return typeof reason === 'string' ? [reason.toLowerCase()] : [];
  });
}

/** Why a success without an error object is no answer; null = nothing in it says so. */
export function answerFault(value: unknown): AnswerFault | null {
  const body = objectOf(value);
  if (body === null) return null;
  const reason = blocked(body);
  if (reason !== null) {
    const message = `the upstream blocked the prompt: ${reason}`;
    return { class: 'content_policy', maybeExecuted: false, code: reason, message };
  }
  const reasons = finishReasons(body);
  for (const finish of reasons) {
    const failed = FAILED_FINISH.get(finish);
    const message = `the upstream ended the answer with finish_reason "${finish}"`;
    if (failed !== undefined) return { class: failed, maybeExecuted: false, code: finish, message };
  }
  const filter = reasons.find((finish) => FILTER_FINISH.has(finish));
  if (filter === undefined) return null;
  const message = `the upstream ended the answer with finish_reason "${filter}"`;
  return { class: 'content_policy', maybeExecuted: false, code: filter, message };
}
