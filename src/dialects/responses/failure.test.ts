import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { feedEvents } from '../../../test/support/event-tap-feed.ts';
import type { Failure, FailureClass } from '../../core/failure.ts';
import { vocabularyFor } from '../../providers/vocabularies.ts';
import { responsesCodec } from './codec.ts';

interface Entry {
  readonly id: string;
  readonly provider: string;
  readonly status: number;
  readonly headers: Record<string, string> | null;
  readonly body: unknown;
  readonly in_stream: boolean;
  readonly event?: string;
  readonly class: FailureClass;
  readonly alt_classes?: FailureClass[];
  readonly retry_after_ms: number | null;
}

const file = new URL('../chat/fixtures/errors/upstream-errors.json', import.meta.url);
const entries = JSON.parse(readFileSync(file, 'utf8')) as Entry[];
/** Answers of other dialects never come from an upstream of this one. */
const isForeign = ({ status, body }: Entry): boolean =>
  status === 200 && /"(?:finish_reason|promptFeedback)"/.test(JSON.stringify(body));
const bodies = entries.filter((entry) => !entry.in_stream && !isForeign(entry));
const events = entries.filter((entry) => entry.in_stream && /"type":\s*"(?:response\.|error")/.test(entry.event ?? ''));

function classified(entry: Entry, body: Uint8Array, vocabulary = entry.provider): Failure {
  const headers = Object.entries(entry.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return responsesCodec.classify({
    status: entry.status,
    headers: Object.fromEntries(headers),
    body,
    inStream: entry.in_stream,
    vocabulary: vocabularyFor(vocabulary),
    wall: Date.UTC(2026, 10, 29),
    phase: 'body',
    mask: (text) => text,
  });
}

const bytesOf = (body: unknown): Uint8Array => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

describe('F-1: recorded failures of providers', () => {
  it('covers bodies and this dialect’s events', () => {
    expect(bodies.length).toBeGreaterThan(150);
    expect(events.length).toBeGreaterThanOrEqual(6);
  });

  it.each(bodies.map((entry) => [entry.id, entry] as const))('%s', (_id, entry) => {
    const failure = classified(entry, bytesOf(entry.body));
    expect([entry.class, ...(entry.alt_classes ?? [])]).toContain(failure.class);
    expect(failure.hint?.ms ?? null).toBe(entry.retry_after_ms);
  });

  it.each(events.map((entry) => [entry.id, entry] as const))('dialects §14.3: %s as the tap reads it', (_id, entry) => {
    const { tap, ready } = feedEvents(responsesCodec, [entry.event!]);
    expect(ready).toBeNull();
    const { fault } = tap;
    if (fault?.kind !== 'error_event') throw new Error(`no error event: ${JSON.stringify(fault)}`);
    for (const vocabulary of [entry.provider, 'generic']) {
      const failure = classified(entry, fault.body, vocabulary);
      expect([entry.class, ...(entry.alt_classes ?? [])]).toContain(failure.class);
      expect(failure.hint?.ms ?? null).toBe(entry.retry_after_ms);
      expect(failure.maybeExecuted).toBe(false);
    }
  });
});

describe('F-5, F-6: successes that are none', () => {
  const of = (body: object): Failure =>
    classified({ ...bodies[0]!, provider: 'openai', status: 200, headers: null }, bytesOf(body));
  const response = (more: object): object => ({ id: 'r', object: 'response', output: [], error: null, ...more });

  it('a failed response has the class of its error, whatever the request it repeats says', () => {
    const failed = response({
      status: 'failed',
      error: { code: 'rate_limit_exceeded', message: 'Slow down. Please try again in 2s.' },
      instructions: 'invalid api key',
      metadata: { message: 'context_length_exceeded', code: 'insufficient_quota' },
    });
    expect(of(failed)).toMatchObject({ class: 'rate_limit', code: 'rate_limit_exceeded', maybeExecuted: false });
    expect(of(failed).hint?.ms).toBe(2000);
    expect(of({ type: 'response.failed', response: failed })).toMatchObject({ class: 'rate_limit' });
  });

  it('one without an error is the server’s fault, one that was filtered is policy', () => {
    expect(of(response({ status: 'failed' }))).toMatchObject({ class: 'server_error', code: 'failed' });
    const filtered = response({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } });
    expect(of(filtered)).toMatchObject({ class: 'content_policy', code: 'content_filter' });
  });

  it.each(['Item', 'Prompt', 'Conversation', 'Previous response', 'File'])(
    'F-1: %s that nobody knows is the caller’s fault, and no word on the model',
    (thing) => {
      const error = { message: `${thing} with id 'x_1' not found.`, type: 'invalid_request_error', code: null };
      const entry = { ...bodies[0]!, provider: 'openai', status: 404, headers: null };
      expect(classified(entry, bytesOf({ error })).class).toBe('invalid_request');
    },
  );

  it('what is no response at all is malformed', () => {
    expect(of({ a: 1 })).toMatchObject({ class: 'malformed', message: 'the upstream answer is no response' });
    expect(of({ error: { message: 'no', code: 'server_is_overloaded' } })).toMatchObject({ class: 'overloaded' });
  });
});
