import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../core/failure.ts';
import { vocabularyFor } from '../../providers/vocabularies.ts';
import { classifyAnswer } from './failure.ts';

/** Failures as they are worded elsewhere; written by hand to check that the rules hold for kinds, not for entries. */
interface Variant {
  readonly id: string;
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly stream?: boolean;
  readonly body: unknown;
  readonly class: FailureClass;
  readonly alt?: FailureClass[];
  readonly ms?: number;
}

const variants = ['variants.json', 'variants-2.json', 'variants-3.json'].flatMap(
  (file) => JSON.parse(readFileSync(new URL(`./fixtures/errors/${file}`, import.meta.url), 'utf8')) as Variant[],
);

describe('F-1: other wordings of the same failures', () => {
  it.each(variants.map((variant) => [variant.id, variant] as const))('%s', (_id, variant) => {
    const failure = classifyAnswer({
      status: variant.status,
      headers: { 'content-type': 'application/json', ...variant.headers },
      body: new TextEncoder().encode(typeof variant.body === 'string' ? variant.body : JSON.stringify(variant.body)),
      inStream: variant.stream ?? false,
      vocabulary: vocabularyFor('generic'),
      wall: Date.UTC(2026, 10, 29),
      phase: 'body',
      mask: (text) => text,
    });
    expect([variant.class, ...(variant.alt ?? [])]).toContain(failure.class);
    expect(failure.hint?.ms ?? null).toBe(variant.ms ?? null);
  });
});
