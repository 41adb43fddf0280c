/**
 * Watches one upstream chat stream and makes the client's bytes of it (T-1, T-5, T-7 to T-10, F-5, F-6, R-2, R-3).
 *
 * Every relayed event is written at once into one output buffer: before the commit it stays there, afterwards `drain()`
 * takes it. Comments, pings, empty events and JSON without `choices` are upstream keep-alives and are not relayed: the
 * gateway sends its own. An event comes out as one `data:` line, its JSON byte for byte but for `model` and `usage`.
 */
import type { Usage } from '../../core/usage/usage.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { isWholeJson, OPEN_BRACE, OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import { SseSplitter } from '../bytes/sse.ts';
import { jsonBytes, textOf, utf8 } from '../bytes/text.ts';
import type { ContentKind, StreamFault, StreamTap, StreamTapOptions } from '../contract.ts';
import { ChunkScan, CONTENT } from './chunk-scan.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { FinishLedger, isBadFinish } from './finish.ts';
import { answerKind } from './response.ts';
import { type HeldChunk, writeTail } from './stream-tail.ts';
import { readUsage } from './usage.ts';

export class ChatStreamTap implements StreamTap {
  fault: StreamFault | null = null;
  complete = false;
  suspicious = false;
  contentEvents = 0;

  readonly #options: StreamTapOptions;
  readonly #servedModel: Uint8Array;
  readonly #splitter: SseSplitter;
  readonly #scan: ChunkScan;
  readonly #finish = new FinishLedger();
  readonly #out = new ByteWriter();
  readonly #writer: ChunkWriter;
  /** Kind of the first content; null = none yet. */
  #firstContent: ContentKind | null = null;
  /** `CONTENT` bits seen so far. */
  #content = 0;
  /** Under `holdAll`: the limit was passed, so it commits like first_token (T-9). */
  #overHeld = false;
  #held: HeldChunk[] = [];
  #heldLength = 0;
  #sample: Uint8Array | null = null;
  #usageJson: Uint8Array | null = null;
  #usageChunk: Uint8Array | null = null;
  #usage: Usage | null = null;
  #usageRead = true;

