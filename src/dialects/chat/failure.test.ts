import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../core/failure.ts';
import { vocabularyFor } from '../../providers/vocabularies.ts';
import type { FailureSource } from '../contract.ts';
import { classifyAnswer } from './failure.ts';

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
  readonly retry_source?: string;
}

const WALL = Date.UTC(2026, 10, 29);

const entries = JSON.parse(
  readFileSync(new URL('./fixtures/errors/upstream-errors.json', import.meta.url), 'utf8'),
) as Entry[];

/** Frames of other dialects: Responses, Messages and Bedrock events never reach a Chat stream. */
function isForeignFrame(entry: Entry): boolean {
  return entry.in_stream && !/^(?::[^\n]*\n\n)?data:/.test(entry.event ?? '');
}

function sourceOf(entry: Entry, vocabulary: string): FailureSource {
  const body = typeof entry.body === 'string' ? entry.body : JSON.stringify(entry.body);
  const headers = Object.entries(entry.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    status: entry.status,
    headers: Object.fromEntries(headers),
    body: new TextEncoder().encode(body),
    inStream: entry.in_stream,
    vocabulary: vocabularyFor(vocabulary),
    wall: WALL,
    phase: 'body',
    mask: (text) => text,
  };
}

/** The place that states the wait. One entry names the text though its headers state the same: headers come first (D-3). */
function sourceNamed(entry: Entry): string | undefined {
  if (entry.id === 'azure-429-86400') return 'header:retry-after-ms';
  return entry.retry_source?.split(' ')[0];
}

const arriving = entries.filter((entry) => !isForeignFrame(entry));

describe('F-1: recorded failures of providers', () => {
  it('covers every entry that arrives in this dialect', () => {
    expect(arriving.length).toBe(entries.length - 13);
  });

  describe.each(['own', 'generic'])('read by the %s vocabulary', (which) => {
    it.each(arriving.map((entry) => [entry.id, entry] as const))('%s', (_id, entry) => {
      const failure = classifyAnswer(sourceOf(entry, which === 'own' ? entry.provider : 'generic'));
      expect([entry.class, ...(entry.alt_classes ?? [])]).toContain(failure.class);
      expect(failure.hint?.ms ?? null).toBe(entry.retry_after_ms);
      if (entry.retry_after_ms !== null) expect(failure.hint?.source).toBe(sourceNamed(entry));
    });
  });
});
