/** How a call is answered, short of naming bytes: what ready-made model names and the X-Sim header come down to. */
import type { End, SocketFault, Split } from '../script/step.ts';

/** What a healthy answer holds. */
export type Content =
  | 'text'
  | 'echo'
  | 'tools'
  | 'json'
  | 'empty'
  | 'length'
  | 'reasoning'
  /** Reasoning that only its maker can read. */
  | 'sealed'
  | 'refusal'
  | 'filter';

/** Content-encoding of the answer; `lying` announces gzip and sends plain text. */
export type Encoding = 'gzip' | 'br' | 'deflate' | 'lying';

/** Faults that have a meaning beside their status. */
export type NamedFault = 'too-long' | 'no-credit';

export interface Behaviour {
  readonly content?: Content;
  /** Words of a text answer. */
  readonly words?: number;
  /** Any status but 2xx answers with an error body fit for it. */
  readonly status?: number;
  /** What a failing `status` is about. Each dialect has words for it, and perhaps another status. */
  readonly fault?: NamedFault;
  /** Seconds, sent as `retry-after`. */
  readonly retryAfterS?: number;
  /** Replaces the body. */
  readonly body?: string;
  /** Before the answer's first byte. */
  readonly delayMs?: number;
  /** Between the opening and the first content; without a stream before the first byte. */
  readonly firstTokenMs?: number;
  /** Before each further piece: the slow drip. */
  readonly gapMs?: number;
  /** The answer ends, as `end` says, after so many events (the opening, then a piece of content each); without a stream after half the body. */
  readonly cutAfter?: number;
  readonly end?: End;
  readonly socket?: SocketFault | 'reset' | 'not_http';
  readonly encoding?: Encoding;
  readonly split?: Split;
  readonly lineEnd?: '\r\n' | '\r';
  /** Comments before the opening, as routers send them while they wait. */
  readonly comments?: boolean;
  /** An error object under 200; in a stream as an event after so many others. */
  readonly errorAfter?: number;
  /** The status whose meaning that error has. Absent = the model broke down. */
  readonly errorStatus?: number;
  /** Bytes that are no answer, under 200; in a stream after so many events. */
  readonly garbageAfter?: number;
  /** An HTML page under 200. */
  readonly html?: boolean;
  /** Leaves out what says that the stream is over (`[DONE]`), or its finish reasons. */
  readonly without?: 'done' | 'finish';
  /** Drawn anew for each call. */
  readonly random?: Readonly<Record<string, number>>;
}

/** The behaviour of a model without faults. */
export const HEALTHY: Behaviour = {};
