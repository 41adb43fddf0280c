import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fleet, mostWithin } from '../../test/support/fleet-of-boards.ts';
import { LimitBoard, LOW_PRIORITY_SHARE } from '../core/limits/limit-board.ts';
import type { LimitScope, Limits } from '../core/limits/limits.ts';
import { UNLIMITED } from '../core/limits/unlimited.ts';

function scope(limits: Partial<Limits>, id = 'k', kind: LimitScope['kind'] = 'key'): LimitScope {
  return { kind, id, limits: { ...UNLIMITED, ...limits } };
}

const ONE = { tokens: 0, cost: null };

/** What one process alone would let through of the same requests. */
function alone(limited: LimitScope, at: readonly number[], wall: (now: number) => number): number {
  const board = new LimitBoard();
  return at.filter((now) => board.admit([limited], ONE, now, wall(now)).ok).length;
}

/** `rps` requests a second for so long, round robin. */
async function demand(
  fleet: Fleet,
  rps: number,
  seconds: number,
  send: (replica: number, i: number) => void,
): Promise<void> {
  const start = fleet.clock.now();
  for (let i = 0; i < rps * seconds; i += 1) {
    await fleet.clock.run(start + (i * 1000) / rps);
    send(i % fleet.boards.length, i);
  }
  await fleet.clock.run(fleet.clock.now() + 100);
}

describe('H-4, G-11: requests per minute of several replicas', () => {
  it('never over the limit in any 60 s, and within 5 % of it where there is demand', async () => {
    const replicas = fc.integer({ min: 1, max: 5 });
    const rpm = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 100, max: 2000 }));
    const rps = fc.integer({ min: 1, max: 60 });
    const latencyMs = fc.integer({ min: 0, max: 8 });
    await fc.assert(
      fc.asyncProperty(replicas, rpm, rps, latencyMs, async (count, limit, rate, latency) => {
        const fleet = new Fleet({ replicas: count, latencyMs: latency });
        const limited = scope({ requestsPerMinute: limit });
        const asked: number[] = [];
        await demand(fleet, rate, 130, (replica) => {
          asked.push(fleet.clock.now());
          fleet.ask(replica, [limited], ONE, { ms: 50, tokens: 0 });
        });
        const at = fleet.sent.map((one) => one.at);
        expect(mostWithin(60_000, at)).toBeLessThanOrEqual(limit);
        const ideal = alone(limited, asked, (now) => fleet.clock.wall() - fleet.clock.now() + now);
        expect(at.length).toBeGreaterThanOrEqual(Math.floor(ideal * 0.95) - 1);
        expect(fleet.refused.length + at.length).toBe(asked.length);
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  it('most requests are decided in memory', async () => {
    const fleet = new Fleet({ replicas: 3 });
    const limited = scope({ requestsPerMinute: 100_000 });
    await demand(fleet, 1000, 10, (replica) => fleet.ask(replica, [limited], ONE, { ms: 50, tokens: 0 }));
    expect(fleet.sent.length).toBe(10_000);
    expect(fleet.asks).toBeLessThan(1000);
    expect(fleet.waited).toBeLessThan(100);
  });

  it('who comes seldom need not ask each time, while there is much room', async () => {
    const fleet = new Fleet({ replicas: 3 });
    const limited = scope({ requestsPerMinute: 600, tokensPerMinute: 60_000 });
    await demand(fleet, 3, 60, (replica) =>
      fleet.ask(replica, [limited], { tokens: 100, cost: null }, { ms: 50, tokens: 80 }),
    );
    expect(fleet.sent.length).toBe(180);
    expect(fleet.waited).toBe(3);
    expect(fleet.asks).toBeLessThan(300);
  });
});

describe('H-4, G-11: tokens per minute of several replicas', () => {
  it('never over by what is certain, and within 5 % where there is demand, expectations corrected', async () => {
    const latencyMs = fc.integer({ min: 0, max: 5 });
    const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 5, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 4 }), latencyMs, sizes, async (replicas, latency, tokens) => {
        const fleet = new Fleet({ replicas, latencyMs: latency });
        const limited = scope({ tokensPerMinute: 60_000 });
        const oracle = new LimitBoard();
        let ideal = 0;
        await demand(fleet, 50, 125, (replica, i) => {
          const expected = { tokens: tokens[i % 5]! * 10, cost: null };
          const actual = tokens[(i + 2) % 5]! * 10;
          fleet.ask(replica, [limited], expected, { ms: 300, tokens: Math.min(actual, expected.tokens) });
          const { clock } = fleet;
          const answer = oracle.admit([limited], expected, clock.now(), clock.wall());
          if (!answer.ok) return;
          const used = Math.min(actual, expected.tokens);
          ideal += used;
          clock.after(300, () => oracle.settle(answer.lease, { tokens: used, cost: null }, clock.now(), clock.wall()));
        });
        const used = fleet.sent.map(({ lease, at }) => ({ at, tokens: lease.expected.tokens }));
        const total = (all: typeof used): number => all.reduce((sum, one) => sum + one.tokens, 0);
        expect(total(used)).toBeGreaterThan(0);
        const peak = mostWithin(
          60_000,
          fleet.settled.map(({ at }) => at),
          (i) => fleet.settled[i]!.tokens,
        );
        expect(peak).toBeLessThanOrEqual(60_000);
        const all = fleet.settled.reduce((sum, one) => sum + one.tokens, 0);
        expect(all).toBeGreaterThanOrEqual(ideal * 0.95);
      }),
      { numRuns: 12 },
    );
  }, 120_000);
});

