/** What makes a well-formed success of the Responses dialect a failure (F-5, F-6). */
import {
  type AnswerFault,
  type AnswerFaults,
  BROKEN_CALL,
  errorIn,
  type Json,
  objectOf,
} from '../failure/answer-faults.ts';
import { areCallsWhole } from './calls-seen.ts';
import { failedFinish, finishOf, isFilterFinish } from './finish.ts';

/** Why a success without an error object is no answer; null = nothing in it says so. */
function answerFault(value: unknown): AnswerFault | null {
  const event = objectOf(value);
  const body = objectOf(event?.['response']) ?? event;
  if (body === null || body['status'] === undefined) return null;
  const finish = finishOf(body);
  const message = `the upstream ended the answer with status "${finish}"`;
  const failed = failedFinish(finish);
  if (failed !== null) return { class: failed, maybeExecuted: false, code: finish, message };
  const output = body['output'];
  if (finish === 'completed' && Array.isArray(output) && !areCallsWhole(output)) return BROKEN_CALL;
  if (!isFilterFinish(finish)) return null;
  return { class: 'content_policy', maybeExecuted: false, code: 'content_filter', message };
}

/**
 * Only the error itself is read, where it is known to stand: the rest of a response repeats the request, and a caller's
 * own words must not pass for the upstream's.
 */
function errorOf(value: unknown): unknown {
  const event = objectOf(value);
  if (event === null) return errorIn(value, isAnswer);
  const response = objectOf(event['response']);
  if (response !== null && isAnswer(response) && !isSet(event['error'])) {
    return isSet(response['error']) ? { error: response['error'] } : null;
  }
  if (isAnswer(event)) return isSet(event['error']) ? { error: event['error'] } : null;
  const { response: _repeated, ...rest } = event;
  return errorIn(response === null || !isSet(event['error']) ? event : rest, isAnswer);
}

function isAnswer(body: Json): boolean {
  return body['output'] !== undefined || body['object'] === 'response';
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== '';
}

/** How a success of this dialect fails. */
export const RESPONSES_FAULTS: AnswerFaults = { answerName: 'response', errorIn: errorOf, answerFault };
