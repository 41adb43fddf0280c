/**
 * A canonical stream as a client of this dialect gets it, in either form. A text goes out piece by piece: a constant prefix,
 * the text as JSON, a constant suffix. Calls have no pieces here: each goes out whole when it ends.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type {
  AnswerIdentity,
  BlockStart,
  CanonicalEvent,
  CanonicalWriter,
  Citation,
  JsonText,
  Opaque,
} from '../canonical.ts';
import type { ClientRequest, ErrorFrame } from '../contract.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { writeCitations } from './answer-citations.ts';
import { callPart, footText, mediaPart, textPart, thoughtPart, wantsThoughts } from './answer-writing.ts';
import { finishWordOf } from './canonical-finish.ts';
import { streamError } from './errors.ts';
import { writeLogprobs } from './logprobs.ts';
import { REPORT_KEY } from './response.ts';
import { FormWriter, isArrayForm } from './stream-form.ts';
import { writeUsage } from './usage.ts';

interface OpenBlock {
  readonly choice: number;
  readonly what: BlockStart;
  /** Around the text of a delta; null = it is kept for the block's end. */
  readonly before: Uint8Array | null;
  /** What is kept: arguments, or a thought nobody asked to read. */
  kept: string;
  opaque: Opaque | undefined;
}

interface Choice {
  refused: boolean;
  /** The dialect's word; null = not finished. */
  finish: string | null;
}

export class GenerateWriter implements CanonicalWriter {
  readonly losses = new AnswerLosses();
  readonly #out: ByteWriter;
  readonly #form: FormWriter;
  readonly #vendor: string;
  readonly #shown: boolean;
  readonly #foot: string;
  /** Around a text's pieces, by choice. */
  readonly #texts = new Map<string, Uint8Array>();
  readonly #behindText: Uint8Array;
  readonly #choices = new Map<number, Choice>();
  readonly #blocks = new Map<number, OpenBlock>();
  #usage: Usage | null = null;
  // The block of the last delta: the next one's, nearly always.
  #lastNumber = -1;
  #last: OpenBlock | null = null;

  constructor(out: ByteWriter, identity: AnswerIdentity, echo: ClientRequest) {
    this.#out = out;
    this.#form = new FormWriter(isArrayForm(echo));
    this.#vendor = identity.vendor;
    this.#shown = wantsThoughts(echo);
    this.#foot = footText(identity);
    this.#behindText = utf8(`}],"role":"model"}}],${this.#foot}}`);
  }

  write(event: CanonicalEvent): void {
    switch (event.type) {
      case 'delta':
        this.#delta(event.block, event.text);
        break;
      case 'block-start':
        this.#start(event.block, event.choice, event.what);
        break;
      case 'block-end':
        this.#end(event.block);
        break;
      case 'opaque':
        this.#opaque(event.block, event.opaque);
        break;
      case 'citation':
        this.#citation(event.block, event.citation);
        break;
      case 'logprobs':
        this.#choice(event.choice);
        this.#chunk(`{"index":${event.choice},"logprobsResult":${JSON.stringify(writeLogprobs(event.value))}}`);
        break;
      case 'finish': {
        const choice = this.#choice(event.choice);
        choice.finish = finishWordOf(event.finish, choice.refused);
        if (event.finish === 'pause') this.losses.drop(`finish reason ${event.raw}`);
        if (event.stopSequence !== null) this.losses.leaveOut('stop sequence');
        break;
      }
      case 'usage':
        this.#usage = event.usage;
    }
  }

