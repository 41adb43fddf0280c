import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LimitBoard, type LimitLease, LOW_PRIORITY_SHARE } from './limit-board.ts';
import type { LimitReached, LimitScope, Limits } from './limits.ts';
import { UNLIMITED } from './unlimited.ts';

/** 2026-11-29T10:00:00Z. */
const WALL = Date.UTC(2026, 10, 29, 10);
const DAY = 86_400_000;

function scope(limits: Partial<Limits>, id = 'k', kind: LimitScope['kind'] = 'key'): LimitScope {
  return { kind, id, limits: { ...UNLIMITED, ...limits } };
}

/** A board with its own time. */
function rig(start = 1000) {
  const board = new LimitBoard();
  const rig = {
    board,
    now: start,
    wall: () => WALL + (rig.now - start),
    take(scopes: readonly LimitScope[], tokens = 0, cost: bigint | null = null, share = 1): LimitLease {
      const answer = board.admit(scopes, { tokens, cost }, rig.now, rig.wall(), share);
      if (!answer.ok) throw new Error(`refused: ${answer.reached.limit}`);
      return answer.lease;
    },
    refusal(scopes: readonly LimitScope[], tokens = 0, share = 1): (LimitReached & { id: string }) | null {
      const answer = board.admit(scopes, { tokens, cost: null }, rig.now, rig.wall(), share);
      return answer.ok ? null : { ...answer.reached, id: answer.scope.id };
    },
    done(lease: LimitLease, tokens: number | null = 0, cost: bigint | null = 0n) {
      return board.settle(lease, { tokens, cost }, rig.now, rig.wall());
    },
  };
  return rig;
}

describe('requests per minute', () => {
  it('G-11: takes as many as the limit in 60 s, and the next at the exact instant the first has left', () => {
    const board = new LimitBoard();
    const limited = scope({ requestsPerMinute: 2 });
    const at = (now: number) => board.admit([limited], { tokens: 0, cost: null }, now, WALL + now);
    expect(at(1000).ok).toBe(true);
    expect(at(1500).ok).toBe(true);
    expect(at(1600)).toEqual({
      ok: false,
      scope: limited,
      reached: { limit: 'requests_per_minute', availableAt: WALL + 61_000 },
    });
    expect(at(60_999).ok).toBe(false);
    expect(at(61_000).ok).toBe(true);
    expect(at(61_000).ok).toBe(false);
  });

  it('P-4: planning reads the same answer and takes nothing', () => {
    const r = rig();
    const limited = scope({ requestsPerMinute: 1 });
    for (let i = 0; i < 5; i += 1) expect(r.board.reached(limited, r.now, r.wall())).toBeNull();
    r.done(r.take([limited]));
    const expected = { limit: 'requests_per_minute', availableAt: r.wall() + 60_000 };
    expect(r.board.reached(limited, r.now, r.wall())).toEqual(expected);
    expect(r.board.reached(scope({ requestsPerMinute: 2 }), r.now, r.wall())).toBeNull();
  });
});

