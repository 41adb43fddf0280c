/** What makes a well-formed success of the Chat dialect a failure (F-5, F-6). */
import type { FailureClass } from '../../core/failure.ts';
import { isWholeText } from '../bytes/json-progress.ts';
import {
  type AnswerFault,
  type AnswerFaults,
  BROKEN_CALL,
  errorIn,
  type Json,
  objectOf,
} from '../failure/answer-faults.ts';

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
function answerFault(value: unknown): AnswerFault | null {
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
  if (filter === undefined) return hasBrokenCall(body) ? BROKEN_CALL : null;
  const message = `the upstream ended the answer with finish_reason "${filter}"`;
  return { class: 'content_policy', maybeExecuted: false, code: filter, message };
}

const CALL_FINISH: ReadonlySet<unknown> = new Set(['tool_calls', 'function_call']);

/** It says that calls were made, or has one without a name or with arguments that are no JSON: the reason why `readAnswer` gave nothing. */
function hasBrokenCall(body: Json): boolean {
  const choices = Array.isArray(body['choices']) ? (body['choices'] as unknown[]) : [];
  return choices.some((choice) => {
    if (CALL_FINISH.has(objectOf(choice)?.['finish_reason'])) return true;
    const message = objectOf(objectOf(choice)?.['message']);
    const calls = Array.isArray(message?.['tool_calls']) ? (message['tool_calls'] as unknown[]) : [];
    const functions = [message?.['function_call'], ...calls.map((call) => objectOf(call)?.['function'])].map(objectOf);
    return functions.some((called) => called !== null && !isWholeCall(called));
  });
}

function isWholeCall({ name, arguments: input }: Json): boolean {
  if (typeof name !== 'string' || name === '') return false;
  return typeof input !== 'string' || isWholeText(input);
}

/** How a success of this dialect fails. */
export const CHAT_FAULTS: AnswerFaults = {
  answerName: 'chat completion',
  errorIn: (value) => errorIn(value, (body) => body['choices'] !== undefined),
  answerFault,
};
