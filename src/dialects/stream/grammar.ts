/** What a stream of events is to the gateway, whatever its dialect: content, and what becomes of each event. */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import type { ContentKind, ErrorFrame, StreamFault } from '../contract.ts';

/** Bits of content. All of them commit a stream (T-1); `ANSWER` are those that count as an answer (F-5). */
export const CONTENT = { text: 1, refusal: 2, reasoning: 4, call: 8, audio: 16, images: 32, annotations: 64 } as const;
export const ANSWER = CONTENT.text | CONTENT.refusal | CONTENT.call | CONTENT.audio | CONTENT.images;

/** What one whole event is. One object per stream, overwritten: read it at once. */
export interface Look {
  /**
   * `hold`: kept for the tail; whatever is relayed or held later releases what was held before. `join`: kept with what
   * is held, releasing nothing (counts behind the finish); where nothing is held it is relayed.
   */
  place: 'relay' | 'hold' | 'join' | 'drop';
  /** `CONTENT` bits; 0 = nothing a client could show. */
  content: number;
  /** Of text, reasoning and calls. */
  contentBytes: number;
  fault: StreamFault | null;
  /** The proper ending: nothing more will be read. */
  terminal: boolean;
  /** The event's JSON where something in it was exchanged; null = its own bytes pass. */
  written: Uint8Array | null;
}

/** What a tap must know of a dialect to pass its stream through. */
export interface Grammar {
  /**
   * `name`: the event's own; its data, on one line, lies from `start` to `end`. Also asked of JSON that stands outside of
   * any event: a fault in it counts. Never asked of empty data, `[DONE]` and events named `error`.
   */
  look(data: Uint8Array, start: number, end: number, name: string | null): Look;
  /** `[DONE]` came; true = it ends this dialect's streams here. Absent = it says nothing. */
  done?(): boolean;
  /** What it means that the upstream ended here (T-5). */
  ending(): 'proper' | 'doubtful' | 'cut';
  readonly usage: Usage | null;
  readonly finished: boolean;
  readonly finishReasons: readonly string[];
  /** A call is not whole though the ending says so (dialects §8). Absent = such a stream is a fault of its own. */
  readonly hasBrokenCall?: boolean;
  /** Its reason says that calls were made: without any, and without another word, they got lost. Absent = no. */
  readonly saysCalls?: boolean;
  /** Ids of what lives at the upstream account (P-8). */
  readonly stateIds: readonly string[];
  /** What a complete answer is, by all the `CONTENT` bits of it (F-5). */
  kindAtEnd(content: number): ContentKind;
  /** The held end with the report in its place and the terminator. `held`: the JSON of each event, unframed. */
  tail(held: readonly Uint8Array[], report: Uint8Array | null): Uint8Array;
  /** T-4's event. */
  interrupt(error: GatewayError, requestId: string): ErrorFrame;
}
