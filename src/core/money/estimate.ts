/**
 * Tokens of a request before anybody has counted them, from its bytes: high for what is held back beforehand, fair for
 * what has to be charged without an upstream's word (G-4, T-6).
 */
import type { Usage } from '../usage/usage.ts';

/** What a request asks for, as far as its cost goes. A dialect reads it. */
export interface Asks {
  /** Longest answer it allows, in tokens; null = it doesn't say. */
  readonly maxOutputTokens: number | null;
  /** Answers asked for. */
  readonly answers: number;
  /** Images, sounds, files in its messages. */
  readonly mediaParts: number;
  readonly audioIn: boolean;
  readonly audioOut: boolean;
}

/** A request body by what becomes of it. */
export interface Measure {
  readonly textBytes: number;
  readonly mediaParts: number;
}

/** What is known of the model that would be called. */
export interface ModelSize {
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
}

/** English text and JSON have about four bytes a token, Chinese about three: this many on average. */
const FAIR_BYTES_PER_TOKEN = 4;
/** Digits, hashes and rare scripts have more tokens to the byte. No common text has more than this. */
const WORST_BYTES_PER_TOKEN = 2;
/** An image of usual size; providers' figures lie between 85 and 1,600, with some models far above. */
const FAIR_MEDIA_TOKENS = 1000;
const WORST_MEDIA_TOKENS = 4000;
/** Answer tokens held back where neither the request nor anything known of the model bounds them. */
export const ASSUMED_OUTPUT_TOKENS = 16_384;

/**
 * Shortest run of base64 that is taken for media and not for text. No natural text is that long without a space or a
 * sign; a key or a hash in a prompt is shorter.
 */
const MEDIA_RUN = 1024;

/** Letters, digits, `+ / - _ =`: base64 of either alphabet. */
const BASE64: Uint8Array = base64Table();

function base64Table(): Uint8Array {
  const table = new Uint8Array(256);
  for (let code = 0; code < 128; code++) if (/[A-Za-z0-9+/\-_=]/.test(String.fromCharCode(code))) table[code] = 1;
  return table;
}

/** Looks at every 1024th byte and, where it may be inside of media, around it: a megabyte costs microseconds. */
export function measureBody(body: Uint8Array, mediaParts: number): Measure {
  if (mediaParts === 0) return { textBytes: body.length, mediaParts };
  let media = 0;
  let done = 0;
  for (let probe = MEDIA_RUN - 1; probe < body.length; probe += MEDIA_RUN) {
    if (probe < done || BASE64[body[probe]!] === 0) continue;
    let start = probe;
    while (start > done && BASE64[body[start - 1]!] === 1) start--;
    let end = probe + 1;
    while (end < body.length && BASE64[body[end]!] === 1) end++;
    if (end - start >= MEDIA_RUN) media += end - start;
    done = end;
  }
  return { textBytes: body.length - media, mediaParts };
}

/** A fair guess, for charges without counts and for limits. */
export function fairInputTokens({ textBytes, mediaParts }: Measure, contextWindow: number | null): number {
  return within(Math.ceil(textBytes / FAIR_BYTES_PER_TOKEN) + mediaParts * FAIR_MEDIA_TOKENS, contextWindow);
}

/** As many as there can be, for common text. What does not fit into the window is refused upstream. */
export function worstInputTokens({ textBytes, mediaParts }: Measure, contextWindow: number | null): number {
  return within(Math.ceil(textBytes / WORST_BYTES_PER_TOKEN) + mediaParts * WORST_MEDIA_TOKENS, contextWindow);
}

function within(tokens: number, window: number | null): number {
  return window === null ? tokens : Math.min(tokens, window);
}

/**
 * Most tokens that all answers together may have: what the request allows, no more than the model can, else what its
 * window leaves, else ASSUMED_OUTPUT_TOKENS each.
 */
export function mostOutputTokens(asks: Asks, inputTokens: number, size: ModelSize): number {
  const { contextWindow, maxOutputTokens } = size;
  const bounds = [asks.maxOutputTokens, maxOutputTokens].filter((bound) => bound !== null);
  const longest = bounds.length > 0 ? Math.min(...bounds) : roomFor(inputTokens, contextWindow);
  return asks.answers * within(longest, contextWindow);
}

/** The input was guessed high: a window that seems full has room for a common answer. */
function roomFor(inputTokens: number, contextWindow: number | null): number {
  return contextWindow === null ? ASSUMED_OUTPUT_TOKENS : Math.max(contextWindow - inputTokens, ASSUMED_OUTPUT_TOKENS);
}

/** An answer of usual length: what is expected where the request allows a longer one or does not say. */
const USUAL_OUTPUT_TOKENS = 1000;

/** What a call is expected to use, for limits (P-4, G-11): its input, and answers of usual length or shorter. */
export function expectedUsage(inputTokens: number, { answers, maxOutputTokens }: Asks): Usage {
  const output = answers * Math.min(USUAL_OUTPUT_TOKENS, maxOutputTokens ?? USUAL_OUTPUT_TOKENS);
  return { ...NOTHING, input: inputTokens, output, total: inputTokens + output };
}

/** What was seen of an answer that nobody counted. */
export interface Seen {
  readonly inputTokens: number;
  /** Bytes of text, reasoning and calls. */
  readonly contentBytes: number;
  /** Events that carried them; providers put at least one token into each. 0 for an answer in one piece. */
  readonly contentEvents: number;
  /** The whole answer came: what the upstream says is its last word. */
  readonly complete: boolean;
}

/**
 * The upstream's counts with what it left out filled in, and marked. A count that comes before the end of an answer that
 * was cut is at least what was seen.
 */
export function completeUsage(stated: Usage | null, seen: Seen): Usage {
  const output = Math.max(seen.contentEvents, Math.ceil(seen.contentBytes / FAIR_BYTES_PER_TOKEN));
  if (stated === null) return { ...NOTHING, input: seen.inputTokens, output, total: seen.inputTokens + output };
  const ownInput = stated.input ?? rest(stated.total, stated.output);
  const ownOutput = stated.output ?? rest(stated.total, stated.input);
  const outgrown = !seen.complete && ownOutput !== null && output > ownOutput;
  const filled = {
    input: ownInput ?? seen.inputTokens,
    output: ownOutput === null || outgrown ? output : ownOutput,
  };
  return { ...stated, ...filled, estimated: stated.estimated || ownInput === null || ownOutput === null || outgrown };
}

function rest(total: number | null, part: number | null): number | null {
  return total === null || part === null ? null : Math.max(0, total - part);
}

const NOTHING: Usage = {
  input: 0,
  output: 0,
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
  audioInput: null,
  audioOutput: null,
  total: null,
  estimated: true,
};
