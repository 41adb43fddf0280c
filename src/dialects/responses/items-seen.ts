/**
 * The items a stream has finished, for upstreams that leave them out of the response at its end: clients read the answer
 * from there (dialects §8).
 */

/** Longer answers are not rebuilt: what is kept of a stream stays small (T-7). */
const MOST_BYTES = 1024 * 1024;

export class ItemsSeen {
  #items = new Map<number, Uint8Array>();
  #length = 0;
  #given = false;

  /** `json` is a copy of the item. */
  note(index: number, json: Uint8Array): void {
    if (this.#given) return;
    this.#length += json.length - (this.#items.get(index)?.length ?? 0);
    this.#items.set(index, json);
    if (this.#length <= MOST_BYTES) return;
    this.#given = true;
    this.#items.clear();
  }

  /** All of them in order, as one JSON array; null = there was none, or more than is kept. */
  output(): Uint8Array | null {
    if (this.#items.size === 0) return null;
    const inOrder = [...this.#items].sort(([a], [b]) => a - b).map(([, json]) => json);
    const pieces = inOrder.flatMap((json, at) => (at === 0 ? [json] : [COMMA, json]));
    return Buffer.concat([OPEN, ...pieces, CLOSE]);
  }
}

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');
