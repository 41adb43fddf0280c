/** Streams through the ways between dialects, without a gateway around them. */
import { readFileSync } from 'node:fs';
import { gatewayError } from '../../src/core/errors/catalogue.ts';
import type { ClientDialectName, Dialect } from '../../src/core/wire-names.ts';
import { chatClient } from '../../src/dialects/chat/translated.ts';
import type { ClientRequest, DialectCodec, StreamTap, StreamTapOptions } from '../../src/dialects/contract.ts';
import { generateClient } from '../../src/dialects/generate/translated.ts';
import { laneOf } from '../../src/dialects/lanes.ts';
import { messagesClient } from '../../src/dialects/messages/translated.ts';
import { responsesClient } from '../../src/dialects/responses/translated.ts';
import { type Ask, CLIENTS, type Client } from './clients.ts';

/** A client's dialect: how its callers write, and the codec that reads them. */
export interface Speaker {
  readonly client: Client;
  readonly codec: DialectCodec;
}

export const CLIENT_HALVES = [chatClient, responsesClient, messagesClient, generateClient] as const;

const CODECS: Readonly<Record<string, DialectCodec>> = {
  chat: chatClient.codec,
  responses: responsesClient.codec,
  messages: messagesClient.codec,
  generate: generateClient.codec,
};

export const SPEAKERS: readonly Speaker[] = CLIENTS.map((client) => ({ client, codec: CODECS[client.name]! }));

export function speakerOf(dialect: ClientDialectName): Speaker {
  return SPEAKERS.find(({ codec }) => codec.dialect === dialect)!;
}

export const OPTIONS: StreamTapOptions = {
  servedModel: 'served/m',
  includeUsage: true,
  n: 1,
  maxEventBytes: 1 << 20,
  maxPreludeBytes: 1 << 20,
  holdAll: false,
  maxHeldBytes: 1 << 23,
};

export const TARGET = { upstreamModel: 'up', vendor: 'maker', maxOutputTokens: null, lacks: new Set<string>() };

/** A request that takes whatever may come. */
export function requestOf({ client, codec }: Speaker, more: Partial<Ask> = {}): ClientRequest {
  const ask: Ask = { model: 'm', text: 'hi', stream: true, reasoning: true, ...more };
  const read = codec.readRequest(Buffer.from(client.body(ask)), {
    model: 'm',
    ...(client.name === 'generate' ? { stream: ask.stream ?? false } : {}),
    version: client.name === 'messages' ? '2023-06-01' : null,
  });
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

/** Of one stream: what came of it, and what its client has. */
export interface Crossed {
  readonly tap: StreamTap;
  /** What the client got before the end, or the break. */
  readonly shown: Buffer;
  /** The whole of it: with the held end, or with the error that says it broke off. */
  readonly told: Buffer;
}

/** Runs an upstream's stream through the way to a client. */
export function cross(speaker: Speaker, dialect: Dialect, pieces: readonly Uint8Array[], options = OPTIONS): Crossed {
  const request = requestOf(speaker);
  const lane = laneOf(speaker.codec, dialect)!.open({
    request,
    target: TARGET,
    servedModel: options.servedModel,
    id: 'req_1',
    createdAt: 1_760_000_000_000,
  });
  lane.writeUpstream(request, { target: TARGET, degrade: null, injectUsage: true });
  return run(speaker, lane.streamTap(options), pieces, request);
}

/** Runs a stream through its own dialect's tap. */
export function native(speaker: Speaker, pieces: readonly Uint8Array[], options = OPTIONS): Crossed {
  const request = requestOf(speaker);
  return run(speaker, speaker.codec.streamTap(options, request), pieces, request);
}

function run({ codec }: Speaker, tap: StreamTap, pieces: readonly Uint8Array[], request: ClientRequest): Crossed {
  const shown: Uint8Array[] = [];
  const drain = (): void => {
    if (tap.ready !== null) shown.push(tap.drain() ?? Buffer.alloc(0));
  };
  for (const piece of pieces) {
    tap.push(Buffer.from(piece));
    drain();
  }
  tap.end();
  drain();
  const before = Buffer.concat(shown);
  if (tap.complete) return { tap, shown: before, told: Buffer.concat([before, tap.tail(null, false)]) };
  const error = gatewayError('stream_interrupted', 'it broke off');
  const last = tap.interrupt?.(error, 'req_1') ?? codec.streamError(error, 'req_1', request);
  return { tap, shown: before, told: Buffer.concat([before, last === 'destroy' ? Buffer.alloc(0) : last]) };
}

/** In words: what is shown, how it ends. */
export function verdictOf({ ready, complete, suspicious, fault }: StreamTap): string {
  return `${ready ?? 'nothing'}, ${complete ? (suspicious ? 'doubtful' : 'whole') : (fault?.kind ?? 'open')}`;
}

export interface Vector {
  readonly file: string;
  readonly dialect: ClientDialectName;
  readonly bytes: Buffer;
}

const FOLDERS: readonly [ClientDialectName, string][] = [
  ['openai-chat', 'chat'],
  ['openai-responses', 'responses'],
  ['anthropic', 'messages'],
  ['gemini', 'generate'],
];

/** Every recorded stream. */
export const VECTORS: readonly Vector[] = FOLDERS.flatMap(([dialect, name]) => {
  const folder = new URL(`../../src/dialects/${name}/fixtures/streams/`, import.meta.url);
  const index = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as { streams: { file: string }[] };
  return index.streams
    .filter(({ file }) => file.endsWith('.sse'))
    .map(({ file }) => ({ file, dialect, bytes: readFileSync(new URL(file, folder)) }));
});
