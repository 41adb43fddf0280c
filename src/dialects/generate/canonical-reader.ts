/** Reads an upstream's stream into canonical events. It has no terminator: `end()` says whether it was whole (T-5). */
import { type BodyView, isScanError, readString, scanObject } from '../bytes/body-view.ts';
import { isWholeJson, OPEN_BRACE, OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import type { CanonicalReader, CanonicalReaderOptions } from '../canonical.ts';
import type { StreamFault } from '../contract.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { objectOf } from '../failure/answer-faults.ts';
import { copyOf, isDone, isErrorList } from '../stream/event-data.ts';
import { argumentsIn, callPrefix } from './answer-parts.ts';
import { type CallTexts, CandidateEvents } from './candidate-events.ts';
import { blockReason } from './candidates.ts';
import { ChunkScan } from './chunk-scan.ts';
import { FAILED_FINISH, finishWord } from './finish-words.ts';
import { LatestUsage } from './latest-usage.ts';
import { GenerateForm } from './stream-form.ts';

export class GenerateReader implements CanonicalReader {
  readonly losses = new AnswerLosses();
  fault: StreamFault | null = null;
  ending: CanonicalReader['ending'] = 'open';
  readonly #options: CanonicalReaderOptions;
  readonly #form: GenerateForm;
  readonly #scan = new ChunkScan();
  readonly #candidates: CandidateEvents;
  readonly #counts = new LatestUsage();
  #counted = false;
  #blocked: string | null = null;
  #prefix: string | null = null;

  constructor(options: CanonicalReaderOptions) {
    this.#options = options;
    this.#form = new GenerateForm(options.maxEventBytes, false);
    this.#candidates = new CandidateEvents(options, this.losses);
  }

  get pendingBytes(): number {
    return this.#form.source.pendingBytes;
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#form.source.push(chunk);
    this.#pump();
  }

  end(): void {
    if (this.#isOver) return;
    this.#form.source.finish();
    this.#pump();
    if (this.#isOver) return;
    if (this.#blocked === null && !this.#candidates.allFinished) {
      this.#fail({ kind: 'cut' });
      return;
    }
    this.#candidates.conclude(this.#blocked);
    this.#tellUsage();
    this.ending = 'proper';
  }

  get #isOver(): boolean {
    return this.fault !== null || this.ending !== 'open';
  }

  #fail(fault: StreamFault): void {
    if (this.fault !== null) return;
    this.#tellUsage();
    this.fault = fault;
  }

  #malformed(message: string): void {
    this.#fail({ kind: 'malformed', message });
  }

  /** Counts come with every chunk and only grow: the first says what the prompt has, the last what all of it has. */
  #tellUsage(): void {
    const { usage } = this.#counts;
    if (usage !== null) this.#options.emit({ type: 'usage', usage });
  }

  #pump(): void {
    const { source } = this.#form;
    while (this.fault === null && source.next()) {
      const { kind, data, start, end } = source;
      switch (kind) {
        case 'event':
          this.#event(data, start, end, source.name);
          break;
        case 'tail':
          if (isDone(data, start, end) || isWholeJson(data, start, end)) this.#event(data, start, end, source.name);
          else this.#fail({ kind: 'cut' });
          break;
        case 'stray':
          this.#stray(data);
          break;
        case 'broken':
          this.#malformed(source.reason);
          break;
        case 'cut':
          this.#fail({ kind: 'cut' });
      }
    }
  }

  /** JSON that is no object is a keep-alive, unless it is an error in a list; what is no JSON breaks the stream. */
  #event(data: Uint8Array, start: number, end: number, name: string | null): void {
    if (start === end) return;
    if (name === 'error') {
      this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
      return;
    }
    const result = this.#scan.scan(data, start, end);
    if (result >= 0) this.#chunk(data, start, end);
    else if (isErrorList(data, start, end)) this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
    else if (data[skipSpace(data, start, end)] === OPEN_BRACE || !isHarmless(data, start, end)) {
      this.#malformed(`an event cannot be read: bad JSON at byte ${~result - start}`);
    }
  }

  /** JSON outside of any event: an error, or an answer that must not get lost there. */
  #stray(json: Uint8Array): void {
    const start = skipSpace(json, 0, json.length);
    if (json[start] === OPEN_BRACKET) {
      if (isErrorList(json, start, json.length)) this.#fail({ kind: 'error_event', body: json });
    } else if (json[start] === OPEN_BRACE) {
      const readable = this.#scan.scan(json, 0, json.length) >= 0;
      if (readable && this.#scan.failed) this.#fail({ kind: 'error_event', body: json });
      else this.#malformed('JSON outside of any event');
    }
  }

  #chunk(data: Uint8Array, start: number, end: number): void {
    const scan = this.#scan;
    if (scan.failed) {
      this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
      return;
    }
    const { candidates, feedback, usage } = scan;
    if (usage.present) this.#counts.note(data, usage.start, usage.end);
    if (candidates.present) this.#tell(JSON.parse(candidates.text(data)), data, start, end);
    if (feedback.present) this.#blocked ??= blockReason(JSON.parse(feedback.text(data)));
    if (!this.#counted && usage.present && this.fault === null) {
      this.#counted = true;
      this.#tellUsage();
    }
  }

  #tell(candidates: unknown, data: Uint8Array, start: number, end: number): void {
    if (candidates === null) return;
    if (!Array.isArray(candidates)) {
      this.#malformed('an event cannot be read: `candidates` is no list');
      return;
    }
    const failed = failedWord(candidates);
    if (failed !== null) {
      this.#fail({ kind: 'bad_finish', reason: failed });
      return;
    }
    const problem = this.#candidates.tell(
      candidates,
      holdsCalls(candidates) ? this.#callTexts(data, start, end) : null,
    );
    if (problem !== null) this.#malformed(problem);
  }

  /** Only where there are calls: their arguments are read once more, as they were written. */
  #callTexts(data: Uint8Array, start: number, end: number): CallTexts {
    const view = viewOf(data, skipSpace(data, start, end), end);
    this.#prefix ??= callPrefix(readString(view, 'responseId'));
    return { prefix: this.#prefix, inputs: argumentsIn(view) };
  }
}

/** What has been scanned already. */
function viewOf(data: Uint8Array, start: number, end: number): BodyView {
  const view = scanObject(data, { start, end });
  if (isScanError(view)) throw new Error(`a scanned chunk can not be read: ${view.message}`);
  return view;
}

function isHarmless(data: Uint8Array, start: number, end: number): boolean {
  return isDone(data, start, end) || isWholeJson(data, start, end);
}

/** The finish reason that says failure (F-6). */
function failedWord(candidates: readonly unknown[]): string | null {
  for (const entry of candidates) {
    const word = finishWord(objectOf(entry)?.['finishReason']);
    if (word !== null && FAILED_FINISH.has(word)) return word;
  }
  return null;
}

function holdsCalls(candidates: readonly unknown[]): boolean {
  for (const entry of candidates) {
    const parts = objectOf(objectOf(entry)?.['content'])?.['parts'];
    if (!Array.isArray(parts)) continue;
    for (const part of parts) if (objectOf(part)?.['functionCall'] !== undefined) return true;
  }
  return false;
}
