/**
 * What a wire format brings to the simulator. Faults, scripts and ready-made names know nothing of formats: a dialect
 * reads a request into a neutral one, and writes the neutral answer, its events and its errors in its own words.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Completion } from '../answer/completion.ts';
import type { Memory } from '../answer/memory.ts';
import type { Operation, Refusal, SimRequest } from '../answer/request.ts';

/** A request before its body. `path` is without query, as it was sent (percent-encoded). */
export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** What method and path alone say. */
export interface Place {
  readonly operation: Operation;
  /** Decoded; null = the body names it. */
  readonly model: string | null;
  /** Null = the body says. */
  readonly stream: boolean | null;
  /** How a stream is framed where the dialect knows several ways (`sse`, `array`); null = its only one. */
  readonly form: string | null;
}

/** One event of a stream before framing. */
export interface StreamEvent {
  readonly data: string;
  /** Marks what a reader sees: `slow-N` waits before the first of them. */
  readonly content: boolean;
  /** The `event:` line, or the type of a frame; absent = none. */
  readonly name?: string;
  /**
   * False: goes out with its neighbours, and faults don't count it. So `cut-3` means in every dialect what it means in
   * Chat: the opening and two pieces of content.
   */
  readonly counted?: false;
}

export interface RenderedStream {
  /** In order, without the terminator. */
  readonly events: readonly StreamEvent[];
  /** What says that the stream is over (`[DONE]`, `message_stop`); left out by `no-done`. Null = the dialect has none. */
  readonly terminator: StreamEvent | null;
}

/** How events become bytes. */
export interface Framing {
  readonly contentType: string;
  /** @param at place in the stream, from 0, the terminator included. @param lineEnd undefined = the dialect's habit. */
  event(event: StreamEvent, at: number, lineEnd: string | undefined): string | Uint8Array;
  /** What may stand between events and means nothing; '' = nothing may. */
  comment(text: string, lineEnd: string | undefined): string;
}

/** A fault to be told in a dialect's own words. */
export interface Fault {
  /** HTTP status whose meaning it has, also where 200 was sent. */
  readonly status: number;
  /** Absent = the usual words for the status. */
  readonly message?: string;
  readonly param?: string | null;
  /** Absent = the usual code or type for the status. */
  readonly code?: string | undefined;
  /** Seconds. */
  readonly retryAfterS?: number | undefined;
}

/** A JSON answer of an endpoint beside the main one. */
export interface PlainAnswer {
  readonly status: number;
  readonly body: string | Uint8Array;
  /** Absent = JSON. */
  readonly contentType?: string;
}

export interface SimDialect {
  readonly name: string;
  /** Null = another dialect's path, or nobody's. */
  match(ask: Ask): Place | null;
  /** Requests that are no JSON; undefined = this one is unreadable. Absent = all are JSON. */
  parse?(body: Buffer, ask: Ask): unknown;
  /** As strict as the vendor. `body` is parsed JSON, `raw` its bytes. Never throws. */
  read(body: unknown, place: Place, ask: Ask, memory: Memory, raw?: Uint8Array): SimRequest | Refusal;
  /** The whole answer as JSON text; for `count_tokens` the count. */
  renderBody(completion: Completion, request: SimRequest): string;
  /** For answers that are no JSON, in its place; their type is among `answerHeaders`. Null = this one is JSON. */
  renderBytes?(completion: Completion, request: SimRequest): Uint8Array | null;
  /** `finish: false` leaves out what says why the answer ended, and keeps the terminator. */
  renderStream(completion: Completion, request: SimRequest, finish: boolean): RenderedStream;
  framing(request: SimRequest): Framing;
  /** Headers of good answers beside the content type. */
  answerHeaders?(completion: Completion, request: SimRequest): Readonly<Record<string, string>>;
  /** The JSON text of an error answer. `request`: what it answers, where that could be read. */
  errorBody(fault: Fault, request?: SimRequest): string;
  /** Headers that say what kind of error it is, where the body does not: with every error, whoever tells it. */
  errorName?(fault: Fault): Readonly<Record<string, string>>;
  /** Headers that come with the answer of a failing status. */
  errorHeaders(fault: Fault): Readonly<Record<string, string>>;
  /** An error told inside a stream, after the events shown so far. */
  streamError(fault: Fault, shown: readonly StreamEvent[], request: SimRequest): StreamEvent;
  /** Called with every good answer before it is sent. */
  remember?(completion: Completion, request: SimRequest, memory: Memory): void;
  /** Other endpoints (a stored answer read again); null = not this dialect's. */
  serve?(ask: Ask, body: Buffer, memory: Memory): PlainAnswer | null;
  /** The list of models in this dialect's shape; null = asked in another one's. */
  listModels?(ask: Ask, names: readonly string[]): PlainAnswer | null;
}

/** A request and whose words answer it. */
export interface Asked {
  readonly dialect: SimDialect;
  readonly request: SimRequest;
  readonly memory: Memory;
}

/** `strict-…` models insist on what only a vendor's newest models insist on. The rest of the name is read as ever. */
export function isStrict(model: string): boolean {
  return model.startsWith('strict-');
}

/** What stands after the path of a base address: `…/v1/messages` for `/messages`. */
export function endsWithPath(ask: Ask, path: string): boolean {
  return ask.path === path || ask.path.endsWith(path);
}
