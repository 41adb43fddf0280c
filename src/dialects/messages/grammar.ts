/**
 * What the events of a Messages stream mean to whoever passes them through (T-1, T-5, T-8, R-2, R-3; dialects §7, §8).
 * Order is checked as its clients rely on it: one opening, blocks counted from 0 and closed, a reason before the end.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import { textOf } from '../bytes/text.ts';
import type { ContentKind, ErrorFrame, StreamFault } from '../contract.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';
import { copyOf } from '../stream/event-data.ts';
import { ANSWER, CONTENT, type Grammar, type Look } from '../stream/grammar.ts';
import { REFUSAL } from './answer-fault.ts';
import { bytesOfBlock, bytesOfDelta, contentOfBlock, contentOfDelta } from './content.ts';
import { streamError } from './errors.ts';
import { readTextDelta } from './frequent-delta.ts';
import { JsonBalance } from './json-balance.ts';
import { renamed } from './message-start.ts';
import { writeTail } from './stream-tail.ts';
import { Counters } from './usage.ts';

/** Reasons under which a call's arguments may be half: its maker did not come to the end. */
const MAY_BREAK_OFF: ReadonlySet<string> = new Set(['max_tokens', 'model_context_window_exceeded', REFUSAL]);

export class MessagesGrammar implements Grammar {
  readonly #servedModel: string;
  readonly #counters = new Counters();
  readonly #look: Look = { place: 'relay', content: 0, contentBytes: 0, fault: null, terminal: false, written: null };
  readonly #arguments = new JsonBalance();
  /** A closed call's arguments were half. */
  #brokenCall = false;
  #started = false;
  #blocks = 0;
  #blockOpen = false;
  /** The open block is a call. */
  #inCall = false;
  #stopReason: string | null = null;
  #stopped = false;
  #stateIds: string[] = [];
  /** The last event that told the reason: repeated where it went out before the report could be put in. */
  #ending: Uint8Array | null = null;

  constructor(servedModel: string) {
    this.#servedModel = servedModel;
  }

  get usage(): Usage | null {
    return this.#counters.usage;
  }

  get finished(): boolean {
    return this.#stopReason !== null;
  }

  get finishReasons(): readonly string[] {
    return this.#stopReason === null ? [] : [this.#stopReason];
  }

  get stateIds(): readonly string[] {
    return this.#stateIds;
  }

