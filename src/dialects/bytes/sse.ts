/**
 * Splits a server-sent event stream into events, on bytes: any cut of the input gives the same events, half an event
 * never comes out (dialects §1.2). Nothing is copied while an event lies in one piece of input.
 */
import { ByteWriter } from './byte-writer.ts';
import { behindMark, DATA, EVENT, ID, isField, RETRY, valueStart } from './sse-fields.ts';
import { StrayJson } from './stray-json.ts';
import { bufferOf, textOf } from './text.ts';

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const EMPTY = Buffer.alloc(0);
const NEWLINE = Uint8Array.of(LF);

/**
 * What `next()` found:
 * - `event`: a block with data, closed by its blank line;
 * - `tail`: the same at the end of the input, without blank line (T-5: the reader decides whether it is whole);
 * - `stray`: a balanced piece of JSON in lines that are no SSE field;
 * - `broken`: stray JSON that never closed, or an event over the limit;
 * - `cut`: a tail that is no event. Nothing follows these two.
 */
export type SseKind = 'event' | 'tail' | 'stray' | 'broken' | 'cut';

export class SseSplitter {
  /** Of the last `next()` that returned true; valid until the next call of any method. */
  kind: SseKind = 'event';
  /** The data lies in `data` from `start` to `end`; several `data:` lines are joined by LF. */
  data: Uint8Array = EMPTY;
  start = 0;
  end = 0;
  /** The data came in several lines. */
  joined = false;
  /** The event's name; null = none. */
  name: string | null = null;
  /** Why it is `broken` or `cut`. */
  reason = '';

  readonly #maxEventBytes: number;
  #buffer: Buffer = EMPTY;
  #length = 0;
  /** `#buffer` is our own accumulation, not the caller's chunk. */
  #own = false;
  #lineStart = 0;
  #scanFrom = 0;
  /** The next CR and LF at or behind `#scanFrom`; below it = not searched yet. */
  #nextCr = -1;
  #nextLf = -1;
  #skipLf = false;
  #firstLine = true;
  /** The last line read was neither comment nor field: at the very end it was cut before it became one. */
  #lineUnknown = false;
  #ended = false;
  #over = false;
  // The open block: span of its only data line in `#buffer`, or the joined lines.
  #dataStart = -1;
  #dataEnd = -1;
  readonly #lines = new ByteWriter();
  #joining = false;
  #blockName: string | null = null;
  readonly #stray = new StrayJson();

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  /** Bytes held for events that are not whole yet. */
  get pendingBytes(): number {
    return this.#length - this.#keepFrom() + this.#lines.length + this.#stray.length;
  }