describe('tokens per minute', () => {
  it('G-11: an expectation takes room until the actual use replaces it', () => {
    const r = rig();
    const limited = scope({ tokensPerMinute: 100 });
    const lease = r.take([limited], 80);
    expect(r.refusal([limited], 30)).toMatchObject({ limit: 'tokens_per_minute', availableAt: r.wall() + 60_000 });
    r.done(lease, 50);
    expect(r.refusal([limited], 30)).toBeNull();
    expect(r.refusal([limited], 30)).toMatchObject({ limit: 'tokens_per_minute' });
  });

  it('G-11: use beyond the expectation counts from when it is known', () => {
    const r = rig();
    const limited = scope({ tokensPerMinute: 100 });
    const lease = r.take([limited], 10);
    r.now += 30_000;
    r.done(lease, 110);
    r.now += 30_000;
    // The expected 10 have left, the other 100 have not.
    expect(r.refusal([limited], 1)).toMatchObject({ availableAt: r.wall() + 30_000 });
    r.now += 30_000;
    expect(r.refusal([limited], 1)).toBeNull();
  });

  it('an expectation that has left the window is not taken out of it a second time', () => {
    const r = rig();
    const limited = scope({ tokensPerMinute: 100 });
    const long = r.take([limited], 80);
    r.now += 61_000;
    r.take([limited], 90);
    r.done(long, 5);
    expect(r.board.usage(limited, r.now, r.wall()).minute.tokens).toBe(90);
    expect(r.refusal([limited], 20)).not.toBeNull();
  });

  it('unknown use leaves the expectation standing', () => {
    const r = rig();
    const limited = scope({ tokensPerMinute: 100 });
    r.done(r.take([limited], 60), null, null);
    expect(r.refusal([limited], 60)).toMatchObject({ limit: 'tokens_per_minute' });
    expect(r.board.usage(limited, r.now, r.wall()).day.tokens).toBe(60);
  });

  it('what is certain must fit, what is guessed is held beside it', () => {
    const r = rig();
    const limited = scope({ tokensPerMinute: 100 });
    const ask = { tokens: 1000, certain: 20, cost: null };
    const first = r.board.admit([limited], ask, r.now, r.wall());
    expect(first.ok).toBe(true);
    expect(r.board.admit([limited], ask, r.now, r.wall()).ok).toBe(false);
    if (first.ok) r.done(first.lease, 80);
    expect(r.board.admit([limited], ask, r.now, r.wall()).ok).toBe(true);
  });

  it('a call larger than the whole limit waits for an empty window, and goes then', () => {
    const r = rig();
    const limited = scope({ tokensPerMinute: 100 });
    r.done(r.take([limited], 1), 1);
    expect(r.refusal([limited], 5000)).toMatchObject({ availableAt: r.wall() + 60_000 });
    r.now += 60_000;
    expect(r.refusal([limited], 5000)).toBeNull();
    expect(r.refusal([limited], 1)).toMatchObject({ availableAt: r.wall() + 60_000 });
  });
});

describe('at the same time', () => {
  it('G-11: concurrency is given back by the settlement, once', () => {
    const r = rig();
    const limited = scope({ concurrent: 2 });
    const first = r.take([limited]);
    r.take([limited]);
    expect(r.refusal([limited])).toEqual({ limit: 'concurrent', availableAt: null, id: 'k' });
    r.done(first);
    r.done(first);
    r.take([limited]);
    expect(r.refusal([limited])).toMatchObject({ limit: 'concurrent' });
  });

  it('G-11: all scopes or none: a refused call leaves no trace anywhere', () => {
    const r = rig();
    const key = scope({ concurrent: 5, requestsPerMinute: 5 });
    const workspace = scope({ concurrent: 1 }, 'w', 'workspace');
    r.take([key, workspace]);
    for (let i = 0; i < 10; i += 1) expect(r.refusal([key, workspace], 7)).toMatchObject({ id: 'w' });
    const { inFlight, heldTokens, minute, day } = r.board.usage(key, r.now, r.wall());
    expect({ inFlight, heldTokens, perMinute: minute.requests, perDay: day.requests }).toEqual({
      inFlight: 1,
      heldTokens: 0,
      perMinute: 1,
      perDay: 1,
    });
  });

  it('the scope and limit that stand in the way the longest are named', () => {
    const r = rig();
    const key = scope({ concurrent: 1, requestsPerMinute: 1 });
    const workspace = scope({ requestsPerDay: 1 }, 'w', 'workspace');
    r.take([key, workspace]);
    expect(r.refusal([key])).toMatchObject({ limit: 'requests_per_minute' });
    expect(r.refusal([key, workspace])).toMatchObject({ id: 'w', limit: 'requests_per_day' });
  });
});

describe('the share of low priority', () => {
  it('C-4: at most 80 % of concurrency and minute limits, at least one', () => {
    const r = rig();
    for (const limits of [{ concurrent: 10 }, { requestsPerMinute: 10 }] as const) {
      const limited = scope(limits, JSON.stringify(limits));
      for (let i = 0; i < 8; i += 1) r.take([limited], 0, null, LOW_PRIORITY_SHARE);
      expect(r.refusal([limited], 0, LOW_PRIORITY_SHARE)).not.toBeNull();
      r.take([limited]);
      r.take([limited]);
      expect(r.refusal([limited])).not.toBeNull();
    }
    const tokens = scope({ tokensPerMinute: 100 }, 'tokens');
    expect(r.refusal([tokens], 80, LOW_PRIORITY_SHARE)).toBeNull();
    expect(r.refusal([tokens], 1, LOW_PRIORITY_SHARE)).not.toBeNull();
    expect(r.refusal([tokens], 20)).toBeNull();
    expect(r.refusal([scope({ concurrent: 1 }, 'one')], 0, LOW_PRIORITY_SHARE)).toBeNull();
  });
});

