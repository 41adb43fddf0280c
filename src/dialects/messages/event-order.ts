/**
 * The order of a stream's events as its clients rely on it (dialects §4, §8, §14.9): one opening, blocks counted from 0
 * and closed one by one, a reason before the end, calls whose arguments are whole.
 */
import { JsonProgress } from '../bytes/json-progress.ts';
import type { StreamFault } from '../contract.ts';
import { BROKEN_CALL, type Json, objectOf } from '../failure/answer-faults.ts';
import { REFUSAL } from './answer-fault.ts';

/** Reasons under which a call's arguments may be half: its maker did not come to the end. */
const MAY_BREAK_OFF: ReadonlySet<string> = new Set(['max_tokens', 'model_context_window_exceeded', REFUSAL]);
const CALLS: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);

/** What calls look like, whole or as they start: some tell their arguments there. Others would be run with none. */
export function isReadableCall({ name, input }: Json): boolean {
  return typeof name === 'string' && name !== '' && (input === undefined || input === null || objectOf(input) !== null);
}

/** Whether each call of a whole answer that ended for this reason can be read. */
export function areCallsReadable(blocks: readonly Json[], reason: string): boolean {
  return MAY_BREAK_OFF.has(reason) || blocks.every((block) => !CALLS.has(block['type']) || isReadableCall(block));
}

/** Every method takes an event of its kind and gives what is wrong with it; null = nothing. */
export class EventOrder {
  /** Blocks started so far; the open one is the last of them. */
  blocks = 0;
  blockOpen = false;
  stopReason: string | null = null;
  stopped = false;
  #started = false;
  /** The arguments of the open block; null = it is no call. */
  #arguments: JsonProgress | null = null;
  /** A closed call's arguments were no JSON. */
  #brokenCall = false;

  /** `blocks`: those the opening itself holds. */
  start(blocks: number): StreamFault | null {
    if (this.#started) return malformed('a second message_start');
    this.#started = true;
    this.blocks = blocks;
    return null;
  }

  blockStart(event: Json, block: Json | null): StreamFault | null {
    if (block === null) return malformed('content_block_start without a block');
    if (!this.#started) return malformed('content before message_start');
    if (this.stopReason !== null) return malformed('content behind the stop_reason');
    if (this.blockOpen) return malformed('a block starts inside another one');
    if (event['index'] !== this.blocks) return malformed('block indexes are not contiguous');
    const isCall = CALLS.has(block['type']);
    if (isCall && !isReadableCall(block)) return malformed(BROKEN_CALL.message);
    this.blocks++;
    this.blockOpen = true;
    this.#arguments = isCall ? new JsonProgress() : null;
    return null;
  }

  delta(event: Json, delta: Json | null): StreamFault | null {
    if (delta === null) return malformed('content_block_delta without a delta');
    if (!this.#isOpen(event)) return malformed('a delta for a block that is not open');
    if (typeof delta['partial_json'] === 'string') this.#arguments?.add(delta['partial_json']);
    return null;
  }

  blockStop(event: Json): StreamFault | null {
    if (!this.#isOpen(event)) return malformed('the end of a block that is not open');
    this.blockOpen = false;
    if (this.#arguments?.isWhole === false) this.#brokenCall = true;
    return null;
  }

  /** A `message_delta`: with a reason it is the end, without one it only counts. */
  end(event: Json): StreamFault | null {
    if (!this.#started) return malformed('message_delta before message_start');
    const reason = objectOf(event['delta'])?.['stop_reason'];
    if (typeof reason !== 'string' || reason === '') return null;
    if (this.blockOpen) return malformed('a stop_reason while a block is open');
    if (this.#brokenCall && !MAY_BREAK_OFF.has(reason)) return malformed(BROKEN_CALL.message);
    this.stopReason = reason;
    return null;
  }

  stop(): StreamFault | null {
    if (this.stopReason === null) return malformed('message_stop without stop_reason');
    this.stopped = true;
    return null;
  }

  /** What it means that the stream ended here (T-5). */
  get ending(): 'proper' | 'doubtful' | 'cut' {
    if (this.stopReason === null || this.blockOpen) return 'cut';
    return this.stopped ? 'proper' : 'doubtful';
  }

  #isOpen(event: Json): boolean {
    return this.blockOpen && event['index'] === this.blocks - 1;
  }
}

const KNOWN: ReadonlySet<unknown> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);

/** Some clients go by an event's name, some by its type: where the two differ one of them would pass over it. */
export function misnamed(name: string | null, { type }: Json): StreamFault | null {
  if (name === type || (name === null && typeof type === 'string')) return null;
  return KNOWN.has(name) || KNOWN.has(type) ? malformed('the name of an event is not its type') : null;
}

export function malformed(message: string): StreamFault {
  return { kind: 'malformed', message };
}

/** The JSON object an event holds; null = it holds none. */
export function eventOf(text: string): Json | null {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/** An event that says the stream has failed, under whatever name it came. */
export function saysError(event: Json): boolean {
  const error = event['error'];
  return (
    event['type'] === 'error' ||
    (typeof error === 'object' ? error !== null : typeof error === 'string' && error !== '')
  );
}
