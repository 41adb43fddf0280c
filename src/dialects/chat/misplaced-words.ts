/**
 * Words of an answer that stand where no client reads them: a whole `message` where a chunk has its `delta`, a `delta` in a
 * whole answer, `text` of another endpoint's. They must not pass for said (T-10, F-5).
 */
import type { BodyView } from '../bytes/body-view.ts';
import { objectsIn } from '../bytes/nested.ts';
import { textOf } from '../bytes/text.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';

/**
 * What a choice says beside its delta: nothing, or what was told already; the whole of the answer, where nothing was told
 * before; or words in no place where they could be read: nobody knows whether they go on with the last ones or hold them.
 */
export type MessageRole = 'nothing' | 'whole' | 'unreadable';

export const WORDS_MISPLACED = 'words of an answer stand where no client reads them';

/** Of one choice of a chunk. `told`: content of it came before. */
export function messageRole(choice: Json, told: boolean): MessageRole {
  const delta = objectOf(choice['delta']);
  if (delta !== null && says(delta)) return 'nothing';
  const message = objectOf(choice['message']);
  const isWhole = message !== null && says(message);
  if (!isWhole && !isFilled(choice['text'])) return 'nothing';
  const isLast = isFilled(choice['finish_reason']);
  if (told) return delta !== null || isLast ? 'nothing' : 'unreadable';
  return isWhole && isLast ? 'whole' : 'unreadable';
}

/** A whole answer that says something, but not in its messages. `view`: of the answer. */
export function isMisplaced(view: BodyView): boolean {
  return objectsIn(view, 'choices').some((view) => {
    const choice = objectOf(JSON.parse(textOf(view.bytes, view.start, view.end)));
    const [message, delta] = [objectOf(choice?.['message']), objectOf(choice?.['delta'])];
    if (message !== null && says(message)) return false;
    return isFilled(choice?.['text']) || (delta !== null && says(delta));
  });
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

const WORDS = ['content', 'refusal', 'reasoning', 'reasoning_content', 'reasoning_details', 'tool_calls', 'images'];

function says(message: Json): boolean {
  if (objectOf(message['function_call']) !== null || objectOf(message['audio']) !== null) return true;
  return WORDS.some((key) => {
    const value = message[key];
    return (typeof value === 'string' || Array.isArray(value)) && value.length > 0;
  });
}
