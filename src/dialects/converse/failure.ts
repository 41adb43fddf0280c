/** Reads a failed answer of a Converse upstream (F-1 to F-6). */
import type { Failure } from '../../core/failure.ts';
import type { FailureSource } from '../contract.ts';
import { type AnswerFault, type AnswerFaults, errorIn, objectOf } from '../failure/answer-faults.ts';
import { classifyWith } from '../failure/classify.ts';
import { FAILED_STOPS, FILTER_STOPS } from './stop-reasons.ts';

function answerFault(value: unknown): AnswerFault | null {
  const reason = objectOf(value)?.['stopReason'];
  if (typeof reason !== 'string') return null;
  const found = FAILED_STOPS.get(reason) ?? (FILTER_STOPS.has(reason) ? 'content_policy' : null);
  if (found === null) return null;
  const message = `the upstream ended the answer with stopReason "${reason}"`;
  return { class: found, maybeExecuted: false, code: reason, message };
}

/** How a success of this dialect fails. Exceptions inside a stream come as `{__type, message}`. */
export const CONVERSE_FAULTS: AnswerFaults = {
  answerName: 'Converse answer',
  errorIn: (value) => {
    const body = objectOf(value);
    return typeof body?.['__type'] === 'string' ? body : errorIn(value, (answer) => answer['output'] !== undefined);
  },
  answerFault,
};

export const classifyAnswer: (source: FailureSource) => Failure = classifyWith(CONVERSE_FAULTS);
