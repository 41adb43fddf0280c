/**
 * The one model that every wire format is translated through (N + M instead of N × M). Pure values. What a dialect can
 * say must survive reading into it and writing back; JSON that the gateway need not understand stays text, so that big
 * integers, key order and unknown members survive.
 */

import type { GatewayError } from '../core/errors/gateway-error.ts';
import type { FailureClass } from '../core/failure.ts';
import type { Miss } from '../core/request/capabilities.ts';
import type { Read } from '../core/request/read.ts';
import type { Usage } from '../core/usage/usage.ts';
import type { ByteWriter } from './bytes/byte-writer.ts';
import type { ClientRequest, ErrorFrame, StreamFault, TargetFacts, UpstreamBody, UpstreamWrite } from './contract.ts';

/** The text of one JSON value, as it was written. */
export type JsonText = string;

/** A list of tokens as Chat's `logprobs.content` has them: `[{token, logprob, bytes, top_logprobs}]`. */
export type LogprobsText = JsonText;

/**
 * Reasoning state only its maker can read (R-5): goes back byte for byte to `vendor`, to nobody else. Clients' fields are
 * read and written by `cross/opaque-marks.ts` (`readOpaque`, `writeOpaque`), which also says what may go upstream (`mayGo`).
 */
export interface Opaque {
  /** ProviderRow.vendor. Null from a client = nobody's, goes to no upstream; null from an upstream = the target's own. */
  readonly vendor: string | null;
  /** `signature` closes a readable thought; `sealed` is a thought nobody can read (redacted, encrypted). */
  readonly kind: 'signature' | 'sealed';
  readonly data: string;
  /** Item id where the dialect has one (Responses `rs_…`). */
  readonly id: string | null;
}

export type Media = 'image' | 'audio' | 'video' | 'document';

export type Part =
  | { readonly type: 'text'; readonly text: string; readonly opaque?: Opaque; readonly citations?: readonly Citation[] }
  | { readonly type: 'refusal'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string; readonly summary: boolean; readonly opaque: Opaque | null }
  | {
      readonly type: 'media';
      readonly media: Media;
      /** `image/png`; null = unknown (a URL). */
      readonly mime: string | null;
      readonly source:
        | { readonly by: 'base64'; readonly data: string }
        | { readonly by: 'url'; readonly url: string }
        | { readonly by: 'text'; readonly text: string };
      readonly name: string | null;
      /** auto | low | high | original. */
      readonly detail: string | null;
    }
  | Call
  | ToolResult;

export interface Call {
  readonly type: 'call';
  /** Never empty: made from position and name where the dialect has none, the same for the same history. */
  readonly id: string;
  readonly name: string;
  /** `custom`: `input` is plain text, else the JSON text of the arguments. Invalid JSON stays as it is, never `{}`. */
  readonly form: 'function' | 'custom';
  readonly input: string;
  readonly opaque?: Opaque;
}

export interface ToolResult {
  readonly type: 'result';
  readonly callId: string;
  /** Looked up from the call where the dialect leaves it out. */
  readonly name: string | null;
  readonly parts: readonly Part[];
  /** The result was one JSON object (Gemini, Converse `json`): its text. Parts are then empty. */
  readonly json: JsonText | null;
  readonly failed: boolean;
}

export interface Citation {
  readonly url: string | null;
  readonly title: string | null;
  readonly quote: string | null;
  /** Character range in the text it stands on; null = not told. */
  readonly start: number | null;
  readonly end: number | null;
}

export interface Turn {
  /** `system` only for what stands between other turns; what opens the request is `CanonicalRequest.system`. */
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly Part[];
}

export interface Tool {
  readonly form: 'function' | 'custom';
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of the arguments; null = none. `custom`: the grammar, as JSON. */
  readonly schema: JsonText | null;
  /** Null = not said (Chat and Messages: off, Responses: on). */
  readonly strict: boolean | null;
}

export type ToolChoice =
  | { readonly mode: 'auto' | 'none' | 'any' }
  | { readonly mode: 'one'; readonly name: string }
  | { readonly mode: 'some'; readonly names: readonly string[]; readonly must: boolean };

export type AnswerFormat =
  | { readonly type: 'json' }
  | {
      readonly type: 'schema';
      readonly name: string | null;
      readonly description: string | null;
      readonly schema: JsonText;
      readonly strict: boolean | null;
    };

export interface Reasoning {
  /** none | minimal | low | medium | high | xhigh | max; null = not said. */
  readonly effort: string | null;
  /** Tokens; null = not said. */
  readonly budget: number | null;
  /** The client wants to read it. Null = its dialect's custom. */
  readonly shown: boolean | null;
}

/** Nudges: dropped with a record where the upstream has no such thing. */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly logitBias?: JsonText;
}

export interface CanonicalRequest {
  readonly system: readonly Part[];
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | null;
  readonly parallelCalls: boolean | null;
  readonly format: AnswerFormat | null;
  readonly reasoning: Reasoning;
  readonly maxOutputTokens: number | null;
  readonly stop: readonly string[];
  readonly sampling: Sampling;
  readonly n: number;
  /** Alternatives per token; null = no logprobs asked. */
  readonly logprobs: number | null;
  /** Output other than text: `audio`, `image`. */
  readonly modalities: readonly string[];
  /** Names of what is bound to the client's dialect and changes what it may rely on (web_search, code, mcp, state). */
  readonly bound: readonly string[];
  /** user, metadata, service_tier, verbosity, cache hints, fields nobody knows: by Chat's name, as JSON; written where it fits. */
  readonly hints: ReadonlyMap<string, JsonText>;
  readonly stream: boolean;
  /** Last turn is the assistant's, to be continued. */
  readonly prefill: boolean;
}

