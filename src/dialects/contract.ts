/**
 * What a dialect offers the runtime: pure readers and writers of one wire format. Bytes in, bytes and verdicts out; no
 * clock, no I/O. One folder per dialect, same file names: request, response, stream, failure.
 */
import type { ErrorVocabulary } from '../core/classify/vocabulary.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import type { Failure, FailureClass } from '../core/failure.ts';
import type { Asks } from '../core/money/estimate.ts';
import type { Needs } from '../core/request/capabilities.ts';
import type { Read } from '../core/request/read.ts';
import type { Degrade } from '../core/request/redundancy-types.ts';
import type { Usage } from '../core/usage/usage.ts';
import type { BodyView } from './bytes/body-view.ts';

/** What the gateway needs to know of a client's request. Read from one scan; nothing else is parsed. */
export interface ClientRequest {
  readonly view: BodyView;
  readonly model: string | null;
  /** Raw `models` / `fallback_models` as JSON values, validated by core/request. Undefined = absent. */
  readonly models: unknown;
  readonly fallbackModels: unknown;
  readonly redundancy: unknown;
  readonly stream: boolean;
  /** The client asked for the usage chunk. */
  readonly includeUsage: boolean;
  /** Number of answers asked for: finish is expected of each index. */
  readonly n: number;
}

/** A URL in a request that an upstream is asked to fetch. */
export interface SuppliedUrl {
  /** Where it stands, for messages: `messages[0].content[1]`. */
  readonly param: string;
  readonly url: string;
}

export interface UpstreamBody {
  readonly bytes: Uint8Array;
  /** What differs from the client's request beside model and our own fields. */
  readonly changes: readonly string[];
  /** Something was dropped: the answer is degraded. */
  readonly dropped: boolean;
}

export interface UpstreamWrite {
  readonly upstreamModel: string;
  readonly degrade: Degrade | null;
  /** Ask the upstream for usage in streams. */
  readonly injectUsage: boolean;
  /** Output tokens to allow instead of the client's own limit: a longer answer (D-5). Absent = as asked. */
  readonly outputTokens?: number;
}

/** How R-2's report and R-3's model get into an answer. */
export interface AnswerWrite {
  readonly servedModel: string;
  /** The report as one JSON object's bytes; null = none. */
  readonly report: Uint8Array | null;
  /** Classic endpoint: `success: true` and `metadata` instead of `understudy`. */
  readonly classic: boolean;
}

/** What the client gets: `filtered` and `refusal` are F-5's. */
export type ContentKind = 'content' | 'refusal' | 'filtered' | 'empty';

/** A whole non-stream answer, read. */
export interface Answer {
  readonly view: BodyView;
  readonly content: ContentKind;
  /** Bytes of text, reasoning and calls in it: an estimate of its tokens where the upstream counted none. */
  readonly contentBytes: number;
  readonly usage: Usage | null;
  readonly finishReasons: readonly string[];
}

/** What an answer says that no model wrote. */
export interface StaticText {
  readonly text: string;
  /** Unique; part of the answer's id. */
  readonly id: string;
  readonly model: string;
  /** Wall ms. */
  readonly createdAt: number;
  /** Answers asked for. */
  readonly n: number;
}

/** What is known of a failed call when it is classified. */
export interface FailureSource {
  /** HTTP status; 200 when the failure came inside a good answer. */
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded body, or the data of the failing event; may be cut or empty. */
  readonly body: Uint8Array;
  readonly inStream: boolean;
  readonly vocabulary: ErrorVocabulary;
  /** Wall ms, for dates. */
  readonly wall: number;
  readonly phase: Failure['phase'];
  /** Secrets to mask in message and code (E-5). */
  readonly mask: (text: string) => string;
}

/** Why a stream stopped being a good one. */
export type StreamFault =
  /** An error event or an unframed error; `body` is the JSON text of it. */
  | { readonly kind: 'error_event'; readonly body: Uint8Array }
  /** Unreadable event, glued events, oversized event or prelude, `[DONE]` without finish before commit, bad finish reason. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** finish_reason error, abort, network_error, … (F-6). */
  | { readonly kind: 'bad_finish'; readonly reason: string }
  /** The upstream ended without a proper ending (T-5). */
  | { readonly kind: 'cut' };

export interface StreamTapOptions {
  readonly servedModel: string;
  /** The client asked for usage. */
  readonly includeUsage: boolean;
  readonly n: number;
  readonly maxEventBytes: number;
  /** Held before the first content (T-1, T-7). */
  readonly maxPreludeBytes: number;
  /** Hold everything until the stream finished properly (T-9); past this many bytes it commits like first_token. */
  readonly holdAll: boolean;
  readonly maxHeldBytes: number;
}