describe('H-4, P-4: requests at the same time at several replicas', () => {
  it.each([1, 2, 10, 100])('of %i never more, and nearly all of them in use where there is demand', async (limit) => {
    const fleet = new Fleet({ replicas: 3 });
    const limited = scope({ concurrent: limit }, 'c', 'credential');
    await demand(fleet, 1000, 20, (replica) => fleet.ask(replica, [limited], ONE, { ms: 200, tokens: 0 }));
    expect(fleet.most).toBeLessThanOrEqual(limit);
    const inUse = (fleet.sent.length * 200) / 20_000;
    expect(inUse).toBeGreaterThanOrEqual(limit * 0.95 - 0.1);
    const byReplica = [0, 1, 2].map((replica) => fleet.sent.filter((one) => one.replica === replica).length);
    expect(Math.min(...byReplica)).toBeGreaterThan(fleet.sent.length / 10);
  });

  it('what one replica does not need serves the others within moments', async () => {
    const fleet = new Fleet({ replicas: 3 });
    const limited = scope({ concurrent: 30 }, 'c', 'credential');
    await demand(fleet, 600, 5, (replica) => fleet.ask(replica, [limited], ONE, { ms: 100, tokens: 0 }));
    const before = fleet.sent.length;
    await demand(fleet, 600, 5, () => fleet.ask(0, [limited], ONE, { ms: 100, tokens: 0 }));
    expect(fleet.most).toBeLessThanOrEqual(30);
    expect((fleet.sent.length - before) * 100).toBeGreaterThan(30 * 5000 * 0.93);
  });
});

describe('H-4, G-11: periods of several replicas', () => {
  it('requests per day: exactly as many as the limit', async () => {
    const fleet = new Fleet({ replicas: 3 });
    const limited = scope({ requestsPerDay: 1000 });
    await demand(fleet, 400, 10, (replica) => fleet.ask(replica, [limited], ONE, { ms: 100, tokens: 0 }));
    expect(fleet.sent.length).toBeLessThanOrEqual(1000);
    expect(fleet.sent.length).toBeGreaterThanOrEqual(990);
    const { reached } = fleet.refused.at(-1)!.answer;
    expect(reached).toEqual({ limit: 'requests_per_day', availableAt: Date.UTC(2026, 10, 30) });
  });

  it('spend per day: within 5 % at 1,000 requests a second', async () => {
    const fleet = new Fleet({ replicas: 3 });
    const limited = scope({ spendPerDay: 10_000n });
    await demand(fleet, 1000, 20, (replica) =>
      fleet.ask(replica, [limited], { tokens: 10, cost: 2n }, { ms: 400, tokens: 10, cost: 1n }),
    );
    expect(fleet.sent.length).toBeGreaterThanOrEqual(9500);
    expect(fleet.sent.length).toBeLessThanOrEqual(10_500);
    expect(fleet.refused.at(-1)?.answer.reached.limit).toBe('spend_per_day');
  });
});

describe('C-4: low priority at several replicas', () => {
  it('has 80 % of what all replicas have together', async () => {
    const fleet = new Fleet({ replicas: 3 });
    const limited = scope({ requestsPerMinute: 1000 });
    await demand(fleet, 100, 20, (replica) =>
      fleet.ask(replica, [limited], ONE, { ms: 50, tokens: 0, share: LOW_PRIORITY_SHARE }),
    );
    expect(fleet.sent.length).toBeLessThanOrEqual(820);
    expect(fleet.sent.length).toBeGreaterThanOrEqual(760);
    await demand(fleet, 100, 20, (replica) => fleet.ask(replica, [limited], ONE, { ms: 50, tokens: 0 }));
    expect(fleet.sent.length).toBeGreaterThanOrEqual(950);
    expect(fleet.sent.length).toBeLessThanOrEqual(1000);
  });
});

