/** Failures in the words providers use for them, beyond the recorded ones: each read in its own words and by the general rules. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/core/failure.ts';
import { chatCodec } from '../../src/dialects/chat/codec.ts';
import { converseUpstream } from '../../src/dialects/converse/translated.ts';
import { generateCodec } from '../../src/dialects/generate/codec.ts';
import { messagesCodec } from '../../src/dialects/messages/codec.ts';
import { responsesCodec } from '../../src/dialects/responses/codec.ts';
import { vocabularyFor } from '../../src/providers/vocabularies.ts';

interface Row {
  readonly provider: string;
  readonly status: number;
  readonly body: unknown;
  /** Any of these is right. */
  readonly classes: readonly string[];
  readonly wait_ms?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maybe_executed?: boolean;
}

const file = new URL('fixtures/more-failures.json', import.meta.url);
const rows = JSON.parse(readFileSync(file, 'utf8')) as readonly Row[];
const codecs = [chatCodec, responsesCodec, messagesCodec, generateCodec, converseUpstream];

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

function readBy(codec: (typeof codecs)[number], row: Row, body: string, vocabulary: string): Failure {
  return codec.classify({
    status: row.status,
    headers: row.headers ?? {},
    body: Buffer.from(body),
    inStream: false,
    vocabulary: vocabularyFor(vocabulary),
    wall: Date.UTC(2026, 10, 29),
    phase: 'body',
    mask: (text) => text,
  });
}

describe('F-1, F-2, F-6, D-3: failures nobody recorded', () => {
  it.each(
    rows.map((row, at) => [`${at} ${row.provider} ${row.status} ${textOf(row.body).slice(0, 60)}`, row] as const),
  )('%s', (_title, row) => {
    // A code that means something else at its own provider needs that provider's vocabulary.
    const disputed = row.provider === 'dashscope' && textOf(row.body).includes('insufficient_quota');
    for (const vocabulary of disputed ? [row.provider] : [row.provider, 'generic']) {
      for (const codec of codecs) {
        const failure = readBy(codec, row, textOf(row.body), vocabulary);
        expect(row.classes).toContain(failure.class);
        expect(failure.hint?.ms ?? null).toBe(row.wait_ms ?? null);
        if (row.maybe_executed !== undefined) expect(failure.maybeExecuted).toBe(row.maybe_executed);
      }
    }
  });
});

/** How relays pass on what they got. */
const WRAPPINGS: Readonly<Record<string, (body: unknown, status: number) => unknown>> = {
  'as a text': (body, code) => ({
    error: { message: 'Provider returned error', code, metadata: { raw: textOf(body), provider_name: 'X' } },
  }),
  'as an object': (body, code) => ({ error: { message: 'Provider returned error', code, metadata: { raw: body } } }),
  'in a list': (body) => [body],
  'as a detail': (body) => ({ detail: body }),
  'behind words of its own': (body, code) => ({
    error: { message: `relay.APIError: XException - ${textOf(body)}`, type: null, param: null, code: String(code) },
  }),
};

describe.each(Object.entries(WRAPPINGS))('F-1: the same, passed on by a relay %s', (_how, wrap) => {
  it('reads as what it was', () => {
    const wrong = rows
      .filter(({ status, body }) => status >= 400 && typeof body !== 'string')
      .map((row) => ({
        row,
        failure: readBy(chatCodec, row, JSON.stringify(wrap(row.body, row.status)), row.provider),
      }))
      .filter(({ row, failure }) => !row.classes.includes(failure.class) || failure.hint?.ms !== row.wait_ms)
      .map(({ row, failure }) => [failure.class, failure.hint?.ms, row]);
    expect(wrong).toEqual([]);
  });

  it('an outer "upstream error" does not make a server’s fault of the caller’s', () => {
    const body = { type: 'error', error: { type: 'invalid_request_error', message: 'temperature: not for this' } };
    const outer = { error: { message: `upstream error: ${textOf(body)}`, type: 'upstream_error', code: '400' } };
    const row: Row = { provider: 'openai-compatible', status: 400, body, classes: [] };
    expect(readBy(chatCodec, row, textOf(wrap(outer, 400)), 'generic').class).toBe('invalid_request');
  });
});