  /** One chunk in which every candidate ends, with counts and report. */
  end(report: Uint8Array | null): void {
    const candidates = [...this.#choices].map(([index, { finish }]) => {
      const word = finish === null ? '' : `"finishReason":"${finish}",`;
      return `{"content":{"parts":[{"text":""}],"role":"model"},${word}"index":${index}}`;
    });
    const usage = this.#usage === null ? '' : `"usageMetadata":${JSON.stringify(writeUsage(this.#usage))},`;
    const told = report === null ? '' : `,"${REPORT_KEY}":${textOf(report)}`;
    this.#event(utf8(`{"candidates":[${candidates.join(',')}],${usage}${this.#foot}${told}}`));
    this.#out.write(this.#form.ending);
  }

  interrupt(error: GatewayError, requestId: string): ErrorFrame {
    return this.#form.array ? 'destroy' : streamError(error, requestId);
  }

  #delta(number: number, text: string): void {
    if (number !== this.#lastNumber) {
      this.#lastNumber = number;
      this.#last = this.#blocks.get(number) ?? null;
    }
    const block = this.#last;
    if (block === null) return;
    if (block.before === null) {
      block.kept += text;
      return;
    }
    this.#form.open(this.#out);
    this.#out.write(block.before);
    this.#out.write(utf8(JSON.stringify(text)));
    this.#out.write(this.#behindText);
    this.#form.close(this.#out);
  }

  #start(number: number, index: number, what: BlockStart): void {
    const choice = this.#choice(index);
    if (what.type === 'refusal') choice.refused = true;
    if (what.type === 'media') {
      const part = mediaPart(what.part);
      if (part === null) this.losses.drop(what.part.media);
      else this.#part(index, part);
    }
    this.#blocks.set(number, { choice: index, what, before: this.#before(index, what), kept: '', opaque: undefined });
  }

  #before(index: number, what: BlockStart): Uint8Array | null {
    const isThought = what.type === 'reasoning';
    if ((what.type !== 'text' && what.type !== 'refusal' && !isThought) || (isThought && !this.#shown)) return null;
    const key = `${isThought}${index}`;
    let before = this.#texts.get(key);
    if (before === undefined) {
      before = utf8(
        `{"candidates":[{"index":${index},"content":{"parts":[{${isThought ? '"thought":true,' : ''}"text":`,
      );
      this.#texts.set(key, before);
    }
    return before;
  }

  #end(number: number): void {
    const block = this.#blocks.get(number);
    if (block === undefined) return;
    this.#blocks.delete(number);
    this.#lastNumber = -1;
    const { choice, what, kept, opaque } = block;
    if (what.type === 'call') {
      const { id, name, form } = what;
      this.#part(
        choice,
        callPart({ id, name, form, input: kept, ...(opaque === undefined ? {} : { opaque }) }, this.#vendor),
      );
    } else if (opaque === undefined) {
      if (kept !== '') this.losses.leaveOut('reasoning');
    } else if (what.type === 'reasoning') {
      // What is signed must come back whole, whoever reads it.
      this.#part(choice, thoughtPart(kept, opaque, this.#vendor));
    } else {
      this.#part(choice, textPart('', opaque, this.#vendor));
    }
  }

  /** Kept for the block's end: the last one counts, as for clients that put chunks together. */
  #opaque(number: number, opaque: Opaque): void {
    const block = this.#blocks.get(number);
    if (block !== undefined) block.opaque = opaque;
  }

  #citation(number: number, citation: Citation): void {
    const block = this.#blocks.get(number);
    if (block === undefined) return;
    if (citation.quote !== null) this.losses.leaveOut('quotes of citations');
    const metadata = JSON.stringify(writeCitations([citation]));
    this.#chunk(`{"index":${block.choice},"citationMetadata":${metadata}}`);
  }

  #choice(index: number): Choice {
    let choice = this.#choices.get(index);
    if (choice === undefined) {
      choice = { refused: false, finish: null };
      this.#choices.set(index, choice);
    }
    return choice;
  }

  #part(index: number, part: JsonText): void {
    this.#chunk(`{"content":{"parts":[${part}],"role":"model"},"index":${index}}`);
  }

  #chunk(candidate: JsonText): void {
    this.#event(utf8(`{"candidates":[${candidate}],${this.#foot}}`));
  }

  #event(json: Uint8Array): void {
    this.#form.write(this.#out, json, 0, json.length);
  }
}