  constructor(options: StreamTapOptions) {
    this.#options = options;
    this.#servedModel = jsonBytes(options.servedModel);
    this.#writer = new ChunkWriter(this.#out, this.#servedModel);
    this.#splitter = new SseSplitter(options.maxEventBytes);
    this.#scan = new ChunkScan('delta', options.includeUsage);
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver()) return;
    this.#splitter.push(chunk);
    this.#pump();
  }

  end(): void {
    if (this.#isOver()) return;
    this.#splitter.finish();
    this.#pump();
    if (this.#isOver()) return;
    // T-5: without `[DONE]` nothing but the finish reasons says that no choice is missing.
    if (this.#finish.allFinished && this.#finish.hasAll(this.#options.n)) {
      this.complete = true;
      this.suspicious = true;
    } else {
      this.#fail({ kind: 'cut' });
    }
  }

  get ready(): ContentKind | null {
    if (this.#options.holdAll && !this.#overHeld)
      return this.complete ? answerKind(this.#content, this.#finish.reasons) : null;
    if (this.#firstContent !== null) return this.#firstContent;
    return this.complete ? answerKind(this.#content, this.#finish.reasons) : null;
  }

  get finished(): boolean {
    return this.#finish.allFinished;
  }

  get finishReasons(): readonly string[] {
    return this.#finish.reasons;
  }

  get heldBytes(): number {
    return this.#out.length + this.#heldLength + this.#splitter.pendingBytes;
  }

  get usage(): Usage | null {
    if (!this.#usageRead && this.#usageJson !== null) {
      this.#usage = readUsage(this.#usageJson);
      this.#usageRead = true;
    }
    return this.#usage;
  }

  drain(): Uint8Array | null {
    return this.#out.length === 0 ? null : this.#out.take();
  }

  tail(report: Uint8Array | null, classic: boolean): Uint8Array {
    if (!this.complete) throw new Error('tail() of a stream that is not complete');
    const out = new ByteWriter();
    out.reserve(this.#heldLength + (report?.length ?? 0) + 1024);
    const parts = {
      held: this.#held,
      usageChunk: this.#usageChunk,
      usage: this.#options.includeUsage ? this.#usageJson : null,
      sample: this.#sample ?? BARE_CHUNK,
      servedModel: this.#servedModel,
      keepUsageKey: this.#options.includeUsage,
    };
    writeTail(out, parts, report, classic);
    return out.take();
  }

  #isOver(): boolean {
    return this.complete || this.fault !== null;
  }

  #pump(): void {
    const splitter = this.#splitter;
    while (!this.#isOver() && splitter.next()) {
      switch (splitter.kind) {
        case 'event':
          this.#event(splitter.data, splitter.start, splitter.end, splitter.name);
          break;
        case 'tail':
          this.#tailEvent(splitter.data, splitter.start, splitter.end, splitter.name);
          break;
        case 'stray':
          this.#stray(splitter.data);
          break;
        case 'broken':
          this.#fail({ kind: 'malformed', message: splitter.reason });
          break;
        case 'cut':
          this.#fail({ kind: 'cut' });
      }
    }
  }

  /** T-5: a tail without blank line is an event if its data is whole. */
  #tailEvent(data: Uint8Array, start: number, end: number, name: string | null): void {
    if (isDone(data, start, end) || isWholeJson(data, start, end)) this.#event(data, start, end, name);
    else this.#fail({ kind: 'cut' });
  }

  #event(data: Uint8Array, start: number, end: number, name: string | null): void {
    if (start === end || name === 'ping') return;
    if (name === 'error') {
      this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
    } else if (isDone(data, start, end)) {
      this.#done();
    } else if (this.#splitter.joined) {
      const line = oneLine(data, start, end);
      this.#chunk(line, 0, line.length);
    } else {
      this.#chunk(data, start, end);
    }
  }

  #chunk(data: Uint8Array, start: number, end: number): void {
    const scan = this.#scan;
    const result = scan.scan(data, start, end);
    if (result < 0) {
      this.#notAChunk(data, start, end, ~result - start);
      return;
    }
    if (scan.failed) {
      this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
      return;
    }
    if (scan.usageStart !== -1) {
      this.#usageJson = copyOf(data, scan.usageStart, scan.usageEnd);
      this.#usageRead = false;
    }
    if (!scan.hasChoices) return;
    const finishedNow = this.#noteChoices();
    if (this.fault !== null) return;
    if (scan.content !== 0) this.#noteContent(scan.content);
    this.#place(data, start, end, finishedNow);
    this.#checkLimits();
  }

  /** True = a choice finished in this chunk. */
  #noteChoices(): boolean {
    const { indexes, finishes, choiceCount } = this.#scan;
    let finishedNow = false;
    for (let i = 0; i < choiceCount; i++) {
      const reason = finishes[i]!;
      if (reason !== null && isBadFinish(reason)) {
        this.#fail({ kind: 'bad_finish', reason });
        return false;
      }
      if (this.#finish.note(indexes[i]!, reason)) finishedNow = true;
    }
    if (this.#finish.size > MAX_CHOICES) this.#fail({ kind: 'malformed', message: `more than ${MAX_CHOICES} choices` });
    return finishedNow;
  }

  #noteContent(bits: number): void {
    this.contentEvents++;
    this.#content |= bits;
    this.#firstContent ??= bits === CONTENT.refusal ? 'refusal' : 'content';
  }

  /** Relays a chunk, holds it for the tail, or keeps only its counts. */
  #place(data: Uint8Array, start: number, end: number, finishedNow: boolean): void {
    const scan = this.#scan;
    const ending = this.#finish.allFinished;
    const countsOnly = scan.usageStart !== -1 && (scan.choiceCount === 0 || (ending && !finishedNow));
    if (countsOnly && scan.content === 0) {
      if (ending) this.#usageChunk = copyOf(data, start, end);
      return;
    }
    if (this.#sample === null && scan.choiceCount > 0) this.#sample = copyOf(data, start, end);
    if (!ending || finishedNow || scan.content !== 0) this.#release(data, start, end);
    if (ending) this.#hold(data, start, end);
    else this.#writer.write(scan, data, end);
  }

  #hold(data: Uint8Array, start: number, end: number): void {
    this.#held.push({ json: copyOf(data, start, end), hasChoices: this.#scan.choiceCount > 0 });
    this.#heldLength += end - start;
  }

  /** What was held was not the end after all: it goes out before the chunk at hand, which is scanned again after it. */
  #release(data: Uint8Array, start: number, end: number): void {
    if (this.#held.length === 0) return;
    for (const { json } of this.#held) {
      this.#scan.scan(json, 0, json.length);
      this.#writer.write(this.#scan, json, json.length);
    }
    this.#held = [];
    this.#heldLength = 0;
    this.#usageChunk = null;
    this.#scan.scan(data, start, end);
  }

  #checkLimits(): void {
    const { holdAll, maxHeldBytes, maxPreludeBytes } = this.#options;
    const length = this.#out.length + this.#heldLength;
    if (this.#heldLength - (this.#held[0]?.json.length ?? 0) > maxPreludeBytes) {
      this.#fail({ kind: 'malformed', message: `more than ${maxPreludeBytes} bytes after the last finish reason` });
    } else if (this.#firstContent === null) {
      const limit = holdAll ? Math.max(maxHeldBytes, maxPreludeBytes) : maxPreludeBytes;
      if (length > limit) this.#fail({ kind: 'malformed', message: `more than ${limit} bytes before any content` });
    } else if (holdAll && length > maxHeldBytes) {
      this.#overHeld = true;
    }
  }

  /** T-5: `[DONE]` after every finish reason is the proper end; without, it is one only for a stream already shown. */
  #done(): void {
    const { holdAll, n } = this.#options;
    const committed = this.#firstContent !== null && (!holdAll || this.#overHeld);
    if (!this.#finish.allFinished && !committed) {
      this.#fail({ kind: 'malformed', message: '[DONE] without finish reason' });
      return;
    }
    this.complete = true;
    this.suspicious = !this.#finish.allFinished || !this.#finish.hasAll(n);
  }

  /** JSON that is no chunk is a keep-alive, unless it is an error in a list; what is no JSON breaks the stream. */
  #notAChunk(data: Uint8Array, start: number, end: number, offset: number): void {
    const first = data[skipSpace(data, start, end)];
    if (first === OPEN_BRACE || !isWholeJson(data, start, end)) {
      this.#fail({ kind: 'malformed', message: `an event can not be read: bad JSON at byte ${offset}` });
    } else if (first === OPEN_BRACKET && isErrorList(JSON.parse(textOf(data, start, end)))) {
      this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
    }
  }

  /** JSON outside of any event: an error, or nothing; but an answer must not get lost there. */
  #stray(json: Uint8Array): void {
    const isObject = json[skipSpace(json, 0, json.length)] === OPEN_BRACE;
    const readable = isObject && this.#scan.scan(json, 0, json.length) === 0;
    const isList = !isObject && isWholeJson(json, 0, json.length) && isErrorList(JSON.parse(textOf(json)));
    if (isList || (readable && this.#scan.failed)) this.#fail({ kind: 'error_event', body: json });
    else if (readable ? this.#scan.hasChoices : isObject) {
      this.#fail({ kind: 'malformed', message: 'JSON outside of any event' });
    }
  }

  /** Nothing of the end is shown once the stream went wrong: a finish reason would pass for success (T-4). */
  #fail(fault: StreamFault): void {
    this.fault = fault;
    this.#held = [];
    this.#heldLength = 0;
  }
}