/**
 * Watches one upstream stream and makes the client's bytes of it. Feed it, then look:
 * `ready` turns non-null when the answer may be committed (T-1; under `holdAll` when it finished). Until the runtime
 * has committed it keeps everything; afterwards `drain()` gives the bytes to send, always whole events.
 * Events from the last finish reason on stay inside until `tail()`.
 */
export interface StreamTap {
  push(chunk: Uint8Array): void;
  /** The upstream's body ended cleanly; decides complete or cut (T-5). */
  end(): void;
  /** Null until the answer may be committed. */
  readonly ready: ContentKind | null;
  /** Non-null once the stream went wrong; nothing after it is delivered (T-10). */
  readonly fault: StreamFault | null;
  /** Every choice finished and the stream ended, or `[DONE]` came. Nothing more will be read. */
  readonly complete: boolean;
  /** `[DONE]` without finish reason after commit, finish without `[DONE]`, … (T-5). */
  readonly suspicious: boolean;
  /** Every choice that appeared has its finish reason. `complete` without it must never be stored (T-5). */
  readonly finished: boolean;
  /** Grows with every event that carries content: feeds the stall timer. */
  readonly contentEvents: number;
  /** Bytes of text, reasoning and calls seen so far, as written: an estimate of tokens nobody has counted. */
  readonly contentBytes: number;
  /** Grows with every byte held in memory: for tests of T-7. */
  readonly heldBytes: number;
  readonly usage: Usage | null;
  readonly finishReasons: readonly string[];
  /** Bytes of whole events to send now; null = none. Only after commit. */
  drain(): Uint8Array | null;
  /** The held end with the report in its place and the terminator. Only when complete. */
  tail(report: Uint8Array | null, classic: boolean): Uint8Array;
}

export interface RenderedError {
  readonly status: number;
  /** Lower-case names, without content-length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** One wire format, both directions. */
export interface DialectCodec {
  /** `pathModel`: the model named by the path where the body needs none; the body's own `model` wins. */
  readRequest(bytes: Uint8Array, pathModel?: string): Read<ClientRequest>;
  /** What the request, as degraded for one entry, needs of its model (P-6). Asked only where something is known of it. */
  needs(request: ClientRequest, degrade: Degrade | null): Needs;
  /** What the request, as degraded for one entry, may cost (D-4, G-4). Asked only where money or limits are at stake. */
  asks(request: ClientRequest, degrade: Degrade | null): Asks;
  /** What the request says of its caller (P-2's affinity), null = nothing. Asked only where the routing asks. */
  callerMark(request: ClientRequest, by: 'prompt_cache_key' | 'user'): string | null;
  /** Every URL the request asks an upstream to fetch (G-9), `data:` URLs aside; null = more than anybody would. */
  suppliedUrls(request: ClientRequest): readonly SuppliedUrl[] | null;
  /** Where the request names state that lives at an upstream account (P-8), for messages; null = nowhere. */
  namedState(request: ClientRequest): string | null;
  writeUpstream(request: ClientRequest, write: UpstreamWrite): UpstreamBody;
  /** Null = not a usable answer: classify it as malformed or as the error object it holds. */
  readAnswer(bytes: Uint8Array): Answer | null;
  /** The answer, or one of several, was cut by its length (D-5). */
  isCut(answer: Answer): boolean;
  /**
   * Output tokens to ask for once more after such an answer: twice what it was allowed, or what it used where nobody
   * said, within `most` (the model's own limit, null = unknown) and the entry's. Null = no more is to be had.
   */
  longerOutput(request: ClientRequest, degrade: Degrade | null, answer: Answer, most: number | null): number | null;
  /** The call creates something upstream or acts there, so that making it twice does it twice (D-11). */
  actsUpstream(request: ClientRequest): boolean;
  writeAnswer(answer: Answer, write: AnswerWrite): Uint8Array;
  /** A whole answer turned into a stream (F-5), report and terminator included. */
  answerToStream(answer: Answer, write: AnswerWrite, includeUsage: boolean): Uint8Array;
  /** A configured text as a whole answer (E-4). */
  staticAnswer(text: StaticText): Answer;
  classify(source: FailureSource): Failure;
  /** The class of a finish reason that says the answer failed (F-6); null for all others, unknown ones too. */
  failedFinish(reason: string): FailureClass | null;
  streamTap(options: StreamTapOptions): StreamTap;
  /** `wallNow` in wall ms: `Retry-After` is the distance from it to `error.retryAt` (D-3). */
  renderError(error: GatewayError, requestId: string, classic: boolean, wallNow: number): RenderedError;
  /** One error event without success terminator (T-4, T-11). */
  streamError(error: GatewayError, requestId: string): Uint8Array;
  readonly keepAlive: Uint8Array;
}
