/** How a response ended, in one word, and what that means (F-5, F-6, D-5). */
import type { FailureClass } from '../../core/failure.ts';
import type { ContentKind } from '../contract.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';
import { ANSWER, CONTENT } from '../stream/grammar.ts';

const CUT = 'incomplete:max_output_tokens';
const FILTERED = 'incomplete:content_filter';

/** Endings that say the answer failed, with their class. */
const FAILED: ReadonlyMap<string, FailureClass> = new Map<string, FailureClass>([
  ['failed', 'server_error'],
  ['cancelled', 'server_error'],
]);

/** `completed`, `incomplete:max_output_tokens`: the status, with the reason where there is one. */
export function finishOf(response: Json): string {
  const status = response['status'];
  const word = typeof status === 'string' && status !== '' ? status : 'completed';
  const reason = objectOf(response['incomplete_details'])?.['reason'];
  return word === 'incomplete' && typeof reason === 'string' && reason !== '' ? `incomplete:${reason}` : word;
}

export function failedFinish(finish: string): FailureClass | null {
  return FAILED.get(finish) ?? null;
}

export function isLengthFinish(finish: string): boolean {
  return finish === CUT;
}

export function isFilterFinish(finish: string): boolean {
  return finish === FILTERED;
}

/** F-5: reasoning alone is no answer. A filter that left an answer is like a refusal. */
export function answerKind(content: number, finish: string | null): ContentKind {
  const filtered = finish !== null && isFilterFinish(finish);
  const answer = content & ANSWER;
  if (answer === 0) return filtered ? 'filtered' : 'empty';
  return filtered || answer === CONTENT.refusal ? 'refusal' : 'content';
}