describe('H-4: the shared state is away', () => {
  it('every replica goes by its own counts, at once, and heals by itself', async () => {
    const fleet = new Fleet({ replicas: 3 });
    const limited = scope({ requestsPerMinute: 300 });
    const send = (replica: number) => fleet.ask(replica, [limited], ONE, { ms: 50, tokens: 0 });
    fleet.hub.up = false;
    await demand(fleet, 100, 20, send);
    expect(fleet.sent.length).toBe(900);
    expect(fleet.asks).toBe(0);
    fleet.hub.up = true;
    const before = fleet.sent.length;
    await demand(fleet, 100, 20, send);
    // What they had let through alone is told, so that the minute is full.
    expect(fleet.sent.length).toBe(before);
    await fleet.clock.run(fleet.clock.now() + 61_000);
    await demand(fleet, 100, 20, send);
    expect(fleet.sent.length - before).toBeLessThanOrEqual(300);
    expect(fleet.sent.length - before).toBeGreaterThanOrEqual(285);
  });

  it('one that comes back empty is told the minute anew: nobody gets it twice', async () => {
    const fleet = new Fleet({ replicas: 3 });
    const limited = scope({ requestsPerMinute: 300, requestsPerDay: 400 });
    const send = (replica: number) => fleet.ask(replica, [limited], ONE, { ms: 50, tokens: 0 });
    await demand(fleet, 100, 2, send);
    fleet.hub.up = false;
    fleet.hub.empty();
    fleet.hub.up = true;
    await fleet.clock.run(fleet.clock.now() + 200);
    await demand(fleet, 100, 20, send);
    expect(fleet.sent.length).toBeLessThanOrEqual(303);
    expect(fleet.sent.length).toBeGreaterThanOrEqual(285);
    await fleet.clock.run(fleet.clock.now() + 61_000);
    await demand(fleet, 100, 20, send);
    expect(fleet.sent.length).toBeLessThanOrEqual(400);
    expect(fleet.sent.length).toBeGreaterThanOrEqual(390);
  });

  it('one that is emptied without a word, too', async () => {
    const fleet = new Fleet({ replicas: 3 });
    const limited = scope({ requestsPerMinute: 300 });
    const send = (replica: number) => fleet.ask(replica, [limited], ONE, { ms: 50, tokens: 0 });
    await demand(fleet, 20, 10, send);
    fleet.hub.empty();
    await demand(fleet, 20, 20, send);
    expect(fleet.sent.length).toBeLessThanOrEqual(303);
    expect(fleet.sent.length).toBeGreaterThanOrEqual(285);
  });

  it('a grant that does not come in time lets the call through', async () => {
    const fleet = new Fleet({ replicas: 2, latencyMs: 400 });
    const limited = scope({ requestsPerMinute: 5 });
    fleet.ask(0, [limited], ONE, { ms: 50, tokens: 0 });
    await fleet.clock.run(fleet.clock.now() + 251);
    expect(fleet.sent.length).toBe(1);
  });

  it('late answers still count: a shared state that is slow lets little through beyond the limit', async () => {
    const fleet = new Fleet({ replicas: 3, latencyMs: 300 });
    const limited = scope({ requestsPerMinute: 3000 });
    await demand(fleet, 600, 20, (replica) => fleet.ask(replica, [limited], ONE, { ms: 50, tokens: 0 }));
    expect(fleet.sent.length).toBeLessThanOrEqual(3300);
    expect(fleet.sent.length).toBeGreaterThanOrEqual(2850);
  });
});

describe('a scope of several', () => {
  it('all or none: room taken in one is given back when another refuses', async () => {
    const fleet = new Fleet({ replicas: 2 });
    const key = scope({ requestsPerMinute: 100 });
    const workspace = scope({ requestsPerMinute: 10 }, 'w', 'workspace');
    await demand(fleet, 20, 10, (replica) => fleet.ask(replica, [key, workspace], ONE, { ms: 10, tokens: 0 }));
    expect(fleet.sent.length).toBe(10);
    expect(fleet.refused.every(({ answer }) => answer.scope.id === 'w')).toBe(true);
    await demand(fleet, 20, 10, (replica) => fleet.ask(replica, [key], ONE, { ms: 10, tokens: 0 }));
    expect(fleet.sent.length).toBeGreaterThanOrEqual(99);
    expect(fleet.sent.length).toBeLessThanOrEqual(100);
  });

  it('G-8: a name that begins anew has all of its room again, at every replica', async () => {
    const fleet = new Fleet({ replicas: 2 });
    const limited = scope({ requestsPerMinute: 10 });
    await demand(fleet, 20, 3, (replica) => fleet.ask(replica, [limited], ONE, { ms: 10, tokens: 0 }));
    const { clock } = fleet;
    for (const board of fleet.boards) board.forget(limited, clock.now(), clock.wall());
    await demand(fleet, 20, 3, (replica) => fleet.ask(replica, [limited], ONE, { ms: 10, tokens: 0 }));
    expect(fleet.sent.length).toBe(20);
  });
});
