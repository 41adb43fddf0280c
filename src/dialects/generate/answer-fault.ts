/** What makes a well-formed success of this dialect a failure (F-5, F-6). */
import type { Failure } from '../../core/failure.ts';
import type { FailureSource } from '../contract.ts';
import { type AnswerFault, type AnswerFaults, errorIn, objectOf } from '../failure/answer-faults.ts';
import { classifyWith } from '../failure/classify.ts';
import { blockReason } from './candidates.ts';
import { FAILED_FINISH, FILTER_FINISH, finishWord } from './finish-words.ts';

function answerFault(value: unknown): AnswerFault | null {
  const body = objectOf(value);
  if (body === null) return null;
  const blocked = blockReason(body['promptFeedback']);
  if (blocked !== null) {
    const message = `the upstream blocked the prompt: ${blocked}`;
    return { class: 'content_policy', maybeExecuted: false, code: blocked, message };
  }
  const candidates: unknown[] = Array.isArray(body['candidates']) ? body['candidates'] : [];
  const words = candidates
    .map((candidate) => finishWord(objectOf(candidate)?.['finishReason']))
    .filter((word) => word !== null);
  const failed = words.find((word) => FAILED_FINISH.has(word));
  const word = failed ?? words.find((one) => FILTER_FINISH.has(one));
  if (word === undefined) return null;
  const message = `the upstream ended the answer with finishReason ${word}`;
  return { class: FAILED_FINISH.get(word) ?? 'content_policy', maybeExecuted: false, code: word, message };
}

export const GENERATE_FAULTS: AnswerFaults = {
  answerName: 'generated content',
  errorIn: (value) =>
    errorIn(value, (body) => body['candidates'] !== undefined || body['promptFeedback'] !== undefined),
  answerFault,
};

/** Reads a failed answer of an upstream of this dialect: one object, a list of them, framed or not (F-1 to F-6). */
export const classifyAnswer: (source: FailureSource) => Failure = classifyWith(GENERATE_FAULTS);
