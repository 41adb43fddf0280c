/** The blocks of one stream's items: which are open, which were told, in the order they began. */
import type { BlockStart, CanonicalReaderOptions, Citation, Opaque } from '../canonical.ts';
import { BlockRow, type RowBlock } from '../cross/block-row.ts';

/** One item while it is told. */
interface ItemState {
  /** Open blocks by what they are in the item: `call`, `text`, `refusal 1`, `summary`, `thought`. */
  readonly open: Map<string, RowBlock>;
  /** Every block that began, closed or not. */
  readonly told: Set<string>;
  done: boolean;
}

/** More than any answer has; a stream that invents items without end must not fill the memory. */
const MOST_ITEMS = 4096;

export class ItemBlocks {
  readonly #row: BlockRow;
  readonly #items = new Map<number, ItemState>();
  // Most deltas go to the block of the one before.
  #lastIndex = -1;
  #lastKey = '';
  #last: RowBlock | null = null;

  constructor({ emit }: Pick<CanonicalReaderOptions, 'emit'>) {
    this.#row = new BlockRow(emit);
  }

  get overfull(): boolean {
    return this.#row.overfull || this.#items.size > MOST_ITEMS;
  }

  /** Characters that wait for their turn. */
  get waiting(): number {
    return this.#row.waiting;
  }

  isDone(index: number): boolean {
    return this.#items.get(index)?.done === true;
  }

  wasTold(index: number, key: string): boolean {
    return this.#items.get(index)?.told.has(key) === true;
  }

  /** What nobody told yet of a text that came in pieces; empty where they say something else. */
  rest(index: number, key: string, whole: string): string {
    const block = this.#items.get(index)?.open.get(key);
    if (block === undefined) return this.wasTold(index, key) ? '' : whole;
    const { told, lastPiece, what, check } = block;
    if (what.type === 'call' && what.form === 'function' && check?.isEmpty === false && check.isWhole) return '';
    return whole.startsWith(lastPiece, told - lastPiece.length) ? whole.slice(told) : '';
  }

  /** Begins a block unless it began before. */
  start(index: number, key: string, what: BlockStart): void {
    this.#block(index, key, what);
  }

  /** Adds to a block, which begins with its first piece. Nothing empty; nothing of a block that is over. */
  piece(index: number, key: string, what: BlockStart, text: string): void {
    const block = this.#block(index, key, what);
    if (block !== null) this.#row.delta(block, text);
  }

  /** Adds to a block that is open. */
  more(index: number, key: string, text: string): void {
    const block = this.#items.get(index)?.open.get(key);
    if (block !== undefined) this.#row.delta(block, text);
  }

  cite(index: number, key: string, citation: Citation): void {
    const block = this.#items.get(index)?.open.get(key);
    if (block !== undefined) this.#row.citation(block, citation);
  }

  /** On the open block of one of these keys, the first that is; else on one that begins for it. */
  seal(index: number, keys: readonly [string, ...string[]], what: BlockStart, opaque: Opaque): void {
    const open = this.#items.get(index)?.open;
    const key = keys.find((name) => open?.has(name)) ?? keys[0];
    const block = this.#block(index, key, what);
    if (block !== null) this.#row.opaque(block, opaque);
  }

  end(index: number, key: string): void {
    const block = this.#items.get(index)?.open.get(key);
    if (block === undefined) return;
    this.#items.get(index)!.open.delete(key);
    this.#lastIndex = -1;
    this.#row.end(block);
  }

  endItem(index: number): void {
    const state = this.#state(index);
    state.done = true;
    for (const key of [...state.open.keys()]) this.end(index, key);
  }

  endAll(): void {
    this.#row.endAll(0);
  }

  #state(index: number): ItemState {
    let state = this.#items.get(index);
    if (state === undefined) {
      state = { open: new Map(), told: new Set(), done: false };
      this.#items.set(index, state);
    }
    return state;
  }

  /** The open block of that name, begun if it never was; null = it is over. */
  #block(index: number, key: string, what: BlockStart): RowBlock | null {
    if (index === this.#lastIndex && key === this.#lastKey) return this.#last;
    const { open, told } = this.#state(index);
    let block = open.get(key) ?? null;
    if (block === null && !told.has(key)) {
      block = this.#row.start(0, what);
      open.set(key, block);
      told.add(key);
    }
    this.#lastIndex = index;
    this.#lastKey = key;
    this.#last = block;
    return block;
  }
}