  ending(): 'proper' | 'doubtful' | 'cut' {
    if (this.#stopReason === null || this.#blockOpen) return 'cut';
    return this.#stopped ? 'proper' : 'doubtful';
  }

  /** F-5: a refusal is this dialect's normal answer, with or without words; reasoning alone is none. */
  kindAtEnd(content: number): ContentKind {
    if (this.#stopReason === REFUSAL) return 'refusal';
    return (content & ANSWER) === 0 ? 'empty' : 'content';
  }

  tail(held: readonly Uint8Array[], report: Uint8Array | null): Uint8Array {
    return writeTail(held, this.#ending, report);
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
    const size = this.#blockOpen && this.#stopReason === null ? readTextDelta(data, start, end, this.#blocks - 1) : -1;
    if (size >= 0) {
      if (size > 0) {
        look.content = CONTENT.text;
        look.contentBytes = size;
      }
    } else if (name === 'ping') {
      look.place = 'drop';
    } else {
      this.#read(look, data, start, end);
    }
    return look;
  }

  #read(look: Look, data: Uint8Array, start: number, end: number): void {
    const event = parse(textOf(data, start, end));
    if (event === null) {
      look.fault = malformed('an event cannot be read');
      return;
    }
    switch (event['type']) {
      case 'content_block_delta':
        look.fault = this.#delta(look, event);
        return;
      case 'content_block_start':
        look.fault = this.#blockStart(look, event);
        return;
      case 'content_block_stop':
        look.fault = this.#blockStop(event);
        return;
      case 'message_start':
        look.fault = this.#start(look, event, data, start, end);
        return;
      case 'message_delta':
        look.fault = this.#end(look, event, data, start, end);
        return;
      case 'message_stop':
        look.fault = this.#stop(look);
        return;
      case 'ping':
        look.place = 'drop';
        return;
      default:
        if (event['type'] === 'error' || isError(event['error'])) {
          look.fault = { kind: 'error_event', body: copyOf(data, start, end) };
        }
        if (this.#stopReason !== null) look.place = 'join';
    }
  }

  #start(look: Look, event: Json, data: Uint8Array, start: number, end: number): StreamFault | null {
    const message = objectOf(event['message']);
    if (message === null) return malformed('message_start without a message');
    if (this.#started) return malformed('a second message_start');
    this.#started = true;
    this.#counters.note(message['usage'], true);
    this.#noteContainer(message['container']);
    const content = Array.isArray(message['content']) ? (message['content'] as unknown[]) : [];
    for (const block of content) this.#noteBlock(look, objectOf(block) ?? {});
    this.#blocks = content.length;
    look.written = renamed(data.subarray(start, end), this.#servedModel);
    return null;
  }

  #blockStart(look: Look, event: Json): StreamFault | null {
    const block = objectOf(event['content_block']);
    if (block === null) return malformed('content_block_start without a block');
    if (!this.#started) return malformed('content before message_start');
    if (this.#stopReason !== null) return malformed('content behind the stop_reason');
    if (this.#blockOpen) return malformed('a block starts inside another one');
    if (event['index'] !== this.#blocks) return malformed('block indexes are not contiguous');
    this.#blocks++;
    this.#blockOpen = true;
    const type = block['type'];
    this.#inCall = type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use';
    this.#arguments.reset();
    this.#noteBlock(look, block);
    return null;
  }

  #delta(look: Look, event: Json): StreamFault | null {
    const delta = objectOf(event['delta']);
    if (delta === null) return malformed('content_block_delta without a delta');
    if (!this.#isOpen(event)) return malformed('a delta for a block that is not open');
    if (this.#inCall && typeof delta['partial_json'] === 'string') this.#arguments.add(delta['partial_json']);
    look.content = contentOfDelta(delta);
    look.contentBytes = bytesOfDelta(delta);
    return null;
  }

  #blockStop(event: Json): StreamFault | null {
    if (!this.#isOpen(event)) return malformed('the end of a block that is not open');
    this.#blockOpen = false;
    if (this.#inCall && !this.#arguments.closed) this.#brokenCall = true;
    return null;
  }

  #isOpen(event: Json): boolean {
    return this.#blockOpen && event['index'] === this.#blocks - 1;
  }

  #end(look: Look, event: Json, data: Uint8Array, start: number, end: number): StreamFault | null {
    if (!this.#started) return malformed('message_delta before message_start');
    const delta = objectOf(event['delta']);
    this.#counters.note(event['usage']);
    this.#noteContainer(delta?.['container']);
    const reason = delta?.['stop_reason'];
    if (typeof reason !== 'string' || reason === '') {
      // Counts behind the reason would take it back if they were told last.
      if (this.#stopReason !== null) look.place = 'join';
      return null;
    }
    if (this.#blockOpen) return malformed('a stop_reason while a block is open');
    if (this.#brokenCall && !MAY_BREAK_OFF.has(reason)) return malformed("a call's arguments broke off");
    this.#stopReason = reason;
    this.#ending = copyOf(data, start, end);
    look.place = 'hold';
    return null;
  }

  #stop(look: Look): StreamFault | null {
    if (this.#stopReason === null) return malformed('message_stop without stop_reason');
    this.#stopped = true;
    look.place = 'drop';
    look.terminal = true;
    return null;
  }

  #noteBlock(look: Look, block: Json): void {
    look.content |= contentOfBlock(block);
    look.contentBytes += bytesOfBlock(block);
  }

  #noteContainer(container: unknown): void {
    const id = objectOf(container)?.['id'];
    if (typeof id === 'string' && id !== '' && !this.#stateIds.includes(id)) this.#stateIds = [...this.#stateIds, id];
  }
}

function malformed(message: string): StreamFault {
  return { kind: 'malformed', message };
}

function isError(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || (typeof value === 'string' && value !== '');
}

/** Null = it is no JSON object. */
function parse(text: string): Json | null {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return null;
  }
}