// Far more than any API gives; a stream that invents choices without end must not fill the memory.
const MAX_CHOICES = 1024;
const LF = 0x0a;
const SPACE = 0x20;
const DONE_WORD = utf8('[DONE]');
const BARE_CHUNK = utf8('{"object":"chat.completion.chunk"}');

function copyOf(bytes: Uint8Array, start: number, end: number): Buffer {
  return Buffer.from(bytes.subarray(start, end));
}

/** JSON that came in several lines, on one: between tokens a line's end is white space, inside a string it stays an error. */
function oneLine(data: Uint8Array, start: number, end: number): Buffer {
  const line = copyOf(data, start, end);
  if (!isWholeJson(line, 0, line.length)) return line;
  for (let i = 0; i < line.length; i++) if (line[i] === LF) line[i] = SPACE;
  return line;
}

function isDone(data: Uint8Array, start: number, end: number): boolean {
  const from = skipSpace(data, start, end);
  for (let i = 0; i < DONE_WORD.length; i++) {
    if (from + i >= end || data[from + i] !== DONE_WORD[i]) return false;
  }
  return skipSpace(data, from + DONE_WORD.length, end) === end;
}

function isErrorList(value: unknown): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : null;
  return typeof first === 'object' && first !== null && Boolean((first as { error?: unknown }).error);
}