describe('periods', () => {
  it('P-4: requests per UTC day come back at midnight', () => {
    const r = rig();
    const limited = scope({ requestsPerDay: 1 });
    r.done(r.take([limited]));
    expect(r.refusal([limited])).toEqual({ limit: 'requests_per_day', availableAt: Date.UTC(2026, 10, 30), id: 'k' });
    r.now += 14 * 3_600_000 - 1;
    expect(r.refusal([limited])).not.toBeNull();
    r.now += 1;
    expect(r.refusal([limited])).toBeNull();
  });

  it('G-11: tokens and spend of day and month, settled and expected together', () => {
    const r = rig();
    const day = scope({ tokensPerDay: 100 });
    r.done(r.take([day], 10), 99);
    const running = r.take([day], 1);
    // Held by a running call: room may come at any time.
    expect(r.refusal([day])).toMatchObject({ limit: 'tokens_per_day', availableAt: null });
    r.done(running, 0);
    r.done(r.take([day]), 1);
    expect(r.refusal([day])).toMatchObject({ limit: 'tokens_per_day', availableAt: Date.UTC(2026, 10, 30) });

    const daily = scope({ spendPerDay: 1000n }, 'd');
    const held = r.take([daily], 0, 1000n);
    expect(r.refusal([daily])).toMatchObject({ limit: 'spend_per_day', availableAt: null });
    r.done(held, 0, 1000n);
    expect(r.refusal([daily])).toMatchObject({ limit: 'spend_per_day', availableAt: Date.UTC(2026, 10, 30) });

    const month = scope({ spendPerMonth: 1000n, spendPerDay: 2000n }, 'm');
    const spending = r.take([month], 0, 1000n);
    expect(r.refusal([month])).toMatchObject({ limit: 'spend_per_month', availableAt: null });
    r.done(spending, 0, 999n);
    r.done(r.take([month], 0, null), 0, 1n);
    expect(r.refusal([month])).toMatchObject({ limit: 'spend_per_month', availableAt: Date.UTC(2026, 11, 1) });
    r.now += DAY;
    expect(r.refusal([month])).toMatchObject({ limit: 'spend_per_month' });
    r.now += DAY;
    expect(r.refusal([month])).toBeNull();
  });

  it('what is settled after midnight counts in the new day', () => {
    const r = rig();
    const limited = scope({ tokensPerDay: 100 });
    const late = r.take([limited], 50);
    r.now += 14 * 3_600_000;
    r.done(late, 100);
    expect(r.refusal([limited])).toMatchObject({ availableAt: Date.UTC(2026, 11, 1) });
  });

  it('a wall clock set back gives no budget twice', () => {
    const board = new LimitBoard();
    const limited = scope({ requestsPerDay: 1 });
    const ask = (wall: number) => board.admit([limited], { tokens: 0, cost: null }, 0, wall).ok;
    expect(ask(WALL)).toBe(true);
    expect(ask(WALL - 2 * DAY)).toBe(false);
    expect(ask(WALL + DAY)).toBe(true);
  });

  it('G-11: a wall clock that was ahead by years blocks nobody once it is right again, also after a restart', () => {
    const board = new LimitBoard();
    const limited = scope({ requestsPerDay: 1, spendPerMonth: 5n });
    const ask = (on: LimitBoard, wall: number) => on.admit([limited], { tokens: 0, cost: 5n }, 0, wall).ok;
    expect(ask(board, WALL + 4000 * DAY)).toBe(true);
    const next = new LimitBoard();
    next.restore(board.changed());
    expect(ask(next, WALL + 4000 * DAY)).toBe(false);
    expect(ask(next, WALL)).toBe(true);
    expect(ask(next, WALL)).toBe(false);
  });
});

