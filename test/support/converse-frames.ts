/** Streams of the Converse dialect as its own library frames them. */
import { EventStreamCodec, type MessageHeaders } from '@smithy/eventstream-codec';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

function framed(head: Readonly<Record<string, string>>, body: string): Buffer {
  const headers: MessageHeaders = {};
  for (const [name, value] of Object.entries(head)) headers[name] = { type: 'string', value };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(body) }));
}

/** One event. A text is the payload as it is, anything else its JSON. */
export function converseEvent(name: string, payload: unknown): Buffer {
  const head = { ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' };
  return framed(head, typeof payload === 'string' ? payload : JSON.stringify(payload));
}

/** The frame that ends a stream with an exception. */
export function converseException(name: string, payload: unknown): Buffer {
  const head = { ':exception-type': name, ':content-type': 'application/json', ':message-type': 'exception' };
  return framed(head, typeof payload === 'string' ? payload : JSON.stringify(payload));
}

/** An error below the events, told by headers alone. */
export function converseError(code: string, message: string): Buffer {
  return framed({ ':message-type': 'error', ':error-code': code, ':error-message': message }, '');
}

const USAGE = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };

/** Events by name, as tests write them down: `[name, payload]`. */
export type Told = readonly (readonly [name: string, payload: unknown])[];

export const OPENING: Told = [['messageStart', { role: 'assistant' }]];

export function ending(stopReason: string, usage: unknown = USAGE): Told {
  return [
    ['messageStop', { stopReason }],
    ['metadata', { usage, metrics: { latencyMs: 12 } }],
  ];
}

/** A block of text in pieces. */
export function textBlock(index: number, ...pieces: readonly string[]): Told {
  return [
    ...pieces.map((text) => ['contentBlockDelta', { contentBlockIndex: index, delta: { text }, p: 'ab' }] as const),
    ['contentBlockStop', { contentBlockIndex: index }],
  ];
}

/** A call whose arguments come in pieces. */
export function callBlock(index: number, id: string, name: string, ...pieces: readonly string[]): Told {
  return [
    ['contentBlockStart', { contentBlockIndex: index, start: { toolUse: { toolUseId: id, name } } }],
    ...pieces.map(
      (input) => ['contentBlockDelta', { contentBlockIndex: index, delta: { toolUse: { input } } }] as const,
    ),
    ['contentBlockStop', { contentBlockIndex: index }],
  ];
}

/** A thought in pieces; each piece is the inside of `reasoningContent`. */
export function thoughtBlock(index: number, ...pieces: readonly object[]): Told {
  return [
    ...pieces.map(
      (reasoningContent) => ['contentBlockDelta', { contentBlockIndex: index, delta: { reasoningContent } }] as const,
    ),
    ['contentBlockStop', { contentBlockIndex: index }],
  ];
}

export function converseStream(told: Told): Buffer {
  return Buffer.concat(told.map(([name, payload]) => converseEvent(name, payload)));
}
