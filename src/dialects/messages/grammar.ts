/** What the events of a Messages stream mean to whoever passes them through (T-1, T-5, T-8, R-2, R-3; dialects §7, §8). */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import { textOf } from '../bytes/text.ts';
import type { ContentKind, ErrorFrame, StreamFault } from '../contract.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';
import { copyOf } from '../stream/event-data.ts';
import { ANSWER, CONTENT, type Grammar, type Look } from '../stream/grammar.ts';
import { REFUSAL, TOOL_USE } from './answer-fault.ts';
import { bytesOfBlock, bytesOfDelta, contentOfBlock, contentOfDelta } from './content.ts';
import { streamError } from './errors.ts';
import { EventOrder, eventOf, malformed, misnamed, saysError } from './event-order.ts';
import { readTextDelta } from './frequent-delta.ts';
import { completed, usageIn } from './message-delta.ts';
import { renamed } from './message-start.ts';
import { writeTail } from './stream-tail.ts';
import { Counters } from './usage.ts';

export class MessagesGrammar implements Grammar {
  readonly #servedModel: string;
  readonly #order = new EventOrder();
  readonly #counters = new Counters();
  readonly #look: Look = { place: 'relay', content: 0, contentBytes: 0, fault: null, terminal: false, written: null };
  #stateIds: string[] = [];
  /** The last event that told the reason: repeated where it went out before the report could be put in. */
  #ending: Uint8Array | null = null;
  /** The counts told last, if that was behind the reason. */
  #lateUsage: Uint8Array | null = null;

  constructor(servedModel: string) {
    this.#servedModel = servedModel;
  }

  get usage(): Usage | null {
    return this.#counters.usage;
  }

  get finished(): boolean {
    return this.#order.stopReason !== null;
  }

  get saysCalls(): boolean {
    return this.#order.stopReason === TOOL_USE;
  }

  get finishReasons(): readonly string[] {
    const { stopReason } = this.#order;
    return stopReason === null ? [] : [stopReason];
  }

  get stateIds(): readonly string[] {
    return this.#stateIds;
  }

  ending(): 'proper' | 'doubtful' | 'cut' {
    return this.#order.ending;
  }

  /** F-5: a refusal is this dialect's normal answer, with or without words; reasoning alone is none. */
  kindAtEnd(content: number): ContentKind {
    if (this.#order.stopReason === REFUSAL) return 'refusal';
    return (content & ANSWER) === 0 ? 'empty' : 'content';
  }

  tail(held: readonly Uint8Array[], report: Uint8Array | null): Uint8Array {
    return writeTail(held, this.#ending, { report, usage: this.#lateUsage });
  }

  interrupt(error: GatewayError, requestId: string): ErrorFrame {
    return streamError(error, requestId);
  }

  look(data: Uint8Array, start: number, end: number, name: string | null): Look {
    const look = this.#look;
    look.place = 'relay';
    look.content = look.contentBytes = 0;
    look.fault = null;
    look.terminal = false;
    look.written = null;
    const order = this.#order;
    const isFrequent = order.blockOpen && (name === 'content_block_delta' || name === null);
    const size = isFrequent ? readTextDelta(data, start, end, order.blocks - 1) : -1;
    if (size > 0) {
      look.content = CONTENT.text;
      look.contentBytes = size;
    } else if (name === 'ping') {
      look.place = 'drop';
    } else if (size < 0) {
      const event = eventOf(textOf(data, start, end));
      look.fault = event === null ? malformed('an event cannot be read') : this.#read(look, event, data, start, end);
      if (event !== null) look.fault ??= misnamed(name, event);
    }
    return look;
  }

  #read(look: Look, event: Json, data: Uint8Array, start: number, end: number): StreamFault | null {
    switch (event['type']) {
      case 'content_block_delta': {
        const delta = objectOf(event['delta']);
        if (delta !== null) {
          look.content = contentOfDelta(delta);
          look.contentBytes = bytesOfDelta(delta);
        }
        return this.#order.delta(event, delta);
      }
      case 'content_block_start': {
        const block = objectOf(event['content_block']);
        if (block !== null) noteBlock(look, block);
        return this.#order.blockStart(event, block);
      }
      case 'content_block_stop':
        return this.#order.blockStop(event);
      case 'message_start':
        return this.#start(look, event, data, start, end);
      case 'message_delta':
        return this.#end(look, event, data, start, end);
      case 'message_stop':
        look.place = 'drop';
        look.terminal = true;
        return this.#order.stop();
      case 'ping':
        look.place = 'drop';
        return null;
      default:
        if (saysError(event)) return { kind: 'error_event', body: copyOf(data, start, end) };
        if (this.finished) look.place = 'join';
        return null;
    }
  }

  #start(look: Look, event: Json, data: Uint8Array, start: number, end: number): StreamFault | null {
    const message = objectOf(event['message']);
    if (message === null) {
      if (saysError(event)) return { kind: 'error_event', body: copyOf(data, start, end) };
      return malformed('message_start without a message');
    }
    this.#counters.note(message['usage'], true);
    this.#noteContainer(message['container']);
    const content = Array.isArray(message['content']) ? (message['content'] as unknown[]) : [];
    for (const block of content) noteBlock(look, objectOf(block) ?? {});
    look.written = renamed(data.subarray(start, end), this.#servedModel);
    return this.#order.start(content.length);
  }

  #end(look: Look, event: Json, data: Uint8Array, start: number, end: number): StreamFault | null {
    const wasFinished = this.finished;
    const fault = this.#order.end(event);
    if (fault !== null) return fault;
    const delta = objectOf(event['delta']);
    this.#counters.note(event['usage']);
    this.#noteContainer(delta?.['container']);
    const json = copyOf(data, start, end);
    const tellsReason = typeof delta?.['stop_reason'] === 'string' && delta['stop_reason'] !== '';
    if (wasFinished && !tellsReason) {
      // Counts behind the reason: clients would take it back. They go into the event that told it.
      this.#lateUsage = usageIn(json) ?? this.#lateUsage;
      look.place = 'drop';
      return null;
    }
    if (delta === null || objectOf(event['usage']) === null) look.written = completed(json);
    if (!tellsReason) return null;
    this.#ending = look.written ?? json;
    this.#lateUsage = null;
    look.place = 'hold';
    return null;
  }

  #noteContainer(container: unknown): void {
    const id = objectOf(container)?.['id'];
    if (typeof id === 'string' && id !== '' && !this.#stateIds.includes(id)) this.#stateIds = [...this.#stateIds, id];
  }
}

function noteBlock(look: Look, block: Json): void {
  look.content |= contentOfBlock(block);
  look.contentBytes += bytesOfBlock(block);
}
