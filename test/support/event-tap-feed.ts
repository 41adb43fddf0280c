/** Feeds a tap of named events in tests and gathers what a client would get. */
import type { ContentKind, DialectCodec, StreamTap, StreamTapOptions } from '../../src/dialects/contract.ts';

export const TAP_OPTIONS: StreamTapOptions = {
  servedModel: 'served/m',
  includeUsage: true,
  n: 1,
  maxEventBytes: 1 << 20,
  maxPreludeBytes: 1 << 20,
  holdAll: false,
  maxHeldBytes: 1 << 23,
};

export interface FedEvents {
  readonly tap: StreamTap;
  /** What went to the client before the tail, drained after each push once it was ready. */
  readonly relayed: string;
  /** The client's whole stream if it completed. */
  readonly whole: string | null;
  readonly ready: ContentKind | null;
  /** Input bytes pushed when it became ready; null = never, or at the end. */
  readonly readyAt: number | null;
}

export interface FeedEventsOptions extends Partial<StreamTapOptions> {
  readonly report?: string;
}

export function feedEvents(
  codec: DialectCodec,
  pieces: readonly (string | Uint8Array)[],
  options: FeedEventsOptions = {},
): FedEvents {
  const { report, ...tapOptions } = options;
  const tap = codec.streamTap({ ...TAP_OPTIONS, ...tapOptions });
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

/** Name and JSON of each event of a client's stream. */
export function namedEvents(text: string): { readonly name: string | null; readonly data: Record<string, unknown> }[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const lines = block.split('\n');
      const name = lines.find((line) => line.startsWith('event: '))?.slice('event: '.length) ?? null;
      const data = lines.find((line) => line.startsWith('data: '))?.slice('data: '.length) ?? 'null';
      return { name, data: JSON.parse(data) as Record<string, unknown> };
    });
}
