/**
 * Whether the calls of an answer are whole (dialects §8, §14.16): they have a name, and their arguments are one JSON value
 * or nothing at all, in every place where clients may read them.
 */
import { isWholeText, JsonProgress } from '../bytes/json-progress.ts';
import { objectOf } from '../failure/answer-faults.ts';

/** Calls of functions; freeform ones hold no JSON, and what the upstream runs by itself was run. */
export class CallsSeen {
  hasBroken = false;
  /** By output index, those whose item is not done. */
  readonly #open = new Map<number, JsonProgress>();
  // Most pieces go to the call of the one before.
  #lastIndex = -1;
  #last: JsonProgress | null = null;

  /** A piece of arguments, as the inside of a JSON string. */
  piece(index: number, data: Uint8Array, start: number, end: number): void {
    if (this.#last === null || index !== this.#lastIndex) {
      this.#last = this.#open.get(index) ?? new JsonProgress();
      this.#open.set(index, this.#last);
      this.#lastIndex = index;
    }
    this.#last.addEscaped(data, start, end);
  }

  itemDone(index: number, item: unknown): void {
    if (!isWholeCall(item) || this.#open.get(index)?.isWhole === false) this.hasBroken = true;
    this.#open.delete(index);
    this.#last = null;
  }

  /** The response's end, with all of its items. */
  end(output: unknown): void {
    for (const input of this.#open.values()) if (!input.isWhole) this.hasBroken = true;
    if (Array.isArray(output) && !areCallsWhole(output)) this.hasBroken = true;
  }
}

export function areCallsWhole(items: readonly unknown[]): boolean {
  return items.every(isWholeCall);
}

/** True of everything that is no call of a function. */
function isWholeCall(value: unknown): boolean {
  const item = objectOf(value);
  if (item?.['type'] !== 'function_call') return true;
  const { name, arguments: input } = item;
  if (typeof name !== 'string' || name === '') return false;
  return typeof input !== 'string' || isWholeText(input);
}
