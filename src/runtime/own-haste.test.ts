import { describe, expect, it } from 'vitest';
import type { TimeoutKind } from './attempt-timers.ts';
import type { Job } from './job.ts';
import { gaveUpEarly } from './own-haste.ts';

function early(kind: TimeoutKind, ms: number, defaults: Record<string, number> = {}, models = 1): boolean {
  const chain = { entries: Array.from({ length: models }, () => ({})) };
  const job = { chain, snapshot: { defaults } } as unknown as Pick<Job, 'chain' | 'snapshot'>;
  return gaveUpEarly(job, { timedOut: { kind, ms } });
}

const WAITS: readonly TimeoutKind[] = ['total_timeout', 'first_token_timeout', 'idle_timeout', 'stall_timeout'];

describe('H-2: whose timeout it was', () => {
  it('H-2: what did not time out here is nobody’s haste', () => {
    const job = { chain: { entries: [{}] }, snapshot: { defaults: {} } } as unknown as Job;
    expect(gaveUpEarly(job, { timedOut: null })).toBe(false);
  });

  it.each(WAITS)('H-2: %s: less than ten seconds is the caller’s, more tells of the channel', (kind) => {
    expect([early(kind, 9999), early(kind, 10_000)]).toEqual([true, false]);
  });

  it('H-1: no server to connect to in its provider’s own time is the channel’s fault', () => {
    expect(early('connect_timeout', 50)).toBe(false);
  });

  it.each<[TimeoutKind, string]>([
    ['total_timeout', 'timeout_ms'],
    ['first_token_timeout', 'first_token_timeout_ms'],
    ['first_token_timeout', 'timeout_ms'],
    ['idle_timeout', 'idle_timeout_ms'],
    ['stall_timeout', 'stall_timeout_ms'],
  ])('H-1: %s: where the operator’s own %s is shorter, that tells', (kind, field) => {
    expect([early(kind, 1999, { [field]: 2000 }), early(kind, 2000, { [field]: 2000 })]).toEqual([true, false]);
  });

  it('H-1, D-4: so does the share of the operator’s deadline that a target gets in the middle of a chain', () => {
    // 24 s among three models, half of 8 s to the first of two channels.
    const defaults = { deadline_ms: 24_000 };
    expect(early('total_timeout', 4000, defaults, 3)).toBe(false);
    expect(early('first_token_timeout', 4000, defaults, 3)).toBe(false);
    expect(early('total_timeout', 1000, defaults, 3)).toBe(true);
  });
});
