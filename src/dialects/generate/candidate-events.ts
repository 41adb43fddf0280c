/** The candidates of a stream as canonical events: which blocks are open, what closes them, why each candidate ended. */
import type { CanonicalReaderOptions, Opaque } from '../canonical.ts';
import type { AnswerLosses } from '../cross/answer-losses.ts';
import type { MediaPart } from '../cross/media.ts';
import { clientName } from '../cross/tool-names.ts';
import { BROKEN_CALL, type Json, objectOf } from '../failure/answer-faults.ts';
import { readCitations } from './answer-citations.ts';
import { noteCandidate, notePart } from './answer-fields.ts';
import { mediaIn, nameOf, sealedOf, signatureOf } from './answer-parts.ts';
import { isBrokenCall } from './candidates.ts';
import { finishOf } from './canonical-finish.ts';
import { finishWord } from './finish-words.ts';
import { LastWords } from './last-words.ts';
import { readLogprobs } from './logprobs.ts';
import { MAX_CANDIDATES } from './response.ts';

type Spoken = 'text' | 'reasoning';

interface Choice {
  readonly index: number;
  /** Its open block; −1 = none. */
  block: number;
  kind: Spoken;
  called: boolean;
}

/** What calls hold that stands in no parsed value: arguments as they were written, and what calls without ids are called. */
export interface CallTexts {
  readonly prefix: string;
  /** By candidate and by place of the call among its parts. */
  readonly inputs: readonly (readonly string[])[];
}

const NO_INPUTS: readonly string[] = [];

export class CandidateEvents {
  readonly #options: CanonicalReaderOptions;
  readonly #losses: AnswerLosses;
  readonly #choices = new Map<number, Choice>();
  readonly #words = new LastWords();
  #blocks = 0;
  #calls = 0;
  #problem: string | null = null;

  constructor(options: CanonicalReaderOptions, losses: AnswerLosses) {
    this.#options = options;
    this.#losses = losses;
  }

  get allFinished(): boolean {
    return this.#words.allFinished;
  }

  /** Tells one chunk's candidates. `calls` null = none of them calls. Null, or what is wrong with them. */
  tell(candidates: readonly unknown[], calls: CallTexts | null): string | null {
    for (let at = 0; at < candidates.length && this.#problem === null; at++) {
      const candidate = objectOf(candidates[at]);
      if (candidate === null) return 'an event cannot be read: a candidate is no object';
      this.#candidate(candidate, at, calls);
    }
    return this.#problem;
  }

  /** `blocked`: why the prompt got no answer, null = it was let pass. Call only where all finished, or it was blocked. */
  conclude(blocked: string | null): void {
    if (this.#choices.size === 0) this.#choice(0);
    for (const choice of this.#choices.values()) {
      this.#close(choice);
      const word = this.#words.of(choice.index);
      const finish = word === null ? 'content_filter' : finishOf(word, choice.called)!;
      const raw = word ?? blocked ?? '';
      this.#options.emit({ type: 'finish', choice: choice.index, finish, raw, stopSequence: null });
    }
  }

  #candidate(candidate: Json, at: number, calls: CallTexts | null): void {
    const { index, content } = candidate;
    const choice = this.#choice(typeof index === 'number' ? index : at);
    const list = objectOf(content)?.['parts'];
    const spoke = Array.isArray(list) && this.#parts(list, choice, at, calls);
    this.#words.note(choice.index, finishWord(candidate['finishReason']), spoke);
    noteCandidate(candidate, this.#losses);
    const { emit } = this.#options;
    if (candidate['citationMetadata'] !== undefined) {
      for (const citation of readCitations(candidate['citationMetadata'])) {
        if (choice.block === -1) this.#losses.drop('citations');
        else emit({ type: 'citation', block: choice.block, citation });
      }
    }
    const value = candidate['logprobsResult'] === undefined ? null : readLogprobs(candidate['logprobsResult']);
    if (value !== null) emit({ type: 'logprobs', choice: choice.index, value });
  }

  /** True = something was said. */
  #parts(list: readonly unknown[], choice: Choice, at: number, calls: CallTexts | null): boolean {
    let spoke = false;
    let called = 0;
    for (const entry of list) {
      const part = objectOf(entry);
      if (part === null) continue;
      notePart(part, this.#losses);
      const { text } = part;
      const opaque = signatureOf(part);
      const call = calls === null ? null : objectOf(part['functionCall']);
      if (call !== null) {
        this.#call(call, choice, (calls!.inputs[at] ?? NO_INPUTS)[called++] ?? '{}', calls!.prefix, opaque);
      } else {
        const media = text === undefined ? mediaIn(part) : null;
        if (media !== null) this.#media(media, choice);
        else if (!this.#said(typeof text === 'string' ? text : '', part['thought'] === true, choice, opaque)) continue;
      }
      spoke = true;
    }
    return spoke;
  }

  #said(text: string, isThought: boolean, choice: Choice, opaque: Opaque | null): boolean {
    if (text !== '') {
      const block = this.#open(choice, isThought ? 'reasoning' : 'text');
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
    this.#close(choice);
    this.#open(choice, 'reasoning');
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

  #call(call: Json, choice: Choice, input: string, prefix: string, opaque: Opaque | null): void {
    const name = nameOf(call);
    if (name === null || isBrokenCall(call)) {
      this.#problem = BROKEN_CALL.message;
      return;
    }
    this.#close(choice);
    choice.called = true;
    const told = call['id'];
    const id = typeof told === 'string' && told !== '' ? told : `${prefix}${this.#calls}`;
    this.#calls++;
    const block = this.#blocks++;
    const { emit, names } = this.#options;
    const what = { type: 'call', id, name: clientName(name, names), form: 'function' } as const;
    emit({ type: 'block-start', block, choice: choice.index, what });
    emit({ type: 'delta', block, text: input });
    if (opaque !== null) emit({ type: 'opaque', block, opaque: this.#made(opaque) });
    emit({ type: 'block-end', block });
  }

  #media(part: MediaPart, choice: Choice): void {
    this.#close(choice);
    const block = this.#blocks++;
    this.#options.emit({ type: 'block-start', block, choice: choice.index, what: { type: 'media', part } });
    this.#options.emit({ type: 'block-end', block });
  }

  /** The open block of that kind, else a new one. */
  #open(choice: Choice, kind: Spoken): number {
    if (choice.block !== -1 && choice.kind === kind) return choice.block;
    this.#close(choice);
    choice.block = this.#blocks++;
    choice.kind = kind;
    const what = kind === 'text' ? ({ type: 'text' } as const) : ({ type: 'reasoning', summary: true } as const);
    this.#options.emit({ type: 'block-start', block: choice.block, choice: choice.index, what });
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
      choice = { index, block: -1, kind: 'text', called: false };
      this.#choices.set(index, choice);
      if (this.#choices.size > MAX_CANDIDATES) this.#problem = `more than ${MAX_CANDIDATES} candidates`;
    }
    return choice;
  }
}
