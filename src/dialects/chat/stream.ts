/**
 * Watches one upstream chat stream and makes the client's bytes of it (T-1, T-5, T-7 to T-10, F-5, F-6, R-2, R-3).
 *
 * Every relayed event is written at once into one output buffer: before the commit it stays there, afterwards `drain()`
 * takes it. Comments, pings, empty events and JSON without `choices` are upstream keep-alives and are not relayed: the
 * gateway sends its own. An event comes out as one `data:` line, its JSON byte for byte but for `model` and `usage`.
 */
import type { Usage } from '../../core/usage/usage.ts';
import { isWholeJson, OPEN_BRACE, skipSpace } from '../bytes/json-grammar.ts';
import { SseSplitter } from '../bytes/sse.ts';
import { jsonBytes } from '../bytes/text.ts';
import type { ContentKind, StreamFault, StreamTap, StreamTapOptions } from '../contract.ts';
import { saysCallsAreWhole } from '../cross/call-check.ts';
import { copyOf, isDone, isErrorList, oneLine } from '../stream/event-data.ts';
import { HeldStream } from '../stream/held-stream.ts';
import { FAILED_FINISH } from './answer-fault.ts';
import { CallLedger } from './call-ledger.ts';
import { finishOf, saysCalls } from './canonical-finish.ts';
import { ChunkScan } from './chunk-scan.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { FinishLedger } from './finish.ts';
import { HeldEnd } from './held-end.ts';
import { withDeltas, withIndexes } from './message-chunk.ts';
import { WORDS_MISPLACED } from './misplaced-words.ts';
import { answerKind } from './response.ts';

export class ChatStreamTap extends HeldStream implements StreamTap {
  readonly #splitter: SseSplitter;
  readonly #scan: ChunkScan;
  readonly #finish = new FinishLedger();
  readonly #writer: ChunkWriter;
  readonly #held: HeldEnd;
  /** Null = none came. */
  #calls: CallLedger | null = null;

  constructor(options: StreamTapOptions) {
    super(options);
    const servedModel = jsonBytes(options.servedModel);
    this.#writer = new ChunkWriter(this.out, servedModel);
    this.#held = new HeldEnd(servedModel, options.includeUsage);
    this.#splitter = new SseSplitter(options.maxEventBytes);
    this.#scan = new ChunkScan('delta', options.includeUsage);
  }

  push(chunk: Uint8Array): void {
    if (this.isOver) return;
    this.#splitter.push(chunk);
    this.out.expect(chunk.length + OUTPUT_ROOM);
    this.#pump();
  }

  end(): void {
    if (this.isOver) return;
    this.#splitter.finish();
    this.#pump();
    if (this.isOver) return;
    // T-5: without `[DONE]` nothing but the finish reasons says that no choice is missing.
    if (this.#finish.allFinished && this.#finish.hasAll(this.options.n)) {
      this.conclude(true, this.#hasBrokenCall());
    } else {
      this.fail({ kind: 'cut' });
    }
  }

  get finished(): boolean {
    return this.#finish.allFinished && !this.#hasBrokenCall();
  }

  get finishReasons(): readonly string[] {
    return this.#finish.reasons;
  }

  get heldBytes(): number {
    return this.out.length + this.#held.length + this.#splitter.pendingBytes;
  }

  get usage(): Usage | null {
    return this.#held.usage;
  }

  tail(report: Uint8Array | null, classic: boolean): Uint8Array {
    if (!this.complete) throw new Error('tail() of a stream that is not complete');
    return this.#held.write(report, classic);
  }

  protected override kindAtEnd(content: number): ContentKind {
    return answerKind(content, this.#finish.reasons);
  }

  #pump(): void {
    const splitter = this.#splitter;
    while (!this.isOver && splitter.next()) {
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
          this.fail({ kind: 'malformed', message: splitter.reason });
          break;
        case 'cut':
          this.fail({ kind: 'cut' });
      }
    }
  }

