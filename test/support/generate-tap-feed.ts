/** Feeds a tap of the `generateContent` dialect in tests and gathers what a client would get. */
import type { ClientRequest, ContentKind, StreamTap, StreamTapOptions } from '../../src/dialects/contract.ts';
import { readRequest } from '../../src/dialects/generate/request.ts';
import { streamTap } from '../../src/dialects/generate/stream.ts';

export const OPTIONS: StreamTapOptions = {
  servedModel: 'served/m',
  includeUsage: true,
  n: 1,
  maxEventBytes: 1 << 20,
  maxPreludeBytes: 1 << 20,
  holdAll: false,
  maxHeldBytes: 1 << 23,
};

export interface Fed {
  readonly tap: StreamTap;
  /** What went to the client before the tail. */
  readonly relayed: string;
  /** The client's whole stream if it completed. */
  readonly whole: string | null;
  readonly ready: ContentKind | null;
  /** Input bytes pushed when it became ready; null = never, or at the end. */
  readonly readyAt: number | null;
}

export interface FeedOptions extends Partial<StreamTapOptions> {
  readonly report?: string;
  readonly form?: 'events' | 'array';
}

export function feed(pieces: readonly (string | Uint8Array)[], options: FeedOptions = {}): Fed {
  const { report, form, ...tapOptions } = options;
  const tap = streamTap({ ...OPTIONS, ...tapOptions }, form === undefined ? undefined : requestIn(form));
  let relayed = '';
  let readyAt: number | null = null;
  let pushed = 0;
  const drain = (): void => {
    if (tap.ready !== null) relayed += Buffer.from(tap.drain() ?? []).toString();
  };
  for (const piece of pieces) {
    const bytes = Buffer.from(piece);
    tap.push(bytes);
    pushed += bytes.length;
    if (tap.ready !== null) readyAt ??= pushed;
    drain();
  }
  tap.end();
  drain();
  const tail = tap.complete ? tap.tail(report === undefined ? null : Buffer.from(report), false) : null;
  const whole = tail === null ? null : relayed + Buffer.from(tail).toString();
  return { tap, relayed, whole, ready: tap.ready, readyAt };
}

/** A streaming request that asks for that form. */
export function requestIn(form: 'events' | 'array', body: object = {}): ClientRequest {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const read = readRequest(Buffer.from(JSON.stringify({ contents, ...body })), { model: 'm', stream: true, form });
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

export interface Chunk {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly Record<string, unknown>[] };
    readonly finishReason?: string;
    readonly index?: number;
  }[];
  readonly modelVersion?: string;
  readonly usageMetadata?: object;
  readonly understudy?: unknown;
  readonly error?: { readonly code: unknown; readonly status: unknown };
}

/** One chunk as an event. */
export function chunk(parts: readonly object[], finishReason?: string, extra: object = {}, index = 0): string {
  const content = parts.length > 0 ? { content: { parts, role: 'model' } } : {};
  const candidates = [{ ...content, ...(finishReason === undefined ? {} : { finishReason }), index }];
  return event({ candidates, modelVersion: 'up-a', responseId: 'r1', ...extra });
}

export function event(body: object): string {
  return `data: ${JSON.stringify(body)}\r\n\r\n`;
}

/** The chunks of a client's stream in events, checked for what this dialect's clients can't bear. */
export function chunksIn(text: string): Chunk[] {
  if (text !== '' && !text.endsWith('\n\n')) throw new Error('the last event has no blank line');
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      if (!block.startsWith('data: ') || block.includes('\n')) throw new Error(`not one data line: ${block}`);
      return JSON.parse(block.slice('data: '.length));
    });
}

/** All text and thoughts of a client's chunks. */
export function textIn(chunks: readonly Chunk[]): string {
  return chunks
    .flatMap((one) => one.candidates ?? [])
    .flatMap((candidate) => candidate.content?.parts ?? [])
    .map((part) => part['text'] ?? '')
    .join('');
}
