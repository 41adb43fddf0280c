/** Reads one Messages stream of an upstream into canonical events (T-1, T-5, T-10). One `JSON.parse` per event. */
import { decodeString } from '../bytes/body-view.ts';
import { isWholeJson, OPEN_BRACE, skipSpace } from '../bytes/json-grammar.ts';
import { SseSplitter } from '../bytes/sse.ts';
import { textOf } from '../bytes/text.ts';
import type { CanonicalReader, CanonicalReaderOptions } from '../canonical.ts';
import type { StreamFault } from '../contract.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';
import { copyOf, isDone, isErrorList } from '../stream/event-data.ts';
import { MESSAGE_FIELDS } from './answer-fields.ts';
import { EventOrder, eventOf, malformed, misnamed, saysError } from './event-order.ts';
import { readTextDelta } from './frequent-delta.ts';
import { OpenBlock } from './reader-block.ts';
import { finishOf } from './stop-reasons.ts';
import { Counters } from './usage.ts';

export class MessagesReader implements CanonicalReader {
  fault: StreamFault | null = null;
  ending: 'open' | 'proper' | 'doubtful' = 'open';
  readonly losses = new AnswerLosses();
  readonly #options: CanonicalReaderOptions;
  readonly #splitter: SseSplitter;
  readonly #order = new EventOrder();
  readonly #counters = new Counters();
  readonly #block: OpenBlock;
  #stopSequence: string | null = null;

  constructor(options: CanonicalReaderOptions) {
    this.#options = options;
    this.#splitter = new SseSplitter(options.maxEventBytes);
    this.#block = new OpenBlock(options, this.losses);
  }

  get pendingBytes(): number {
    return this.#splitter.pendingBytes + this.#block.pendingBytes;
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#splitter.push(chunk);
    this.#pump();
  }

  end(): void {
    if (this.#isOver) return;
    this.#splitter.finish();
    this.#pump();
    if (this.#isOver) return;
    const { ending } = this.#order;
    if (ending === 'cut') this.fault = { kind: 'cut' };
    else this.#finish(ending);
  }

  get #isOver(): boolean {
    return this.fault !== null || this.ending !== 'open';
  }

  #pump(): void {
    const splitter = this.#splitter;
    while (!this.#isOver && splitter.next()) {
      const { data, start, end, name } = splitter;
      switch (splitter.kind) {
        case 'event':
          this.#event(data, start, end, name);
          break;
        case 'tail':
          if (isDone(data, start, end) || isWholeJson(data, start, end)) this.#event(data, start, end, name);
          else this.fault = { kind: 'cut' };
          break;
        case 'stray':
          this.#stray(data);
          break;
        case 'broken':
          this.fault = malformed(splitter.reason);
          break;
        case 'cut':
          this.fault = { kind: 'cut' };
      }
    }
  }

  #event(data: Uint8Array, start: number, end: number, name: string | null): void {
    if (name === 'content_block_delta' && this.#block.isText && this.#text(data, start, end)) return;
    if (start === end || name === 'ping' || isDone(data, start, end)) return;
    const event = name === 'error' ? null : eventOf(textOf(data, start, end));
    if (name === 'error' || isErrorList(data, start, end) || (event !== null && isError(event))) {
      this.fault = { kind: 'error_event', body: copyOf(data, start, end) };
    } else if (event === null) {
      this.fault = malformed('an event cannot be read');
    } else {
      this.fault = misnamed(name, event) ?? this.#read(event);
    }
  }

  /** The event that nearly all of a stream is made of, read without parsing; false = it is another one. */
  #text(data: Uint8Array, start: number, end: number): boolean {
    const size = readTextDelta(data, start, end, this.#order.blocks - 1);
    if (size > 0) this.#block.text(decodeString(data, end - TEXT_END - size - 1, end - TEXT_END + 1));
    return size >= 0;
  }

  /** JSON outside of any event: an error, or nothing; but an answer must not get lost there. */
  #stray(json: Uint8Array): void {
    const start = skipSpace(json, 0, json.length);
    const event = json[start] === OPEN_BRACE ? eventOf(textOf(json)) : null;
    if (isErrorList(json, start, json.length) || (event !== null && saysError(event))) {
      this.fault = { kind: 'error_event', body: json };
    } else if (json[start] === OPEN_BRACE) {
      this.fault = malformed('JSON outside of any event');
    }
  }

  /** Events of other types mean nothing yet. */
  #read(event: Json): StreamFault | null {
    switch (event['type']) {
      case 'content_block_delta': {
        const delta = objectOf(event['delta']);
        const fault = this.#order.delta(event, delta);
        if (fault === null) this.#block.delta(delta!);
        return fault;
      }
      case 'content_block_start': {
        const block = objectOf(event['content_block']);
        const fault = this.#order.blockStart(event, block);
        if (fault === null) this.#block.start(block!);
        return fault;
      }
      case 'content_block_stop': {
        const fault = this.#order.blockStop(event);
        if (fault === null) this.#block.stop();
        return fault;
      }
      case 'message_start':
        return this.#start(event);
      case 'message_delta':
        return this.#end(event);
      case 'message_stop': {
        const fault = this.#order.stop();
        if (fault === null) this.#finish('proper');
        return fault;
      }
      default:
        return null;
    }
  }

  #start(event: Json): StreamFault | null {
    const message = objectOf(event['message']);
    if (message === null) return malformed('message_start without a message');
    // No upstream opens with content; what did would have to be told before all else.
    const content = message['content'];
    if (Array.isArray(content) && content.length > 0) return malformed('message_start with content');
    const fault = this.#order.start(0);
    if (fault !== null) return fault;
    this.losses.noteObject(message, MESSAGE_FIELDS);
    this.#counters.note(message['usage'], true);
    this.#tellUsage();
    return null;
  }

  #end(event: Json): StreamFault | null {
    const fault = this.#order.end(event);
    if (fault !== null) return fault;
    this.#counters.note(event['usage']);
    this.#tellUsage();
    const delta = objectOf(event['delta']);
    if (delta !== null) this.losses.noteObject(delta, MESSAGE_FIELDS);
    this.losses.noteObject(event, END_FIELDS);
    const sequence = delta?.['stop_sequence'];
    if (typeof sequence === 'string') this.#stopSequence = sequence;
    return null;
  }

  /** Told when nothing can follow it: until then another reason may come. */
  #finish(ending: 'proper' | 'doubtful'): void {
    const raw = this.#order.stopReason ?? '';
    this.#options.emit({ type: 'finish', choice: 0, finish: finishOf(raw), raw, stopSequence: this.#stopSequence });
    this.ending = ending;
  }

  #tellUsage(): void {
    const { usage } = this.#counters;
    if (usage !== null) this.#options.emit({ type: 'usage', usage });
  }
}

const END_FIELDS: ReadonlySet<string> = new Set(['type', 'delta', 'usage']);

/** Behind such an event's text: its quote, and two braces. */
const TEXT_END = 3;

/** A message that carries an error of its own is none. */
function isError(event: Json): boolean {
  return saysError(event) && objectOf(event['message']) === null;
}