describe('crossings', () => {
  it('G-4: a soft limit lets through and is told once per period; a hard one likewise, and refuses', () => {
    const r = rig();
    const soft = { tokensPerDay: 100, tokensPerMonth: null, spendPerDay: null, spendPerMonth: 50n };
    const limited = scope({ soft, tokensPerDay: 200 });
    expect(r.done(r.take([limited]), 99)).toEqual([]);
    expect(r.done(r.take([limited]), 1)).toEqual([
      { scope: limited, limit: 'tokens_per_day', hard: false, amount: 100 },
    ]);
    expect(r.done(r.take([limited]), 50, 60n)).toMatchObject([{ limit: 'spend_per_month', hard: false, amount: 50n }]);
    expect(r.done(r.take([limited]), 50)).toMatchObject([{ limit: 'tokens_per_day', hard: true, amount: 200 }]);
    expect(r.refusal([limited])).toMatchObject({ limit: 'tokens_per_day' });
    r.now += DAY;
    expect(r.done(r.take([limited]), 150, 60n)).toMatchObject([{ limit: 'tokens_per_day', hard: false }]);
  });
});

describe('over a restart', () => {
  it('P-4: period counters go on where they were, and a crossing is not told again', () => {
    const r = rig();
    const soft = { tokensPerDay: 10, tokensPerMonth: null, spendPerDay: null, spendPerMonth: null };
    const limited = scope({ tokensPerMonth: 100, requestsPerDay: 3, soft });
    r.done(r.take([limited]), 60, 7n);
    const running = r.take([limited], 500);
    const rows = r.board.changed();
    expect(r.board.changed()).toEqual([]);
    expect(rows.map(({ period, requests, tokens, spend }) => [period, requests, tokens, spend])).toEqual([
      ['day', 2, 60, 7n],
      ['month', 2, 60, 7n],
    ]);
    r.done(running, 0);

    const next = rig(50);
    next.board.restore(rows);
    expect(next.done(next.take([limited]), 40)).toEqual([
      { scope: limited, limit: 'tokens_per_month', hard: true, amount: 100 },
    ]);
    expect(next.refusal([limited])).toMatchObject({ limit: 'tokens_per_month' });
    expect(next.board.usage(limited, next.now, next.wall()).day).toMatchObject({ requests: 3, tokens: 100 });
  });

  it('rows of a period that is over, or of an unknown kind, change nothing', () => {
    const r = rig();
    const limited = scope({ requestsPerDay: 1 });
    const row = { kind: 'key', id: 'k', period: 'day', requests: 9, tokens: 9, spend: 9n, told: 0 } as const;
    r.board.restore([
      { ...row, start: Date.UTC(2026, 10, 28) },
      { ...row, kind: 'planet', start: Date.UTC(2026, 10, 29) },
    ]);
    expect(r.board.usage(limited, r.now, r.wall()).day).toMatchObject({ requests: 0, tokens: 0 });
    expect(r.refusal([limited])).toBeNull();
  });
});

describe('bounds', () => {
  it('idle scopes are forgotten, used ones never', () => {
    const board = new LimitBoard(100);
    const cost = { tokens: 0, cost: null };
    const kept = scope({ requestsPerDay: 1 }, 'kept');
    board.admit([kept], cost, 0, WALL);
    for (let i = 0; i < 5000; i += 1) {
      const answer = board.admit([scope({}, `other-${i}`)], cost, 0, WALL - 62 * DAY);
      if (answer.ok) board.settle(answer.lease, { tokens: 0, cost: 0n }, 0, WALL - 62 * DAY);
      board.changed();
      board.usage({ kind: 'key', id: `other-${i}` }, 0, WALL);
    }
    expect(board.size).toBeLessThan(200);
    expect(board.admit([kept], cost, 0, WALL).ok).toBe(false);
  });

  it('a window holds a bounded number of entries whatever the traffic', () => {
    const r = rig();
    const limited = scope({ requestsPerMinute: 1_000_000, tokensPerMinute: 100_000_000 });
    for (let i = 0; i < 100_000; i += 1) {
      r.now += 1.3;
      r.done(r.take([limited], 10), 20);
    }
    const { minute } = r.board.usage(limited, r.now, r.wall());
    const exact = Math.floor(60_000 / 1.3);
    expect(minute.requests).toBeGreaterThanOrEqual(exact);
    expect(minute.requests).toBeLessThan(exact + 1000);
  });
});

