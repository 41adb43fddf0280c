/** Reads one Converse stream: binary frames, each an event or the exception that ends it (dialects §6). */

import { textOf, utf8 } from '../bytes/text.ts';
import type { CanonicalReader, CanonicalReaderOptions } from '../canonical.ts';
import type { StreamFault } from '../contract.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';
import { ANSWER_FIELDS } from './answer-fields.ts';
import { Blocks } from './blocks.ts';
import type { FrameHead } from './frame-headers.ts';
import { FrameReader } from './frames.ts';
import { FAILED_STOPS, finishOf } from './stop-reasons.ts';
import { readUsage } from './usage.ts';

export class ConverseReader implements CanonicalReader {
  fault: StreamFault | null = null;
  ending: 'open' | 'proper' | 'doubtful' = 'open';
  readonly losses = new AnswerLosses();
  readonly #options: CanonicalReaderOptions;
  readonly #frames: FrameReader;
  readonly #blocks: Blocks;
  /** `messageStop` came, with its reason; what is still missing is the usage. */
  #stopped = false;

  constructor(options: CanonicalReaderOptions) {
    this.#options = options;
    this.#blocks = new Blocks(options, this.losses);
    this.#frames = new FrameReader(options.maxEventBytes, (head, payload) => this.#onFrame(head, payload));
  }

  get pendingBytes(): number {
    return this.#frames.pendingBytes;
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#frames.push(chunk);
    if (this.#isOver || this.#frames.fault === null) return;
    // A broken frame is like a broken connection: what it would have said is lost (dialects §8).
    this.fault =
      this.#frames.fault === 'damaged'
        ? { kind: 'cut' }
        : { kind: 'malformed', message: `an event of more than ${this.#options.maxEventBytes} bytes` };
  }

  /** The usage comes behind the end of the message; without it the answer is whole, and its usage unknown (T-5). */
  end(): void {
    if (this.#isOver) return;
    if (!this.#stopped) this.fault = { kind: 'cut' };
    else this.ending = this.#frames.pendingBytes === 0 ? 'proper' : 'doubtful';
  }

  get #isOver(): boolean {
    return this.fault !== null || this.ending !== 'open';
  }

  #onFrame(head: FrameHead, payload: Uint8Array): void {
    if (this.#isOver) return;
    const told = parsed(payload);
    if (head.kind === 'exception' || head.kind === 'error') {
      this.fault = { kind: 'error_event', body: utf8(exceptionText(head, told, payload)) };
      return;
    }
    const wrong = told === null ? `the event ${head.name} is no JSON object` : this.#onEvent(head.name, told);
    if (wrong !== null) this.fault = { kind: 'malformed', message: wrong };
  }

  /** Events of other names mean nothing yet. */
  #onEvent(name: string, event: Json): string | null {
    switch (name) {
      case 'contentBlockDelta':
      case 'contentBlockStart':
      case 'contentBlockStop':
        return this.#onBlock(name, event);
      case 'messageStop':
        return this.#onStop(event['stopReason']);
      case 'metadata':
        this.#onMetadata(event);
        return null;
      default:
        return null;
    }
  }

  #onBlock(name: string, event: Json): string | null {
    if (this.#stopped) return `${name} after the end of the message`;
    const index = event['contentBlockIndex'];
    if (typeof index !== 'number') return `${name} without its block's index`;
    if (name === 'contentBlockStop') {
      this.#blocks.stop(index);
      return null;
    }
    const isDelta = name === 'contentBlockDelta';
    const what = objectOf(event[isDelta ? 'delta' : 'start']);
    if (what === null) return `${name} without anything in it`;
    return isDelta ? this.#blocks.delta(index, what) : this.#blocks.start(index, what);
  }

  /** Without a reason the message has not ended: what follows cannot make it whole. */
  #onStop(reason: unknown): string | null {
    if (this.#stopped) return 'the message ends twice';
    if (typeof reason !== 'string' || reason === '') return null;
    if (FAILED_STOPS.has(reason)) {
      this.fault = { kind: 'bad_finish', reason };
      return null;
    }
    this.#stopped = true;
    this.#blocks.stopWords();
    const finish = finishOf(reason, this.#blocks.called);
    this.#options.emit({ type: 'finish', choice: 0, finish, raw: reason, stopSequence: null });
    return null;
  }

  #onMetadata(event: Json): void {
    this.losses.noteObject(event, ANSWER_FIELDS);
    const told = objectOf(event['usage']);
    const usage = told === null ? null : readUsage(told);
    if (usage !== null) this.#options.emit({ type: 'usage', usage });
    if (this.#stopped) this.ending = 'proper';
  }
}

function parsed(payload: Uint8Array): Json | null {
  try {
    return objectOf(JSON.parse(textOf(payload)));
  } catch {
    return null;
  }
}

/** The exception as its own HTTP answer would tell it. */
function exceptionText({ name, message }: FrameHead, told: Json | null, payload: Uint8Array): string {
  const says = told ?? { message: message === '' ? textOf(payload) : message };
  return JSON.stringify({ __type: name === '' ? 'error' : name, ...says });
}
