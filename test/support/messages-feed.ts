/** Feeds a Messages tap in tests and gathers what a client would get. */
import type { ContentKind, StreamTap, StreamTapOptions } from '../../src/dialects/contract.ts';
import { messagesTap } from '../../src/dialects/messages/stream.ts';

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
  /** What went to the client before the tail, drained after each push once it was ready. */
  readonly relayed: string;
  /** The client's whole stream if it completed. */
  readonly whole: string | null;
  /** Kind at the first push after which it was ready. */
  readonly ready: ContentKind | null;
  /** Input bytes pushed when it became ready; null = never, or at the end. */
  readonly readyAt: number | null;
}

export interface FeedOptions extends Partial<StreamTapOptions> {
  readonly report?: string;
}

export function feed(pieces: readonly (string | Uint8Array)[], options: FeedOptions = {}): Fed {
  const { report, ...tapOptions } = options;
  const tap = messagesTap({ ...OPTIONS, ...tapOptions });
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

/** One event as upstreams write it. */
export function event(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

export function start(message: object = {}): string {
  const usage = { input_tokens: 8, cache_creation_input_tokens: 0, cache_read_input_tokens: 4, output_tokens: 1 };
  const whole = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up', content: [], stop_reason: null, usage };
  return event('message_start', { message: { ...whole, ...message } });
}

export const blockStart = (index: number, block: object): string =>
  event('content_block_start', { index, content_block: block });
export const blockDelta = (index: number, delta: object): string => event('content_block_delta', { index, delta });
export const blockStop = (index: number): string => event('content_block_stop', { index });
export const textBlock = (index: number, ...texts: string[]): string =>
  blockStart(index, { type: 'text', text: '' }) +
  texts.map((text) => blockDelta(index, { type: 'text_delta', text })).join('') +
  blockStop(index);
export const ending = (reason: string | null = 'end_turn', extra: object = {}): string =>
  event('message_delta', {
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 5 },
    ...extra,
  });
export const STOP: string = event('message_stop');

export interface SeenEvent {
  readonly name: string | null;
  readonly data: Record<string, unknown>;
}

/** The events of a client's stream; each must be whole: a name, one line of JSON, a blank line. */
export function events(text: string): SeenEvent[] {
  if (text !== '' && !text.endsWith('\n\n')) throw new Error('the stream ends inside an event');
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const found = /^(?:event: ([^\n]+)\n)?data: ([^\n]*)$/.exec(block);
      if (found === null) throw new Error(`no event: ${block}`);
      return { name: found[1] ?? null, data: JSON.parse(found[2]!) as Record<string, unknown> };
    });
}

/** All text of a client's stream. */
export function textIn(text: string): string {
  return events(text)
    .map(({ data }) => (data['delta'] as { text?: string } | undefined)?.text ?? '')
    .join('');
}
