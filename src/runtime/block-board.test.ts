import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fleet, mostWithin } from '../../test/support/fleet-of-boards.ts';
import { LimitBoard } from '../core/limits/limit-board.ts';
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
  });
});