export type Finish = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'refusal' | 'pause';

export interface CanonicalChoice {
  readonly parts: readonly Part[];
  readonly finish: Finish;
  /** The upstream's own word, and the sequence that stopped it. */
  readonly finishRaw: string;
  readonly stopSequence: string | null;
  readonly logprobs: LogprobsText | null;
}

export interface CanonicalAnswer {
  readonly choices: readonly CanonicalChoice[];
  readonly usage: Usage | null;
  /** What of the upstream's answer this model has no place for. Absent = nothing. */
  readonly losses?: Losses;
}

/** What of an answer goes no further. */
export interface Losses {
  /** Would have meant something to the client: the answer is degraded. */
  readonly dropped: readonly string[];
  /** Takes nothing away: recorded, and nothing is degraded. */
  readonly leftOut: readonly string[];
}

/**
 * One step of a stream, in order per block: start, deltas, end. `block` counts from 0 over the whole answer, in the order
 * of the starts. Of one choice at most one block is open at a time: a reader whose dialect mixes them puts them in a row
 * (`cross/block-row.ts`). A reader gives no empty delta, and ends every block before its choice's `finish`. Cumulative
 * usage: the last counts. Logprobs are those of the deltas since the last.
 */
export type CanonicalEvent =
  | { readonly type: 'block-start'; readonly block: number; readonly choice: number; readonly what: BlockStart }
  | { readonly type: 'delta'; readonly block: number; readonly text: string }
  | { readonly type: 'opaque'; readonly block: number; readonly opaque: Opaque }
  | { readonly type: 'citation'; readonly block: number; readonly citation: Citation }
  | { readonly type: 'block-end'; readonly block: number }
  | { readonly type: 'logprobs'; readonly choice: number; readonly value: LogprobsText }
  | {
      readonly type: 'finish';
      readonly choice: number;
      readonly finish: Finish;
      readonly raw: string;
      readonly stopSequence: string | null;
    }
  | { readonly type: 'usage'; readonly usage: Usage };

export type BlockStart =
  | { readonly type: 'text' | 'refusal' }
  | { readonly type: 'reasoning'; readonly summary: boolean }
  /** A call is content from its start on (T-1). */
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly form: Call['form'] }
  /** Whole at once: `parts` of a media kind, base64. */
  | { readonly type: 'media'; readonly part: Extract<Part, { type: 'media' }> };

/** What an answer that no upstream named itself is called. */
export interface AnswerIdentity {
  /** Unique, visible ASCII; the writer puts its dialect's prefix before it. */
  readonly id: string;
  /** Wall ms. */
  readonly createdAt: number;
  readonly servedModel: string;
  /** Marks opaque state on its way to the client. */
  readonly vendor: string;
}

/** A client dialect's half: its requests into the model, the model's answers into its bytes. */
export interface CanonicalClient {
  /** Bad = the client's own fault, in its dialect's words (400). */
  readRequest(request: ClientRequest): Read<CanonicalRequest>;
  /** `echo` is the request as it came: Responses repeats parts of it. */
  writeAnswer(answer: CanonicalAnswer, identity: AnswerIdentity, echo: ClientRequest): Written;
  streamWriter(out: ByteWriter, identity: AnswerIdentity, echo: ClientRequest): CanonicalWriter;
}

/** An answer in the client's dialect, and what had no place there. */
export interface Written extends Losses {
  readonly bytes: Uint8Array;
}

/** Writes one stream. Every call appends whole wire events, or nothing. */
export interface CanonicalWriter {
  /** Opening events come with the first call. `finish` and `usage` are kept for `end`. */
  write(event: CanonicalEvent): void;
  /** Closing events, report and terminator. */
  end(report: Uint8Array | null, classic: boolean): void;
  /** T-4. */
  interrupt(error: GatewayError, requestId: string): ErrorFrame;
  /** What had no place in this dialect; grows. */
  readonly losses: Losses;
}

/** An upstream dialect's half: the model into its requests, its answers into the model. */
export interface CanonicalUpstream {
  /** What the request cannot do without and this dialect has no words for, as P-6 names it; null = all can be said. */
  misses(request: CanonicalRequest, target: TargetFacts): Miss | null;
  /** Never throws for what `misses` let through. `changes`: every drop (`dropped seed`) and emulation (`tools renamed`). */
  writeRequest(request: CanonicalRequest, write: UpstreamWrite): UpstreamBody & { readonly names: ToolNames };
  /** Null = not a usable answer, a failed finish included (F-6): `classify` says why. */
  readAnswer(bytes: Uint8Array, names: ToolNames): CanonicalAnswer | null;
  /** F-6: the class of a finish reason, as the upstream spells it, that says the answer failed. */
  failedFinish(raw: string): FailureClass | null;
  streamReader(options: CanonicalReaderOptions): CanonicalReader;
}

/** Upstream spelling → client spelling of tool names that had to be changed; empty = none was. */
export type ToolNames = ReadonlyMap<string, string>;

export interface CanonicalReaderOptions {
  readonly maxEventBytes: number;
  readonly names: ToolNames;
  readonly vendor: string;
  readonly emit: (event: CanonicalEvent) => void;
}

/** Reads one upstream stream, framing included (SSE, JSON array, binary frames). */
export interface CanonicalReader {
  push(chunk: Uint8Array): void;
  end(): void;
  readonly fault: StreamFault | null;
  /** `open` until the dialect's own ending was seen; `doubtful` = ended without its terminator, all finished (T-5). */
  readonly ending: 'open' | 'proper' | 'doubtful';
  /** Bytes of a half-read event. */
  readonly pendingBytes: number;
  /** As in `CanonicalAnswer`; grows. Absent = nothing. */
  readonly losses?: Losses;
}
