import { describe, expect, it } from 'vitest';
import { inputOf } from './random-input.ts';
import { checkReplay, watchedRun } from './watched-run.ts';

/** `UNDERSTUDY_SEED=17` runs that seed alone. */
const ONLY = process.env['UNDERSTUDY_SEED'];
const SEEDS = ONLY === undefined ? Array.from({ length: 8000 }, (_, seed) => seed + 1) : [Number(ONLY)];

/** Names the one command that runs a failing seed again. */
function withSeed(seed: number, check: () => void): void {
  try {
    check();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${why}\n  again: UNDERSTUDY_SEED=${seed} npx vitest run test/simulation`, { cause });
  }
}

describe('D-1 D-2 D-4 D-5 D-8 D-9 D-10 T-6: random scripts', () => {
  it('every run keeps every invariant', () => {
    const verdicts = new Set<string>();
    for (const seed of SEEDS) {
      withSeed(seed, () => verdicts.add(watchedRun(inputOf(seed)).state.verdict!.kind));
    }
    if (ONLY !== undefined) return;
    const all = ['all_resting', 'client_closed', 'exhausted', 'interrupted', 'outcome_unknown', 'retry_exhausted'];
    expect([...verdicts].sort()).toEqual([...all, 'served', 'stopped']);
  });

  it('the same seed gives the same actions, and so does a replay of the recorded events', () => {
    for (const seed of SEEDS.filter((_, index) => index % 10 === 0)) {
      withSeed(seed, () => {
        const [first, second] = [watchedRun(inputOf(seed)), watchedRun(inputOf(seed))];
        expect(second.actions).toEqual(first.actions);
        checkReplay(first);
      });
    }
  });
});
