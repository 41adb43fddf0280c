import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OPTIONS } from '../../../test/support/messages-feed.ts';
import type { FailureClass } from '../../core/failure.ts';
import { vocabularyFor } from '../../providers/vocabularies.ts';
import type { FailureSource } from '../contract.ts';
import { classifyAnswer } from './failure.ts';
import { messagesTap } from './stream.ts';

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

const recorded = new URL('../chat/fixtures/errors/upstream-errors.json', import.meta.url);
/** Events of this dialect's form, and all bodies but answers of another dialect that failed in substance. */
const entries = (JSON.parse(readFileSync(recorded, 'utf8')) as Entry[]).filter(({ in_stream, event, status, body }) =>
  in_stream
    ? event?.startsWith('event: error') === true
    : status !== 200 || !/"(?:choices|candidates|promptFeedback)"/.test(JSON.stringify(body)),
);
const ours = entries.filter(({ id }) => id.includes('anthropic'));

function sourceOf(entry: Entry, vocabulary: string, body: Uint8Array): FailureSource {
  const headers = Object.entries(entry.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    status: entry.status,
    headers: Object.fromEntries(headers),
    body,
    inStream: entry.in_stream,
    vocabulary: vocabularyFor(vocabulary),
    wall: Date.UTC(2026, 10, 29),
    phase: 'body',
    mask: (text) => text,
  };
}

const bodyOf = ({ body }: Entry): Buffer => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

describe('F-1: recorded failures', () => {
  it('holds every one of this dialect’s own vendor', () => {
    expect(ours).toHaveLength(17);
  });

  describe.each(['own', 'generic'])('read by the %s vocabulary', (which) => {
    it.each(entries.map((entry) => [entry.id, entry] as const))('%s', (_id, entry) => {
      const failure = classifyAnswer(sourceOf(entry, which === 'own' ? entry.provider : 'generic', bodyOf(entry)));
      expect([entry.class, ...(entry.alt_classes ?? [])]).toContain(failure.class);
      expect(failure.hint?.ms ?? null).toBe(entry.retry_after_ms);
    });
  });

  it.each(ours.filter(({ in_stream }) => in_stream).map((entry) => [entry.id, entry] as const))(
    'T-2: %s, as the tap finds it in its stream',
    (_id, entry) => {
      const tap = messagesTap(OPTIONS);
      tap.push(Buffer.from(entry.event ?? ''));
      if (tap.fault?.kind !== 'error_event') throw new Error('no error');
      expect(classifyAnswer(sourceOf(entry, entry.provider, tap.fault.body)).class).toBe(entry.class);
    },
  );
});

describe('F-6: successes that are none', () => {
  const source = (body: unknown): FailureSource =>
    sourceOf(
      { status: 200, headers: null, in_stream: false } as unknown as Entry,
      'generic',
      Buffer.from(JSON.stringify(body)),
    );

  it.each([
    [{ content: [], stop_reason: null }, 'malformed', 'empty message'],
    [{ choices: [] }, 'malformed', 'no message'],
    [{ type: 'error', error: { type: 'rate_limit_error', message: 'slow' } }, 'rate_limit', 'slow'],
  ])('%j is %s', (body, failureClass, words) => {
    const failure = classifyAnswer(source(body));
    expect(failure.class).toBe(failureClass);
    expect(failure.message).toContain(words);
  });

  it('F-1: the stable cause in the details counts more than the type', () => {
    const error = { type: 'rate_limit_error', message: 'x', details: { error_code: 'enforced_spend_limit_reached' } };
    expect(classifyAnswer(source({ type: 'error', error })).class).toBe('quota_exhausted');
  });
});
