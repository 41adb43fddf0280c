/** Every recorded failure of every provider, as each way to it reads it: bodies, errors under 200, events of streams. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../core/failure.ts';
import { chatCodec } from '../dialects/chat/codec.ts';
import type { FailureSource, NativeSide } from '../dialects/contract.ts';
import { converseUpstream } from '../dialects/converse/translated.ts';
import { generateCodec } from '../dialects/generate/codec.ts';
import { messagesCodec } from '../dialects/messages/codec.ts';
import { responsesCodec } from '../dialects/responses/codec.ts';
import { presets } from './presets.ts';
import { vocabularyFor } from './vocabularies.ts';

interface Entry {
  readonly id: string;
  readonly provider: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: unknown;
  readonly in_stream: boolean;
  readonly event?: string;
  readonly class: FailureClass;
  readonly alt_classes?: readonly FailureClass[];
  readonly retry_after_ms: number | null;
}

type Classify = NativeSide['classify'];

const CODECS: Readonly<Record<string, { readonly classify: Classify }>> = {
  chat: chatCodec,
  responses: responsesCodec,
  messages: messagesCodec,
  generate: generateCodec,
  converse: converseUpstream,
};

const file = new URL('../dialects/chat/fixtures/errors/upstream-errors.json', import.meta.url);
const entries = JSON.parse(readFileSync(file, 'utf8')) as readonly Entry[];

/** What the failing bytes are: the body, or the data of the failing event. */
function bytesOf({ body, event }: Entry): Buffer {
  const frame = event === undefined ? null : /:exception-type=(\S+) (\{.*\})/s.exec(event);
  // The frame's own name is put where HTTP answers of that API have theirs.
  if (frame !== null) return Buffer.from(JSON.stringify({ __type: frame[1], ...(JSON.parse(frame[2]!) as object) }));
  const data = event?.match(/^data: ?(.*)$/m)?.[1];
  return Buffer.from(data ?? (typeof body === 'string' ? body : JSON.stringify(body)));
}

function sourceOf(entry: Entry, vocabulary: string): FailureSource {
  const headers = Object.entries(entry.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    status: entry.status,
    headers: Object.fromEntries(headers),
    body: bytesOf(entry),
    inStream: entry.in_stream,
    vocabulary: vocabularyFor(vocabulary),
    wall: Date.UTC(2026, 10, 29),
    phase: 'body',
    mask: (text) => text,
  };
}

function expectRead(entry: Entry, vocabulary: string, classify: Classify): void {
  const failure = classify(sourceOf(entry, vocabulary));
  expect([entry.class, ...(entry.alt_classes ?? [])]).toContain(failure.class);
  expect(failure.hint?.ms ?? null).toBe(entry.retry_after_ms);
}

const failed = entries.filter(({ status, in_stream }) => in_stream || status < 200 || status > 299);

describe.each(Object.entries(CODECS))('F-1: recorded failures, read on the way of %s', (_name, { classify }) => {
  it.each(failed.map((entry) => [entry.id, entry] as const))('%s', (_id, entry) => {
    for (const vocabulary of [entry.provider, 'generic']) expectRead(entry, vocabulary, classify);
  });
});

describe('F-1: a provider’s own vocabulary', () => {
  it.each([
    ['moonshot', 400, { error: { message: 'Invalid request: model token limit exceeded' } }, 'context_length'],
    ['lmstudio', 400, { error: 'Model unloaded.' }, 'server_error'],
    [
      'vertex',
      401,
      { error: { code: 401, status: 'UNAUTHENTICATED', details: [{ reason: 'ACCESS_TOKEN_TYPE_UNSUPPORTED' }] } },
      'auth',
    ],
  ])('knows what only %s says', (provider, status, body, expected) => {
    const entry = { id: '', provider, status, headers: null, body, in_stream: false, retry_after_ms: null } as const;
    expect(chatCodec.classify(sourceOf({ ...entry, class: 'auth' }, provider)).class).toBe(expected);
  });

  it('is there for everybody whose failures are recorded, and reads them whole', () => {
    const silent = entries.filter(({ status, in_stream }) => !in_stream && status >= 200 && status <= 299);
    expect(failed.length + silent.length).toBe(entries.length);
    for (const entry of silent) {
      const ways = Object.values(CODECS).filter(({ classify }) => {
        const { class: found } = classify(sourceOf(entry, entry.provider));
        return [entry.class, ...(entry.alt_classes ?? [])].includes(found);
      });
      expect(ways.length, entry.id).toBeGreaterThan(0);
    }
  });

  it('is never another’s for a type of the interface', () => {
    const shared = [...presets.values()].filter(({ vocabulary, type }) => vocabulary.id !== type);
    expect(shared.map(({ type, vocabulary }) => [type, vocabulary.id])).toEqual([
      ['vertex', 'gemini'],
      ['sim', 'openai-compatible'],
    ]);
  });
});