interface Step {
  readonly wait: number;
  readonly expected: number;
  readonly actual: number;
  readonly lasts: number;
}

describe('against a naive model', () => {
  const step = fc.record({
    wait: fc.oneof(fc.nat(300), fc.nat(20_000)),
    expected: fc.nat(60),
    actual: fc.nat(60),
    lasts: fc.nat(4),
  });

  /** Every admission and correction as an entry of its own, summed over by hand. */
  function model(steps: readonly Step[], rpm: number, tpm: number) {
    const r = rig(0);
    const limited = scope({ requestsPerMinute: rpm, tokensPerMinute: tpm });
    const entries: { at: number; requests: number; tokens: number }[] = [];
    const running: { lease: LimitLease; entry: (typeof entries)[number]; step: Step; until: number }[] = [];
    const within = (at: number) => entries.filter((entry) => entry.at > at - 60_000 && entry.at <= at);
    const sum = (at: number, what: 'requests' | 'tokens') => within(at).reduce((n, entry) => n + entry[what], 0);
    let count = 0;
    for (const one of steps) {
      count += 1;
      r.now += one.wait;
      for (const ended of running.splice(0)) {
        if (ended.until > count) {
          running.push(ended);
          continue;
        }
        r.done(ended.lease, ended.step.actual);
        const more = ended.step.actual - ended.step.expected;
        if (more > 0) entries.push({ at: r.now, requests: 0, tokens: more });
        else if (ended.entry.at > r.now - 60_000) ended.entry.tokens += more;
      }
      const answer = r.board.admit([limited], { tokens: one.expected, cost: null }, r.now, r.wall());
      const room =
        sum(r.now, 'requests') + 1 <= rpm && sum(r.now, 'tokens') + Math.min(Math.max(one.expected, 1), tpm) <= tpm;
      if (answer.ok) {
        const entry = { at: r.now, requests: 1, tokens: one.expected };
        entries.push(entry);
        running.push({ lease: answer.lease, entry, step: one, until: count + one.lasts });
      }
      if (answer.ok !== room && entries.length < 60) throw new Error(`step ${count}: ${answer.ok} against ${room}`);
      if (answer.ok && !room) throw new Error(`step ${count}: over the limit`);
      if (sum(r.now, 'requests') > rpm) throw new Error('more requests than the limit in 60 s');
    }
  }

  it('G-11: few entries: admits exactly when the last 60 s have room', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 50 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 120 }),
        model,
      ),
      { numRuns: 300 },
    );
  });

  it('G-11: many entries: never over the limit in any 60 s', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 100, maxLength: 400 }),
        fc.integer({ min: 80, max: 200 }),
        fc.integer({ min: 1000, max: 9000 }),
        model,
      ),
      { numRuns: 60 },
    );
  });

  it('D-3: availableAt is the first instant at which the same call is admitted', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 200 }), fc.integer({ min: 1, max: 90 }), (steps, rpm) => {
        const r = rig(0);
        const limited = scope({ requestsPerMinute: rpm, tokensPerMinute: 500 });
        for (const one of steps) {
          r.now += one.wait;
          const answer = r.board.admit([limited], { tokens: one.expected, cost: null }, r.now, r.wall());
          if (answer.ok) r.done(answer.lease, one.expected);
          else {
            const back = answer.reached.availableAt! - r.wall();
            expect(back).toBeGreaterThan(0);
            expect(back).toBeLessThanOrEqual(60_000);
            const ask = [limited] as const;
            const before = r.board.admit(
              ask,
              { tokens: one.expected, cost: null },
              r.now + back - 0.5,
              r.wall() + back,
            );
            expect(before.ok).toBe(false);
            r.now += back;
            expect(r.refusal([limited], one.expected)).toBeNull();
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('H-4: what other replicas use', () => {
  const others = (
    amounts: Partial<{ requests: number; tokens: number; spend: bigint; held: number; heldSpend: bigint }>,
  ) => {
    const { requests = 0, tokens = 0, spend = 0n, held = 0, heldSpend = 0n } = amounts;
    const period = (start: number) => ({ start, requests, tokens, spend });
    return { heldTokens: held, heldSpend, day: period(Date.UTC(2026, 10, 29)), month: period(Date.UTC(2026, 10, 1)) };
  };

  it('counts against the limits of its periods, and is never written down as this process’s own', () => {
    const r = rig();
    const limited = scope({ tokensPerDay: 100, spendPerMonth: 50n });
    r.done(r.take([limited]), 30, 10n);
    r.board.learn(limited, others({ tokens: 69, spend: 39n }), r.now, r.wall());
    expect(r.refusal([limited])).toBeNull();
    r.board.learn(limited, others({ tokens: 70, spend: 39n }), r.now, r.wall());
    expect(r.refusal([limited])).toMatchObject({ limit: 'tokens_per_day', availableAt: Date.UTC(2026, 10, 30) });
    r.board.learn(limited, others({ spend: 40n }), r.now, r.wall());
    expect(r.refusal([limited])).toMatchObject({ limit: 'spend_per_month' });
    expect(r.board.usage(limited, r.now, r.wall()).day).toMatchObject({ tokens: 100, spend: 50n });
    expect(r.board.changed().map(({ tokens, spend }) => [tokens, spend])).toEqual([
      [30, 10n],
      [30, 10n],
    ]);
  });

  it('the most that was ever told counts: who has forgotten something takes nothing back', () => {
    const r = rig();
    const limited = scope({ requestsPerDay: 10 });
    r.done(r.take([limited]));
    r.board.learn(limited, others({ requests: 9 }), r.now, r.wall());
    r.board.learn(limited, others({ requests: 2 }), r.now, r.wall());
    expect(r.refusal([limited])).toMatchObject({ limit: 'requests_per_day' });
    expect(r.board.own(limited, r.now, r.wall())).toMatchObject({ day: { requests: 1 }, dayElsewhere: 9 });
    r.now += DAY;
    expect(r.refusal([limited])).toBeNull();
    r.board.learn(limited, others({ requests: 99 }), r.now, r.wall());
    expect(r.refusal([limited])).toBeNull();
  });

  it('what was taken up at the start is a part of what others tell, not beside it', () => {
    const earlier = rig();
    const limited = scope({ requestsPerDay: 10 });
    for (let i = 0; i < 4; i += 1) earlier.done(earlier.take([limited]));
    const r = rig();
    r.board.restore(earlier.board.changed());
    r.done(r.take([limited]));
    r.board.foreign([{ ...r.board.changed()[0]!, requests: 6, tokens: 0, spend: 0n }]);
    expect(r.board.usage(limited, r.now, r.wall()).day.requests).toBe(7);
    expect(r.board.own(limited, r.now, r.wall()).day.requests).toBe(1);
    expect(r.board.changed()).toEqual([]);
    r.done(r.take([limited]));
    expect(r.board.changed()[0]).toMatchObject({ period: 'day', requests: 6 });
  });

  it('what runs there is held, as long as it is told', () => {
    const r = rig();
    const limited = scope({ spendPerDay: 100n, tokensPerDay: 1000 });
    r.board.learn(limited, others({ held: 999, heldSpend: 100n }), r.now, r.wall());
    expect(r.refusal([limited])).toMatchObject({ limit: 'spend_per_day', availableAt: null });
    r.board.learn(limited, others({ held: 1000 }), r.now, r.wall());
    expect(r.refusal([limited])).toMatchObject({ limit: 'tokens_per_day', availableAt: null });
    r.board.learn(limited, others({}), r.now, r.wall());
    expect(r.refusal([limited])).toBeNull();
  });

  it('the last minute, by age', () => {
    const r = rig();
    const limited = scope({ requestsPerMinute: 10, tokensPerMinute: 1000 });
    r.take([limited], 5);
    r.now += 10_000;
    r.take([limited], 7);
    r.now += 1000;
    expect(r.board.recent(limited, 0, r.now)).toEqual([
      { age: 11_000, requests: 1, tokens: 5 },
      { age: 1000, requests: 1, tokens: 7 },
    ]);
    expect(r.board.recent(limited, r.now - 5000, r.now)).toHaveLength(1);
    r.now += 50_000;
    expect(r.board.recent(limited, 0, r.now)).toHaveLength(1);
  });
});
