/** Feeds a tap in tests and gathers what a client would get. */

import { ChatStreamTap } from '../../src/dialects/chat/stream.ts';
import type { ContentKind, StreamTapOptions } from '../../src/dialects/contract.ts';

export const OPTIONS: StreamTapOptions = {
  servedModel: 'served/m',
  includeUsage: false,
  n: 1,
  maxEventBytes: 1 << 20,
  maxPreludeBytes: 1 << 20,
  holdAll: false,
  maxHeldBytes: 1 << 23,
};

export interface Fed {
  readonly tap: ChatStreamTap;
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
  readonly classic?: boolean;
}

export function feed(pieces: readonly (string | Uint8Array)[], options: FeedOptions = {}): Fed {
  const { report, classic, ...tapOptions } = options;
  const tap = new ChatStreamTap({ ...OPTIONS, ...tapOptions });
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
  const tail = tap.complete ? tap.tail(report === undefined ? null : Buffer.from(report), classic ?? false) : null;
  const whole = tail === null ? null : relayed + Buffer.from(tail).toString();
  return { tap, relayed, whole, ready: tap.ready, readyAt };
}

/** A chunk event with one choice. */
export function chunk(delta: object, finish: string | null = null, extra: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const body = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'up-a', choices, ...extra };
  return `data: ${JSON.stringify(body)}\n\n`;
}

export const ROLE = chunk({ role: 'assistant', content: '' });
export const STOP = chunk({}, 'stop');
export const DONE = 'data: [DONE]\n\n';

/** The JSON of each event of a client's stream; `[DONE]` as a string. */
export function events(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const data = block.slice('data: '.length);
      return data === '[DONE]' ? data : JSON.parse(data);
    });
}

/** All text of a client's stream. */
export function textIn(text: string): string {
  return events(text)
    .map((event) => (event as { choices?: { delta?: { content?: string } }[] }).choices?.[0]?.delta?.content ?? '')
    .join('');
}
