/** Reads an upstream's stream into canonical events. It has no terminator: `end()` says whether it was whole (T-5). */
import { isScanError, scanObject } from '../bytes/body-view.ts';
import { isWholeJson, OPEN_BRACE, OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import { textOf } from '../bytes/text.ts';
import type { CanonicalReader, CanonicalReaderOptions, Opaque } from '../canonical.ts';
import type { StreamFault } from '../contract.ts';
import type { MediaPart } from '../cross/media.ts';
import { clientName } from '../cross/tool-names.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';
import { copyOf, isDone, isErrorList } from '../stream/event-data.ts';
import { readCitations } from './answer-citations.ts';
import { argumentsIn, callPrefix, mediaIn, nameOf, sealedOf, signatureOf } from './answer-parts.ts';
import { blockReason } from './candidates.ts';
import { finishOf } from './canonical-finish.ts';
import { FAILED_FINISH, finishWord } from './finish-words.ts';
import { LastWords } from './last-words.ts';
import { readLogprobs } from './logprobs.ts';
import { MAX_CANDIDATES } from './response.ts';
import { GenerateForm } from './stream-form.ts';
import { usageOf } from './usage.ts';

type Spoken = 'text' | 'reasoning';

interface Choice {
  /** Its open block; −1 = none. */
  block: number;
  kind: Spoken;
  called: boolean;
}

const NO_INPUTS: readonly string[] = [];

export class GenerateReader implements CanonicalReader {
  fault: StreamFault | null = null;
  ending: CanonicalReader['ending'] = 'open';
  readonly #options: CanonicalReaderOptions;
  readonly #form: GenerateForm;
  readonly #choices = new Map<number, Choice>();
  readonly #words = new LastWords();
  #blocked: string | null = null;
  #blocks = 0;
  #calls = 0;
  #prefix: string | null = null;

  constructor(options: CanonicalReaderOptions) {
    this.#options = options;
    this.#form = new GenerateForm(options.maxEventBytes, false);
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
    if (this.#blocked === null && !this.#words.allFinished) this.#fail({ kind: 'cut' });
    else this.#conclude();
  }

  get #isOver(): boolean {
    return this.fault !== null || this.ending !== 'open';
  }

  #conclude(): void {
    if (this.#choices.size === 0) this.#choice(0);
    for (const [index, choice] of this.#choices) {
      this.#close(choice);
      const raw = this.#words.of(index) ?? this.#blocked ?? '';
      const finish = this.#words.of(index) === null ? 'content_filter' : finishOf(raw, choice.called)!;
      this.#options.emit({ type: 'finish', choice: index, finish, raw, stopSequence: null });
    }
    this.ending = 'proper';
  }

  #fail(fault: StreamFault): void {
    this.fault ??= fault;
  }

  #malformed(message: string): void {
    this.#fail({ kind: 'malformed', message });
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

  #event(data: Uint8Array, start: number, end: number, name: string | null): void {
    if (start === end) return;
    if (name === 'error') {
      this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
      return;
    }
    const text = textOf(data, start, end);
    const value = parsed(text);
    const chunk = objectOf(value);
    if (chunk !== null) this.#chunk(chunk, data, start, end);
    else if (isErrorList(data, start, end)) this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
    else if (value === undefined && !isDone(data, start, end)) this.#malformed('an event cannot be read');
  }

  /** JSON outside of any event: an error, or an answer that must not get lost there. */
  #stray(json: Uint8Array): void {
    const start = skipSpace(json, 0, json.length);
    if (json[start] === OPEN_BRACKET) {
      if (isErrorList(json, start, json.length)) this.#fail({ kind: 'error_event', body: json });
    } else if (json[start] === OPEN_BRACE) {
      if (objectOf(parsed(textOf(json)))?.['error']) this.#fail({ kind: 'error_event', body: json });
      else this.#malformed('JSON outside of any event');
    }
  }

  #chunk(chunk: Json, data: Uint8Array, start: number, end: number): void {
    if (chunk['error']) {
      this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
      return;
    }
    this.#prefix ??= callPrefix(chunk['responseId']);
    const candidates = chunk['candidates'] ?? [];
    if (!Array.isArray(candidates)) {
      this.#malformed('an event cannot be read: `candidates` is no list');
      return;
    }
    const failed = failedWord(candidates);
    if (failed !== null) {
      this.#fail({ kind: 'bad_finish', reason: failed });
      return;
    }
    const holdsCalls = candidates.some(isCalling);
    const view = holdsCalls ? scanObject(data, { start: skipSpace(data, start, end), end }) : null;
    if (view !== null && isScanError(view)) {
      this.#malformed(`an event cannot be read: ${view.message}`);
      return;
    }
    const inputs = view === null ? [] : argumentsIn(view);
    for (let at = 0; at < candidates.length && this.fault === null; at++) {
      this.#candidate(objectOf(candidates[at]), at, inputs[at] ?? NO_INPUTS);
    }
    this.#blocked ??= blockReason(chunk['promptFeedback']);
    const counts = objectOf(chunk['usageMetadata']);
    const usage = counts === null ? null : usageOf(counts);
    if (usage !== null && this.fault === null) this.#options.emit({ type: 'usage', usage });
  }

  #candidate(candidate: Json | null, at: number, inputs: readonly string[]): void {
    if (candidate === null) {
      this.#malformed('an event cannot be read: a candidate is no object');
      return;
    }
    const index = typeof candidate['index'] === 'number' ? candidate['index'] : at;
    const choice = this.#choice(index);
    const before = this.#blocks;
    const list = objectOf(candidate['content'])?.['parts'];
    const spoke = Array.isArray(list) && this.#parts(list, index, choice, inputs);
    for (const citation of readCitations(candidate['citationMetadata'])) {
      if (choice.block !== -1) this.#options.emit({ type: 'citation', block: choice.block, citation });
    }
    const value = readLogprobs(candidate['logprobsResult']);
    if (value !== null) this.#options.emit({ type: 'logprobs', choice: index, value });
    this.#words.note(index, finishWord(candidate['finishReason']), spoke || this.#blocks > before);
  }

  /** True = something was said. */
  #parts(list: readonly unknown[], index: number, choice: Choice, inputs: readonly string[]): boolean {
    let spoke = false;
    let calls = 0;
    for (const entry of list) {
      const part = objectOf(entry);
      if (part === null) continue;
      const call = objectOf(part['functionCall']);
      const media = call === null ? mediaIn(part) : null;
      const opaque = signatureOf(part);
      if (call !== null) this.#call(call, index, choice, inputs[calls++] ?? '{}', opaque);
      else if (media !== null) this.#media(media, index, choice);
      else if (!this.#said(part, index, choice, opaque)) continue;
      spoke = true;
    }
    return spoke;
  }

  #said(part: Json, index: number, choice: Choice, opaque: Opaque | null): boolean {
    const { text } = part;
    const kind: Spoken = part['thought'] === true ? 'reasoning' : 'text';
    if (typeof text === 'string' && text !== '') {
      const block = this.#open(index, choice, kind);
      this.#options.emit({ type: 'delta', block, text });
      if (opaque !== null) this.#sign(choice, opaque);
      return true;
    }
    if (opaque === null) return false;
    // Behind a thought it signs the thought; alone it is one that nobody can read.
    if (choice.block !== -1 && choice.kind === 'reasoning') {
      this.#sign(choice, opaque);
      return true;
    }
    this.#open(index, choice, 'reasoning', true);
    this.#sign(choice, sealedOf(opaque));
    return true;
  }

  /** What is signed ends there. */
  #sign(choice: Choice, opaque: Opaque): void {
    this.#options.emit({ type: 'opaque', block: choice.block, opaque: this.#made(opaque) });
    this.#close(choice);
  }

  #made(opaque: Opaque): Opaque {
    return opaque.vendor === null ? { ...opaque, vendor: this.#options.vendor } : opaque;
  }

  #call(call: Json, index: number, choice: Choice, input: string, opaque: Opaque | null): void {
    const name = nameOf(call);
    if (name === null) {
      this.#malformed('a call without a name');
      return;
    }
    this.#close(choice);
    choice.called = true;
    const told = call['id'];
    const id = typeof told === 'string' && told !== '' ? told : `${this.#prefix ?? 'call_'}${this.#calls}`;
    this.#calls++;
    const block = this.#blocks++;
    const { emit, names } = this.#options;
    const what = { type: 'call', id, name: clientName(name, names), form: 'function' } as const;
    emit({ type: 'block-start', block, choice: index, what });
    emit({ type: 'delta', block, text: input });
    if (opaque !== null) emit({ type: 'opaque', block, opaque: this.#made(opaque) });
    emit({ type: 'block-end', block });
  }

  #media(part: MediaPart, index: number, choice: Choice): void {
    this.#close(choice);
    const block = this.#blocks++;
    this.#options.emit({ type: 'block-start', block, choice: index, what: { type: 'media', part } });
    this.#options.emit({ type: 'block-end', block });
  }

  /** The open block of that kind, else a new one. */
  #open(index: number, choice: Choice, kind: Spoken, anew = false): number {
    if (choice.block !== -1 && choice.kind === kind && !anew) return choice.block;
    this.#close(choice);
    choice.block = this.#blocks++;
    choice.kind = kind;
    const what = kind === 'text' ? ({ type: 'text' } as const) : ({ type: 'reasoning', summary: true } as const);
    this.#options.emit({ type: 'block-start', block: choice.block, choice: index, what });
    return choice.block;
  }

  #close(choice: Choice): void {
    if (choice.block === -1) return;
    this.#options.emit({ type: 'block-end', block: choice.block });
    choice.block = -1;
  }

  #choice(index: number): Choice {
    let choice = this.#choices.get(index);
    if (choice === undefined) {
      choice = { block: -1, kind: 'text', called: false };
      this.#choices.set(index, choice);
      if (this.#choices.size > MAX_CANDIDATES) this.#malformed(`more than ${MAX_CANDIDATES} candidates`);
    }
    return choice;
  }
}

/** Undefined = it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The finish reason that says failure (F-6). */
function failedWord(candidates: readonly unknown[]): string | null {
  for (const entry of candidates) {
    const word = finishWord(objectOf(entry)?.['finishReason']);
    if (word !== null && FAILED_FINISH.has(word)) return word;
  }
  return null;
}

function isCalling(entry: unknown): boolean {
  const parts = objectOf(objectOf(entry)?.['content'])?.['parts'];
  return Array.isArray(parts) && parts.some((part) => objectOf(objectOf(part)?.['functionCall']) !== null);
}