  /** T-5: a tail without blank line is an event if its data is whole. */
  #tailEvent(data: Uint8Array, start: number, end: number, name: string | null): void {
    if (isDone(data, start, end) || isWholeJson(data, start, end)) this.#event(data, start, end, name);
    else this.fail({ kind: 'cut' });
  }

  #event(data: Uint8Array, start: number, end: number, name: string | null): void {
    if (start === end || name === 'ping') return;
    if (name === 'error') {
      this.fail({ kind: 'error_event', body: copyOf(data, start, end) });
    } else if (isDone(data, start, end)) {
      this.#done();
    } else if (this.#splitter.joined) {
      const line = oneLine(data, start, end);
      this.#chunk(line, 0, line.length);
    } else {
      this.#chunk(data, start, end);
    }
  }

  /** `noted`: its calls were. */
  #chunk(data: Uint8Array, start: number, end: number, noted = false): void {
    const scan = this.#scan;
    const result = scan.scan(data, start, end);
    if (result < 0) {
      this.#notAChunk(data, start, end, ~result - start);
      return;
    }
    if (scan.failed) {
      this.fail({ kind: 'error_event', body: copyOf(data, start, end) });
      return;
    }
    if (scan.usageStart !== -1) {
      this.#held.noteUsage(copyOf(data, scan.usageStart, scan.usageEnd));
    }
    if (!scan.hasChoices) return;
    if (scan.misplaced && this.#message(data, start, end)) return;
    if (scan.calls.count > 0 && !noted) {
      this.#calls ??= new CallLedger();
      this.#calls.note(scan.calls, data, scan.indexes);
      if (scan.calls.lacksIndex) {
        const chunk = withIndexes(data, start, end, scan.calls);
        this.#chunk(chunk, 0, chunk.length, true);
        return;
      }
    }
    const finishedNow = this.#noteChoices();
    if (this.fault !== null) return;
    if (scan.content !== 0) this.noteContent(scan.content, scan.contentBytes);
    this.#place(data, start, end, finishedNow);
    this.checkLimits(this.#held.length, this.#held.lengthBeyondFirst);
  }

  /** A chunk that says something beside its deltas; true = it was read as clients will, or cannot be. */
  #message(data: Uint8Array, start: number, end: number): boolean {
    const told = (index: number): boolean => this.contentEvents > 0 && this.#finish.has(index);
    const chunk = withDeltas(data, start, end, told);
    if (chunk === null) return false;
    if (chunk === 'unreadable') this.fail({ kind: 'malformed', message: WORDS_MISPLACED });
    else this.#chunk(chunk, 0, chunk.length);
    return true;
  }

  /** True = a choice finished in this chunk. */
  #noteChoices(): boolean {
    const { indexes, finishes, choiceCount } = this.#scan;
    let finishedNow = false;
    for (let i = 0; i < choiceCount; i++) {
      const reason = finishes[i]!;
      if (reason !== null && FAILED_FINISH.has(reason)) {
        this.fail({ kind: 'bad_finish', reason });
        return false;
      }
      if (this.#finish.note(indexes[i]!, reason)) finishedNow = true;
    }
    if (this.#finish.size > MAX_CHOICES) this.fail({ kind: 'malformed', message: `more than ${MAX_CHOICES} choices` });
    return finishedNow;
  }

  /** Relays a chunk, holds it for the tail, or keeps only its counts. */
  #place(data: Uint8Array, start: number, end: number, finishedNow: boolean): void {
    const scan = this.#scan;
    const ending = this.#finish.allFinished;
    const countsOnly = scan.usageStart !== -1 && (scan.choiceCount === 0 || (ending && !finishedNow));
    if (countsOnly && scan.content === 0) {
      if (ending) this.#held.noteUsageChunk(copyOf(data, start, end));
      return;
    }
    if (scan.choiceCount > 0 && this.#held.wantsSample(end - start)) this.#held.noteSample(copyOf(data, start, end));
    if (!ending || finishedNow || scan.content !== 0) this.#release(data, start, end);
    if (ending) this.#held.hold(copyOf(data, start, end), scan.choiceCount > 0);
    else this.#writer.write(scan, data, end);
  }

  /** What was held was not the end after all: it goes out before the chunk at hand, which is scanned again after it. */
  #release(data: Uint8Array, start: number, end: number): void {
    if (this.#held.length === 0) return;
    for (const json of this.#held.release()) {
      this.#scan.scan(json, 0, json.length);
      this.#writer.write(this.#scan, json, json.length);
    }
    this.#scan.scan(data, start, end);
  }

  /** T-5: `[DONE]` after every finish reason is the proper end; without, it is one only for a stream already shown. */
  #done(): void {
    if (!this.#finish.allFinished && this.shown === null) {
      this.fail({ kind: 'malformed', message: '[DONE] without finish reason' });
      return;
    }
    const isDoubtful = !this.#finish.allFinished || !this.#finish.hasAll(this.options.n);
    this.conclude(isDoubtful, this.#hasBrokenCall());
  }

  /** A call that its ending says to be whole, and is not (dialects §8). */
  #hasBrokenCall(): boolean {
    // Those it speaks of got lost.
    if (this.saysNothing && this.#finish.reasons.some(saysCalls)) return true;
    if (this.#calls === null) return false;
    for (const [index, reason] of this.#finish.finished) {
      const finish = finishOf(reason);
      if (finish !== null && saysCallsAreWhole(finish) && !this.#calls.isWhole(index)) return true;
    }
    return false;
  }

  /** JSON that is no chunk is a keep-alive, unless it is an error in a list; what is no JSON breaks the stream. */
  #notAChunk(data: Uint8Array, start: number, end: number, offset: number): void {
    if (data[skipSpace(data, start, end)] === OPEN_BRACE || !isWholeJson(data, start, end)) {
      this.fail({ kind: 'malformed', message: `an event cannot be read: bad JSON at byte ${offset}` });
    } else if (isErrorList(data, start, end)) {
      this.fail({ kind: 'error_event', body: copyOf(data, start, end) });
    }
  }

  /** JSON outside of any event: an error, or nothing; but an answer must not get lost there. */
  #stray(json: Uint8Array): void {
    const isObject = json[skipSpace(json, 0, json.length)] === OPEN_BRACE;
    const readable = isObject && this.#scan.scan(json, 0, json.length) === 0;
    if (readable ? this.#scan.failed : isErrorList(json, 0, json.length))
      this.fail({ kind: 'error_event', body: json });
    else if (readable ? this.#scan.hasChoices : isObject) {
      this.fail({ kind: 'malformed', message: 'JSON outside of any event' });
    }
  }

  /** Nothing of the end is shown once the stream went wrong: a finish reason would pass for success (T-4). */
  protected override fail(fault: StreamFault): void {
    super.fail(fault);
    this.#held.release();
  }
}

// Far more than any API gives; a stream that invents choices without end must not fill the memory.
const MAX_CHOICES = 1024;
// What a read's events grow by: a longer model name in each, the part of an event that came earlier.
const OUTPUT_ROOM = 128;