  /** Call only after `next()` returned false. */
  push(chunk: Uint8Array): void {
    const keep = this.#keepFrom();
    const rest = this.#length - keep;
    if (rest === 0) {
      this.#adopt(bufferOf(chunk), false);
      return;
    }
    if (!this.#own || this.#buffer.length - this.#length < chunk.length) {
      const needed = rest + chunk.length;
      const fits = this.#own && needed * 2 <= this.#buffer.length;
      const target = fits ? this.#buffer : Buffer.allocUnsafe(Math.max(2 * needed, MIN_CAPACITY));
      if (fits) target.copyWithin(0, keep, this.#length);
      else target.set(this.#buffer.subarray(keep, this.#length));
      this.#shift(keep);
      this.#buffer = target;
      this.#own = true;
      this.#length = rest;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length += chunk.length;
    this.#nextCr = this.#nextLf = -1;
  }

  /** The input is over: `next()` then gives what the tail holds. */
  finish(): void {
    this.#ended = true;
  }

  /** Moves to the next event; false = more input is needed (or none is left). */
  next(): boolean {
    while (!this.#over) {
      const at = this.#findLineEnd();
      if (at === -1) return this.#ended ? this.#tail() : this.#park();
      const lineStart = this.#lineStart;
      this.#advance(at);
      if (this.#line(lineStart, at)) return true;
    }
    return false;
  }

  /** Offset of the line's terminator, or −1. Native searches: a loop over the bytes costs ten times as much. */
  #findLineEnd(): number {
    const length = this.#length;
    if (this.#skipLf && this.#scanFrom < length) {
      this.#skipLf = false;
      if (this.#buffer[this.#scanFrom] === LF) this.#lineStart = ++this.#scanFrom;
    }
    const from = this.#scanFrom;
    if (from >= length) return -1;
    if (this.#nextCr < from) this.#nextCr = this.#search(CR, from);
    if (this.#nextLf < from) this.#nextLf = this.#search(LF, from);
    const at = Math.min(this.#nextCr, this.#nextLf);
    if (at < length) return at;
    this.#scanFrom = length;
    return -1;
  }

  /** Offset of the next such byte, `#length` if there is none. */
  #search(byte: number, from: number): number {
    // Behind `#length` an accumulation holds room, not input.
    const found = this.#own
      ? this.#buffer.subarray(from, this.#length).indexOf(byte)
      : this.#buffer.indexOf(byte, from) - from;
    return found < 0 ? this.#length : from + found;
  }

  #advance(lineEnd: number): void {
    let next = lineEnd + 1;
    if (this.#buffer[lineEnd] === CR) {
      if (next < this.#length) {
        if (this.#buffer[next] === LF) next++;
      } else {
        this.#skipLf = true;
      }
    }
    this.#lineStart = this.#scanFrom = next;
  }

  /** Reads one whole line; true = something is ready. */
  #line(from: number, end: number): boolean {
    const buffer = this.#buffer;
    let start = from;
    this.#lineUnknown = false;
    if (this.#firstLine) {
      this.#firstLine = false;
      start = behindMark(buffer, start, end);
    }
    if (start === end) return this.#blank();
    const first = buffer[start];
    if (first === COLON) return false;
    if (first === 0x64 && isField(buffer, start, end, DATA)) return this.#dataLine(start, end);
    if (first === 0x65 && isField(buffer, start, end, EVENT)) {
      if (this.#stray.open) return this.#stop('broken', 'JSON outside of any event that never closes');
      const value = valueStart(buffer, start + EVENT.length, end);
      this.#blockName = value === end ? null : textOf(buffer, value, end);
      return false;
    }
    if (isField(buffer, start, end, ID) || isField(buffer, start, end, RETRY)) return false;
    return this.#strayLine(start, end);
  }

  #dataLine(start: number, end: number): boolean {
    if (this.#stray.open) return this.#stop('broken', 'JSON outside of any event that never closes');
    const value = valueStart(this.#buffer, start + DATA.length, end);
    if (this.#joining) {
      this.#lines.write(NEWLINE);
      this.#lines.write(this.#buffer, value, end);
    } else if (this.#dataStart === -1) {
      this.#dataStart = value;
      this.#dataEnd = end;
    } else {
      this.#setDataApart();
      this.#lines.write(NEWLINE);
      this.#lines.write(this.#buffer, value, end);
    }
    const size = this.#joining ? this.#lines.length : end - value;
    return size > this.#maxEventBytes && this.#tooLarge();
  }

  /** Copies the only data line out of the buffer, which then need not hold what follows it. */
  #setDataApart(): void {
    this.#joining = true;
    this.#lines.write(this.#buffer, this.#dataStart, this.#dataEnd);
    this.#dataStart = -1;
  }

  /** A blank line closes the block. */
  #blank(): boolean {
    const has = this.#takeBlock('event');
    this.#blockName = null;
    return has;
  }

  #takeBlock(kind: SseKind): boolean {
    this.kind = kind;
    this.name = this.#blockName;
    this.joined = this.#joining;
    if (this.#joining) {
      this.#joining = false;
      this.data = this.#lines.take();
      this.start = 0;
      this.end = this.data.length;
      return true;
    }
    if (this.#dataStart === -1) return false;
    this.data = this.#buffer;
    this.start = this.#dataStart;
    this.end = this.#dataEnd;
    this.#dataStart = -1;
    return true;
  }

  #strayLine(start: number, end: number): boolean {
    const state = this.#stray.add(this.#buffer, start, end);
    if (state === 'too_large') return this.#stop('broken', 'JSON outside of any event that never closes');
    this.#lineUnknown = state === 'ignored';
    if (state !== 'closed') return false;
    this.kind = 'stray';
    this.data = this.#stray.take();
    this.start = 0;
    this.end = this.data.length;
    this.joined = true;
    this.name = null;
    return true;
  }

  /** More input is needed: checks the limit and lets go of the caller's chunk. */
  #park(): boolean {
    if (this.#length - this.#lineStart + this.#lines.length > this.#maxEventBytes + LINE_OVERHEAD) {
      return this.#tooLarge();
    }
    if (this.#dataStart !== -1 && this.#lineStart - this.#dataEnd > MAX_ASIDE) this.#setDataApart();
    const keep = this.#keepFrom();
    if (keep === this.#length) {
      this.#adopt(EMPTY, false);
    } else if (!this.#own) {
      const rest = this.#length - keep;
      const copy = Buffer.allocUnsafe(Math.max(2 * rest, MIN_CAPACITY));
      copy.set(this.#buffer.subarray(keep, this.#length));
      this.#adopt(copy, true, keep);
      this.#length = rest;
    }
    return false;
  }

  #tail(): boolean {
    const lineStart = this.#lineStart;
    const length = this.#length;
    if (lineStart < length) {
      this.#lineStart = this.#scanFrom = length;
      if (this.#line(lineStart, length)) return true;
      if (this.#lineUnknown) return this.#stop('cut', 'the stream ends inside a line');
    }
    if (this.#stray.open) return this.#stop('cut', 'the stream ends inside JSON that is in no event');
    if (this.#takeBlock('tail')) {
      this.#blockName = null;
      return true;
    }
    if (this.#blockName !== null) return this.#stop('cut', 'the stream ends inside an event');
    this.#over = true;
    return false;
  }

  #tooLarge(): boolean {
    return this.#stop('broken', `an event is larger than ${this.#maxEventBytes} bytes`);
  }

  #stop(kind: 'broken' | 'cut', reason: string): boolean {
    this.kind = kind;
    this.reason = reason;
    this.data = EMPTY;
    this.start = this.end = 0;
    this.name = null;
    this.#over = true;
    this.#buffer = EMPTY;
    this.#lines.clear();
    this.#joining = false;
    this.#length = this.#lineStart = this.#scanFrom = 0;
    this.#dataStart = -1;
    return true;
  }

  /** First byte still needed: the open data line or the line being read. */
  #keepFrom(): number {
    return this.#dataStart === -1 ? this.#lineStart : this.#dataStart;
  }

  #adopt(buffer: Buffer, own: boolean, shiftBy = this.#length): void {
    this.#shift(shiftBy);
    this.#buffer = buffer;
    this.#own = own;
    this.#length = buffer.length;
  }

  #shift(by: number): void {
    this.#nextCr = this.#nextLf = -1;
    this.#lineStart -= by;
    this.#scanFrom -= by;
    if (this.#dataStart !== -1) {
      this.#dataStart -= by;
      this.#dataEnd -= by;
    }
  }
}

// A typical event cut in two by the network fits.
const MIN_CAPACITY = 1024;
// Comments and ids behind an open event's data, held with it at most: an endless row of them must not fill the memory.
const MAX_ASIDE = 1024;
// Field name, colon, space and byte order mark of a line do not count against an event's size.
const LINE_OVERHEAD = 16;
