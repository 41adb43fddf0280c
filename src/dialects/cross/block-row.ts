/**
 * Puts the blocks of a stream in a row: dialects that tell several at once (calls by index) become one after the other, so
 * that every client's dialect can say them. A block streams through while it is the first of its choice; what belongs to
 * a later one waits.
 */
import { JsonProgress } from '../bytes/json-progress.ts';
import type { BlockStart, CanonicalEvent, Citation, Opaque } from '../canonical.ts';

/** A block that has been started by its reader. */
export interface RowBlock {
  readonly choice: number;
  readonly what: BlockStart;
  /** Of a call: whether its arguments so far are whole. Null for all else. */
  readonly check: JsonProgress | null;
  /** Its number towards the reader of the events; −1 = it waits for its turn. */
  number: number;
  closed: boolean;
  /** Characters told of it so far, and the last piece of them. */
  told: number;
  lastPiece: string;
  /** What came while it waited. */
  readonly waiting: (string | Opaque | Citation)[];
}

/** Of all that waits, in characters (T-7); a stream that mixes more is no good one. */
const MAX_WAITING = 1 << 20;

export class BlockRow {
  /** Too much waits. */
  overfull = false;
  readonly #emit: (event: CanonicalEvent) => void;
  /** By choice: the open blocks, the first of them streaming. */
  readonly #rows = new Map<number, RowBlock[]>();
  #count = 0;
  #waiting = 0;

  constructor(emit: (event: CanonicalEvent) => void) {
    this.#emit = emit;
  }

  /** Characters that wait for their turn. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Starts a block of a choice. */
  start(choice: number, what: BlockStart): RowBlock {
    const check = what.type === 'call' ? new JsonProgress() : null;
    const block: RowBlock = { choice, what, check, number: -1, closed: false, told: 0, lastPiece: '', waiting: [] };
    const row = this.#rows.get(choice);
    if (row === undefined) this.#rows.set(choice, [block]);
    else row.push(block);
    if (row === undefined || row.length === 1) this.#open(block);
    return block;
  }

  /** Nothing empty. */
  delta(block: RowBlock, text: string): void {
    block.check?.add(text);
    block.told += text.length;
    block.lastPiece = text;
    if (block.number === -1) this.#wait(block, text, text.length);
    else this.#emit({ type: 'delta', block: block.number, text });
  }

  opaque(block: RowBlock, opaque: Opaque): void {
    if (block.number === -1) this.#wait(block, opaque, opaque.data.length);
    else this.#emit({ type: 'opaque', block: block.number, opaque });
  }

  citation(block: RowBlock, citation: Citation): void {
    if (block.number === -1) this.#wait(block, citation, citation.quote?.length ?? 0);
    else this.#emit({ type: 'citation', block: block.number, citation });
  }

  /** A call that streams and has all of its arguments: whatever comes next, it is over. */
  isWhole({ what, check, number, closed }: RowBlock): boolean {
    const isFunction = what.type === 'call' && what.form === 'function';
    return isFunction && number !== -1 && !closed && check !== null && !check.isEmpty && check.isWhole;
  }

  /** No more of this block: the next one's turn, if it was the first. */
  end(block: RowBlock): void {
    block.closed = true;
    const row = this.#rows.get(block.choice)!;
    while (row[0]?.closed === true) {
      this.#emit({ type: 'block-end', block: row[0].number });
      row.shift();
      if (row[0] !== undefined) this.#open(row[0]);
    }
  }

  /** The choice is over: everything of it is. */
  endAll(choice: number): void {
    const row = this.#rows.get(choice);
    if (row === undefined) return;
    for (const block of [...row]) if (!block.closed) this.end(block);
  }

  #open(block: RowBlock): void {
    block.number = this.#count++;
    this.#emit({ type: 'block-start', block: block.number, choice: block.choice, what: block.what });
    for (const piece of block.waiting.splice(0)) {
      if (typeof piece === 'string') this.#emit({ type: 'delta', block: block.number, text: piece });
      else if ('data' in piece) this.#emit({ type: 'opaque', block: block.number, opaque: piece });
      else this.#emit({ type: 'citation', block: block.number, citation: piece });
    }
  }

  #wait(block: RowBlock, piece: string | Opaque | Citation, length: number): void {
    block.waiting.push(piece);
    this.#waiting += length + PIECE_COST;
    if (this.#waiting > MAX_WAITING) this.overfull = true;
  }
}

/** What a piece costs beside its characters: many small ones must not fill the memory either. */
const PIECE_COST = 32;
