/**
 * What a dialect offers the runtime: pure readers and writers of one wire format. Bytes in, bytes and verdicts out; no
 * clock, no I/O. A client's side reads requests and writes what the client sees; a lane carries one attempt: it writes
 * the upstream's request and turns the upstream's bytes into the client's dialect. `Answer` and `StreamTap` always hold
 * the client's dialect, so nothing behind a lane knows where bytes came from.
 */
import type { ErrorVocabulary } from '../core/classify/vocabulary.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import type { Failure, FailureClass } from '../core/failure.ts';
import type { Asks } from '../core/money/estimate.ts';
import type { Miss, Needs } from '../core/request/capabilities.ts';
import type { Read } from '../core/request/read.ts';
import type { Degrade } from '../core/request/redundancy-types.ts';
import type { Usage } from '../core/usage/usage.ts';
import type { ClientDialectName, Dialect } from '../core/wire-names.ts';
import type { BodyView } from './bytes/body-view.ts';
import type { CanonicalClient, CanonicalUpstream } from './canonical.ts';

/** What stands beside the body: in the path, its query and the headers. */
export interface RequestPlace {
  /** Model named by the path. Where the body needs none the body's own `model` wins. */
  readonly model?: string;
  /** The path says whether it streams. */
  readonly stream?: boolean;
  /** `array`: a stream as one JSON array instead of events. Default `events`. */
  readonly form?: 'events' | 'array';
  /** The dialect's version header, as sent; null = none. */
  readonly version?: string | null;
  /** `multipart/form-data; boundary=…` etc.; absent = JSON. */
  readonly contentType?: string;
  /** The form it came as; the body is then a JSON object of its fields. Absent = it came as JSON. */
  readonly upload?: Upload;
  /** A call on something that lives upstream (P-8): path and query below the operation's own address. */
  readonly call?: { readonly method: 'GET' | 'DELETE' | 'POST'; readonly path: string; readonly query: string };
}

/** What the gateway needs to know of a client's request. Read from one scan; nothing else is parsed. */
export interface ClientRequest {
  /** Of a form: a JSON object of its text fields; the files are in `upload`. */
  readonly view: BodyView;
  readonly place: RequestPlace;
  readonly model: string | null;
  /** Raw `models` / `fallback_models` as JSON values, validated by core/request. Undefined = absent. */
  readonly models: unknown;
  readonly fallbackModels: unknown;
  readonly redundancy: unknown;
  readonly stream: boolean;
  /** The client asked for the usage chunk; true where its dialect always tells. */
  readonly includeUsage: boolean;
  /** Number of answers asked for: finish is expected of each index. */
  readonly n: number;
  readonly upload?: Upload;
}

/** A multipart body: pieces of text and spans of the spooled bytes, so that only the model's part is rewritten. */
export interface Upload {
  readonly contentType: string;
  readonly parts: readonly {
    readonly name: string;
    readonly isFile: boolean;
    /** From its delimiter to the next one, and its content inside. */
    readonly start: number;
    readonly valueStart: number;
    readonly valueEnd: number;
    readonly end: number;
  }[];
  /** All bytes, in memory or on disk; read again for every attempt. */
  readonly body: SpooledBody;
}

