import { describe, expect, it } from 'vitest';
import { DEFAULT_RETRY_BUDGET, RetryBudget } from './retry-budget.ts';

function take(budget: RetryBudget, channel: string, times: number, now: number): number {
  let granted = 0;
  for (let i = 0; i < times; i += 1)
    if (budget.mayRepeat(channel, now)) {
      budget.noteRepeat(channel, now);
      granted += 1;
    }
  return granted;
}

function firsts(budget: RetryBudget, channel: string, times: number, now: number): void {
  for (let i = 0; i < times; i += 1) budget.noteFirst(channel, now);
}

describe('D-6: retry budget', () => {
  it('always grants 10 repeats per window, whatever the traffic', () => {
    const budget = new RetryBudget();
    expect(take(budget, 'm#a', 30, 0)).toBe(10);
    firsts(budget, 'm#a', 50, 1);
    expect(take(budget, 'm#a', 1, 2)).toBe(0);
  });

  it('grants a fifth of the first attempts of the window', () => {
    const budget = new RetryBudget();
    firsts(budget, 'm#a', 104, 0);
    expect(take(budget, 'm#a', 99, 5)).toBe(20);
    firsts(budget, 'm#a', 1, 6);
    expect(take(budget, 'm#a', 9, 7)).toBe(1);
  });

  it('looks at the last 10 s only: what is older counts neither for nor against', () => {
    const budget = new RetryBudget();
    firsts(budget, 'm#a', 200, 0);
    expect(take(budget, 'm#a', 99, 9000)).toBe(40);
    expect(take(budget, 'm#a', 99, 9999)).toBe(0);
    expect(take(budget, 'm#a', 99, 18_999)).toBe(0);
    expect(take(budget, 'm#a', 99, 19_000)).toBe(10);
  });

  it('channels do not share it', () => {
    const budget = new RetryBudget();
    firsts(budget, 'm#a', 1000, 0);
    expect(take(budget, 'm#b', 99, 0)).toBe(10);
    expect(take(budget, 'm#a', 999, 0)).toBe(200);
  });

  it('takes the configured figures', () => {
    const budget = new RetryBudget({ ratio: 0.5, windowMs: 1000, min: 1 });
    firsts(budget, 'm#a', 10, 0);
    expect(take(budget, 'm#a', 99, 0)).toBe(5);
    expect(take(budget, 'm#a', 99, 1000)).toBe(1);
    expect(DEFAULT_RETRY_BUDGET).toEqual({ ratio: 0.2, windowMs: 10_000, min: 10 });
  });

  it('forgets silent channels instead of growing for ever', () => {
    const budget = new RetryBudget();
    for (let i = 0; i < 10_000; i += 1) budget.noteFirst(`m#${i}`, i * 10);
    expect(budget.size).toBeLessThan(6000);
  });
});
