/**
 * Whether the arguments of a streamed call are whole (dialects §14.16): a call cut in the middle must not look like one
 * without arguments. Up to a limit they are kept and read; beyond it only brackets and quotes are counted.
 */
import type { Finish } from '../canonical.ts';
import { isJsonText } from './json-text.ts';

/**
 * Such an ending says that every call is whole (dialects §8). A plain stop does as well: some upstreams end calls so, and
 * to clients calls are calls. Behind any other the last one may be cut.
 */
export function saysCallsAreWhole(finish: Finish): boolean {
  return finish === 'tool_calls' || finish === 'stop';
}

/** Characters kept at most; arguments that large are rare, and memory is bounded (T-7). */
const MAX_KEPT = 256 * 1024;

export class CallCheck {
  #kept = '';
  #length = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;

  add(text: string): void {
    const before = this.#length;
    this.#length += text.length;
    if (this.#length <= MAX_KEPT) {
      this.#kept += text;
      return;
    }
    if (before <= MAX_KEPT) {
      this.#count(this.#kept);
      this.#kept = '';
    }
    this.#count(text);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** No arguments at all are those of a tool that takes none. */
  get isWhole(): boolean {
    if (this.#length > MAX_KEPT) return this.#depth === 0 && !this.#inString;
    return this.#kept.trim() === '' || isJsonText(this.#kept);
  }

  #count(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (code === 0x22) this.#inString = false;
        else if (code === 0x5c) this.#escaped = true;
      } else if (code === 0x22) this.#inString = true;
      else if (code === 0x7b || code === 0x5b) this.#depth++;
      else if (code === 0x7d || code === 0x5d) this.#depth--;
    }
  }
}