export interface SpooledBody {
  readonly length: number;
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** A URL in a request that an upstream is asked to fetch. */
export interface SuppliedUrl {
  /** Where it stands, for messages: `messages[0].content[1]`. */
  readonly param: string;
  readonly url: string;
}

/** What lives at one upstream account and is named by its id (P-8). */
export interface NamedState {
  /** Where it stands, for messages: `previous_response_id`, `messages[0].content[1]`. */
  readonly param: string;
  /** Null = it is named in a form that tells none. */
  readonly id: string | null;
}

/** Bytes, or for uploads a list of bytes and spans of the spooled body. */
export interface UpstreamBody {
  readonly bytes: Uint8Array;
  readonly pieces?: readonly (Uint8Array | { readonly start: number; readonly end: number })[];
  readonly contentType?: string;
  /** What differs from the client's request beside model and our own fields. */
  readonly changes: readonly string[];
  /** Something was dropped or emulated: the answer is degraded. */
  readonly dropped: boolean;
  /** Opaque reasoning went along: its refusal may be answered by one attempt without it. Absent = none. */
  readonly opaque?: boolean;
}

/** What a dialect must know of the target it writes for. */
export interface TargetFacts {
  readonly upstreamModel: string;
  /** Whose opaque reasoning it understands. */
  readonly vendor: string;
  /** Longest answer; null = unknown. */
  readonly maxOutputTokens: number | null;
  /** Known to be missing at this model (`temperature`, `tools_forced`, `prefill`, …); empty = nothing is known. */
  readonly lacks: ReadonlySet<string>;
}

export interface UpstreamWrite {
  readonly target: TargetFacts;
  readonly degrade: Degrade | null;
  /** Ask the upstream for usage in streams. */
  readonly injectUsage: boolean;
  /** Output tokens to allow instead of the client's own limit: a longer answer (D-5). Absent = as asked. */
  readonly outputTokens?: number;
  /** Leave out opaque reasoning even of the target's own vendor: the attempt after its refusal. */
  readonly bare?: boolean;
  /** Files fetched for upstreams that take no URLs, by URL; absent = none was. */
  readonly fetched?: ReadonlyMap<string, { readonly mime: string; readonly base64: string }>;
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

/** A whole non-stream answer in the client's dialect, read. */
export interface Answer {
  readonly view: BodyView;
  readonly content: ContentKind;
  /** Bytes of text, reasoning and calls in it: an estimate of its tokens where the upstream counted none. */
  readonly contentBytes: number;
  readonly usage: Usage | null;
  /** As the client's dialect spells them. */
  readonly finishReasons: readonly string[];
  /** What had no place in the client's dialect. Absent = nothing. */
  readonly dropped?: readonly string[];
  /** The same of what takes nothing away: recorded, and nothing is degraded. */
  readonly leftOut?: readonly string[];
  /** Ids in it that name state at the upstream account (P-8). Absent = none. */
  readonly stateIds?: readonly string[];
  /** Not JSON: sent as it is, with this content type. */
  readonly raw?: { readonly bytes: Uint8Array; readonly contentType: string };
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
  /** Unreadable event, glued events, oversized event or prelude, terminator without finish before commit, bad frame. */
  | { readonly kind: 'malformed'; readonly message: string }
  /** A finish reason that says failure (F-6), as the upstream spells it. */
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
  /** The upstream's, as it came; absent = of no account. */
  readonly contentType?: string;
}

/** The last bytes of a stream that failed; `destroy` = this form has no words for it: the connection is reset. */
export type ErrorFrame = Uint8Array | 'destroy';

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
  /** The proper ending came. Nothing more will be read. */
  readonly complete: boolean;
  /** Complete, but for a missing terminator or finish reason, or for a call that is not whole (T-5, dialects §8). */
  readonly suspicious: boolean;
  /**
   * Every choice that appeared has its finish reason, and no call is broken that it says to be whole. `complete` without
   * it must never be stored (T-5).
   */
  readonly finished: boolean;
  /** Grows with every event that carries content: feeds the stall timer. */
  readonly contentEvents: number;
  /** Bytes of text, reasoning and calls seen so far, as written: an estimate of tokens nobody has counted. */
  readonly contentBytes: number;
  /** Grows with every byte held in memory: for tests of T-7. */
  readonly heldBytes: number;
  readonly usage: Usage | null;
  readonly finishReasons: readonly string[];
  /** What had no place in the client's dialect; grows. Absent = same dialect. */
  readonly dropped?: readonly string[];
  /** As in `Answer`; grows. */
  readonly leftOut?: readonly string[];
  /** As in `Answer`. */
  readonly stateIds?: readonly string[];
  /** What the client is told of a stream that is none of events; absent = it is one. */
  readonly contentType?: string;
  /** Bytes of whole events to send now; null = none. Only after commit. */
  drain(): Uint8Array | null;
  /** The held end with the report in its place and the terminator. Only when complete. */
  tail(report: Uint8Array | null, classic: boolean): Uint8Array;
  /**
   * T-4's event, with this stream's id and next sequence number where the dialect has them; asked again for every reader
   * of a keyed stream, so it changes nothing. Absent = `streamError`.
   */
  interrupt?(error: GatewayError, requestId: string): ErrorFrame;
}

export interface RenderedError {
  readonly status: number;
  /** Lower-case names, without content-length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The client's side of one dialect and operation. */
export interface ClientSide {
  readonly dialect: ClientDialectName;
  readRequest(bytes: Uint8Array, place?: RequestPlace): Read<ClientRequest>;
  /** What the request, as degraded for one entry, needs of its model (P-6). Asked only where something is known of it. */
  needs(request: ClientRequest, degrade: Degrade | null): Needs;
  /** What the request, as degraded for one entry, may cost (D-4, G-4). Asked only where money or limits are at stake. */
  asks(request: ClientRequest, degrade: Degrade | null): Asks;
  /** What the request says of its caller (P-2's affinity), null = nothing. Asked only where the routing asks. */
  callerMark(request: ClientRequest, by: 'prompt_cache_key' | 'user'): string | null;
  /** Every URL the request asks an upstream to fetch (G-9), `data:` URLs aside; null = more than anybody would. */
  suppliedUrls(request: ClientRequest): readonly SuppliedUrl[] | null;
  /** State that the request names and that lives at an upstream account (P-8), the first of several; null = none. */
  namedState(request: ClientRequest): NamedState | null;
  /** The call creates something upstream or acts there, so that making it twice does it twice (D-11). */
  actsUpstream(request: ClientRequest): boolean;
  /**
   * An answer in this dialect: an upstream's, a kept one, our own. Null = not usable. `contentType`: the upstream's, as it
   * came; absent = of no account.
   */
  readAnswer(bytes: Uint8Array, contentType?: string): Answer | null;
  /** A stream in this dialect: an upstream's or a kept one. */
  streamTap(options: StreamTapOptions, request?: ClientRequest): StreamTap;
  /** The answer, or one of several, was cut by its length (D-5). */
  isCut(answer: Answer): boolean;
  /**
   * Output tokens to ask for once more after such an answer: twice what it was allowed, or what it used where nobody
   * said, within `most` (the model's own limit, null = unknown) and the entry's. Null = no more is to be had.
   */
  longerOutput(request: ClientRequest, degrade: Degrade | null, answer: Answer, most: number | null): number | null;
  writeAnswer(answer: Answer, write: AnswerWrite): Uint8Array;
  /** A whole answer turned into a stream (F-5), report and terminator included. */
  answerToStream(answer: Answer, write: AnswerWrite, request: ClientRequest): Uint8Array;
  /** A configured text as a whole answer (E-4). */
  staticAnswer(text: StaticText): Answer;
  /** `wallNow` in wall ms: `Retry-After` is the distance from it to `error.retryAt` (D-3). */
  renderError(error: GatewayError, requestId: string, classic: boolean, wallNow: number): RenderedError;
  /** An error in a stream that has shown nothing but keep-alives (T-11); without success terminator. */
  streamError(error: GatewayError, requestId: string, request?: ClientRequest): ErrorFrame;
  /** Null = nothing may be sent before the commit: the head stays open, status and all. */
  keepAlive(request: ClientRequest): Uint8Array | null;
  /** Content type of a stream, unless its tap says another one; absent = events. */
  streamType?(request: ClientRequest): string;
}

/** The upstream's side where client and upstream speak the same dialect: bytes pass. */
export interface NativeSide {
  writeUpstream(request: ClientRequest, write: UpstreamWrite): UpstreamBody;
  classify(source: FailureSource): Failure;
  /** The class of a finish reason that says the answer failed (F-6); null for all others, unknown ones too. */
  failedFinish(reason: string): FailureClass | null;
  /** As in `Lane`; absent = a stream is one of events. */
  isStream?(contentType: string, firstByte: number): boolean;
}

/** One wire format in both directions, for same-dialect calls: what `chat/codec.ts` is. */
export type DialectCodec = ClientSide & NativeSide;

/** A request as `degrade` leaves it, still in its dialect; what cross-dialect calls translate. */
export interface DegradedRequest {
  readonly request: ClientRequest;
  readonly changes: readonly string[];
  readonly dropped: boolean;
}

/** A client dialect that can be translated. */
export interface TranslatedClient {
  readonly codec: DialectCodec;
  readonly canonical: CanonicalClient;
  degraded(request: ClientRequest, degrade: Degrade | null): DegradedRequest;
}

/** An upstream dialect that can be translated to. */
export interface TranslatedUpstream {
  readonly dialect: Dialect;
  readonly canonical: CanonicalUpstream;
  classify(source: FailureSource): Failure;
  /** Whether an answer to a stream request is a stream: by content type (lower case, '' = none) and first byte. */
  isStream(contentType: string, firstByte: number): boolean;
}

/** What names a cross-dialect answer that the client's dialect wants named. */
export interface LaneSetup {
  readonly request: ClientRequest;
  readonly target: TargetFacts;
  readonly servedModel: string;
  /** The request's, visible ASCII: a request has one answer. */
  readonly id: string;
  /** Wall ms. */
  readonly createdAt: number;
}

/** One attempt between two dialects. `writeUpstream` comes first: reading may need what writing renamed. */
export interface Lane extends NativeSide {
  readonly upstream: Dialect;
  isStream(contentType: string, firstByte: number): boolean;
  /** `contentType`: as it came. */
  readAnswer(bytes: Uint8Array, contentType?: string): Answer | null;
  streamTap(options: StreamTapOptions): StreamTap;
}

/** All attempts between two dialects. Same dialect: `open` gives one constant lane and `misses` is always null. */
export interface LanePair {
  readonly upstream: Dialect;
  /** What the request needs and this way cannot carry (R-4's refusals); P-6's 400, or the target is passed over. */
  misses(request: ClientRequest, degrade: Degrade | null, target: TargetFacts): Miss | null;
  open(setup: LaneSetup): Lane;
}
