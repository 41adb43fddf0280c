/** What makes a well-formed success of this dialect a failure (F-5, F-6). */
import { type AnswerFault, type AnswerFaults, BROKEN_CALL, errorIn, objectOf } from '../failure/answer-faults.ts';

/** Why a message ends, when the model would not write it. */
export const REFUSAL = 'refusal';

/** Why it ends, when calls of the client's tools are to be made. */
export const TOOL_USE = 'tool_use';

/** A message that does not say how it ended; one that does has a call that cannot be read. */
function answerFault(value: unknown): AnswerFault | null {
  const body = objectOf(value);
  if (body === null || !Array.isArray(body['content'])) return null;
  if (typeof body['stop_reason'] === 'string' && body['stop_reason'] !== '') return BROKEN_CALL;
  const what = body['content'].length === 0 ? 'an empty message and' : 'a message that has';
  const message = `the upstream answered with ${what} no stop_reason`;
  return { class: 'malformed', maybeExecuted: true, code: null, message };
}

/** How a success of this dialect fails. */
export const MESSAGES_FAULTS: AnswerFaults = {
  answerName: 'message',
  errorIn: (value) => errorIn(value, (body) => Array.isArray(body['content'])),
  answerFault,
};
