/** Period counters with processes beside this one (G-11); over real stores see the conformance suite. */
import { describe, expect, it } from 'vitest';
import type { PeriodRow, PeriodStore } from '../ports/period-store.ts';
import { PeriodCounters } from './period-counters.ts';

const NOON = Date.UTC(2026, 10, 29, 12);
const START = Date.UTC(2026, 10, 29);
const row = (tokens: number, more: Partial<PeriodRow> = {}): PeriodRow => ({
  kind: 'key',
  id: 'dev',
  period: 'day',
  start: START,
  requests: tokens,
  tokens,
  spend: BigInt(tokens),
  told: 0,
  ...more,
});

/** A store that others write to as well, and a board that shows what it is told. */
function rig(found: readonly PeriodRow[]) {
  let total = found[0] ?? row(0);
  let fails = false;
  const added: PeriodRow[] = [];
  const store: PeriodStore = {
    load: async () => found,
    async add(deltas) {
      if (fails) throw new Error('away');
      added.push(...deltas);
      for (const delta of deltas) {
        const sum = total.tokens + delta.tokens;
        total = row(sum, { told: total.told | delta.told });
      }
      return [total];
    },
  };
  let changed: PeriodRow[] = [];
  const foreign: PeriodRow[] = [];
  const board = {
    restore: () => undefined,
    changed: () => changed.splice(0),
    foreign: (rows: readonly PeriodRow[]) => void foreign.push(...rows),
  };
  const clock = { wall: () => NOON, now: () => 0, after: () => () => undefined };
  const counters = new PeriodCounters({ store, board, clock, onProblem: () => undefined });
  return {
    counters,
    added,
    foreign,
    change: (...rows: PeriodRow[]) => {
      changed = rows;
    },
    others: (tokens: number) => {
      total = row(total.tokens + tokens, { told: total.told });
    },
    fail: (is: boolean) => {
      fails = is;
    },
  };
}

describe('period counters beside other processes', () => {
  it('G-11: only what came since is added, and what was not counted here is told with what was there before', async () => {
    const { counters, added, foreign, change, others } = rig([row(10)]);
    await counters.start();
    change(row(15));
    others(100);
    await counters.flush();
    expect(added).toEqual([row(5)]);
    expect(foreign).toEqual([row(110)]);
    change(row(16));
    others(7);
    await counters.flush();
    expect(added.at(-1)).toEqual(row(1));
    expect(foreign.at(-1)).toEqual(row(117));
    await counters.close();
  });

  it('G-11: what could not be added is added with what came meanwhile, once', async () => {
    const { counters, added, change, fail } = rig([]);
    await counters.start();
    fail(true);
    change(row(5));
    await counters.flush();
    fail(false);
    change(row(8));
    await counters.flush();
    await counters.flush();
    expect(added).toEqual([row(8)]);
    await counters.close();
  });

  it('G-11: what has not changed is not added; a new period is added whole, a limit told is told once', async () => {
    const { counters, added, change } = rig([row(10, { told: 1 })]);
    await counters.start();
    change(row(10, { told: 1 }));
    await counters.flush();
    expect(added).toEqual([]);
    change(row(10, { told: 3 }));
    await counters.flush();
    expect(added).toEqual([row(0, { told: 2 })]);
    const tomorrow = { start: START + 86_400_000, told: 1 };
    change(row(2, tomorrow));
    await counters.flush();
    expect(added.at(-1)).toEqual(row(2, tomorrow));
    await counters.close();
  });
});
