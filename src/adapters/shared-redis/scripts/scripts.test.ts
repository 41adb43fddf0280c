import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasRedis, type RedisServer, startRedis } from '../../../../test/support/servers/redis.ts';
import type { LimitScope } from '../../../core/limits/limits.ts';
import type { BlockAsk, Room } from '../../../core/limits/room.ts';
import { SharedScope } from '../../../core/limits/shared-scope.ts';
import { UNLIMITED } from '../../../core/limits/unlimited.ts';
import { argsOf, grantOf } from '../limits.ts';
import { SCRIPTS } from './all.ts';
import { BOARD, TELL } from './news.ts';
import { END_PROBE, PROBE } from './probe.ts';
import { CLOCK, type Script } from './script.ts';
import { TAKE } from './take.ts';

let server: RedisServer;
let redis: Redis;

/** The script with a clock that the test sets: its last argument is the time. */
async function at(
  now: number,
  { source }: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  const timed = source.replace(
    CLOCK,
    'local now_ = tonumber(table.remove(ARGV))\nlocal function clock() return now_ end\n',
  );
  return redis.eval(timed, keys.length, ...keys, ...args, now);
}

const run = ({ source }: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> =>
  redis.eval(source, keys.length, ...keys, ...args);

/** 2026-11-29T10:00:00Z. */
const WALL = Date.UTC(2026, 10, 29, 10);
const DAY = Date.UTC(2026, 10, 29);
const MONTH = Date.UTC(2026, 10, 1);

const room = (most: number): fc.Arbitrary<Room> =>
  fc.record({ requests: fc.nat(most), tokens: fc.nat(most * 10), slots: fc.nat(most) });
const period = (start: number) =>
  fc.record({
    start: fc.constantFrom(start, start - 86_400_000),
    requests: fc.nat(50),
    tokens: fc.nat(500),
    spend: fc.bigInt(0n, 10n ** 15n),
  });
const limit = fc.option(fc.integer({ min: 1, max: 60 }), { nil: null });
const step = fc.record({
  wait: fc.oneof(fc.nat(300), fc.nat(70_000)),
  replica: fc.constantFrom('a', 'b', 'c'),
  own: fc.record({
    slots: fc.nat(20),
    idleRequests: fc.nat(5),
    idleTokens: fc.nat(50),
    heldTokens: fc.nat(100),
    heldSpend: fc.bigInt(0n, 10n ** 12n),
    day: period(DAY),
    month: period(MONTH),
  }),
  need: room(8),
  least: room(2),
  want: room(30),
  dayElsewhere: fc.nat(40),
  corrections: fc.array(
    fc.record({
      back: fc.nat(4),
      requests: fc.integer({ min: -5, max: 5 }),
      tokens: fc.integer({ min: -50, max: 50 }),
    }),
    { maxLength: 3 },
  ),
});

describe.runIf(hasRedis())('scripts inside Redis', () => {
  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });
  beforeEach(async () => {
    await redis.flushall();
  });

  it('each is known by the digest of its source, and says its name and version first', async () => {
    for (const { name, source, digest } of SCRIPTS) {
      expect(source).toMatch(new RegExp(`^-- ${name} v\\d+\\n`));
      expect(await redis.script('LOAD', source)).toBe(digest);
    }
  });

  it('H-4, G-11: `take` grants exactly what `SharedScope` grants, whatever happened before', async () => {
    const limits = fc.record({
      requestsPerMinute: limit,
      concurrent: limit,
      requestsPerDay: limit,
      tokensPerMinute: limit,
    });
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { minLength: 5, maxLength: 40 }), async (limited, steps) => {
        await redis.flushall();
        const scope: LimitScope = {
          kind: 'key',
          id: 'k',
          limits: {
            ...UNLIMITED,
            ...limited,
            tokensPerMinute: limited.tokensPerMinute === null ? null : limited.tokensPerMinute * 10,
          },
        };
        const model = new SharedScope();
        let now = WALL;
        for (const { wait, replica, corrections, ...rest } of steps) {
          now += wait;
          const slice = Math.floor(now / 250);
          const ask: BlockAsk = {
            scope,
            ...rest,
            corrections: corrections.map(({ back, ...amounts }) => ({
              slice: back === 0 ? 0 : slice - back * 60,
              ...amounts,
            })),
          };
          const answer = await at(now, TAKE, ['{k}l', '{k}r'], argsOf(replica, ask));
          expect(grantOf(answer as string[], ask)).toEqual(model.take(replica, ask, now));
        }
      }),
      { numRuns: 120 },
    );
  }, 60_000);

  it('H-4: `take` by Redis’ own clock', async () => {
    const scope: LimitScope = { kind: 'key', id: 'k', limits: { ...UNLIMITED, requestsPerMinute: 1 } };
    const none = { requests: 0, tokens: 0, slots: 0 };
    const one = { ...none, requests: 1 };
    const nothing = { start: 0, requests: 0, tokens: 0, spend: 0n };
    const own = {
      slots: 0,
      idleRequests: 0,
      idleTokens: 0,
      heldTokens: 0,
      heldSpend: 0n,
      day: nothing,
      month: nothing,
    };
    const ask: BlockAsk = { scope, own, need: one, least: one, want: none, dayElsewhere: 0, corrections: [] };
    const take = async (used: number) => {
      const corrections = used === 0 ? [] : [{ slice: 0, requests: used, tokens: 0 }];
      return grantOf((await run(TAKE, ['{k}l', '{k}r'], argsOf('a', { ...ask, corrections }))) as string[], ask);
    };
    expect(await take(0)).toMatchObject({ got: one, reached: null, known: false });
    const second = await take(1);
    expect(second).toMatchObject({ got: none, reached: 'requests_per_minute', known: true });
    expect(second.freeInMs).toBeGreaterThan(50_000);
    expect(second.freeInMs).toBeLessThanOrEqual(60_500);
    expect(await redis.pttl('{k}l')).toBeGreaterThan(60_000);
  });

  it('H-4: `tell` publishes, keeps what holds longer, and takes away; `board` gives what is left', async () => {
    const told: string[] = [];
    const ears = redis.duplicate();
    ears.on('message', (_channel, message) => told.push(message));
    await ears.subscribe('news');
    const tell = (now: number, field: string, json: string, forMs: number, ...away: string[]) =>
      at(now, TELL, ['h'], [`m ${json}`, 'news', field, json, forMs, ...away]);
    const board = (now: number) => at(now, BOARD, ['h'], []);
    await tell(1000, 'rest c', '"long"', 5000);
    await tell(1000, 'rest c', '"short"', 100);
    await tell(1000, 'drain t', '"drained"', -1);
    await tell(1000, 'circuit x', '"open"', 500);
    expect(await board(1200)).toEqual(['"long"', 4800, '"drained"', -1, '"open"', 300]);
    expect(await board(1600)).toEqual(['"long"', 4400, '"drained"', -1]);
    expect(await redis.hlen('h')).toBe(2);
    await tell(1700, '', '"over"', 0, 'rest c', 'drain t');
    expect(await board(1700)).toEqual([]);
    await redis.ping();
    expect(told).toEqual(['m "long"', 'm "short"', 'm "drained"', 'm "open"', 'm "over"']);
    ears.disconnect();
  });

  it('H-1: `probe` is one replica’s, which may keep it; `end_probe` ends its own only', async () => {
    expect(await run(PROBE, ['p'], ['a', 1000])).toBe(1);
    expect(await run(PROBE, ['p'], ['b', 1000])).toBe(0);
    expect(await run(PROBE, ['p'], ['a', 5000])).toBe(1);
    expect(await redis.pttl('p')).toBeGreaterThan(1000);
    expect(await run(END_PROBE, ['p'], ['b'])).toBe(0);
    expect(await run(PROBE, ['p'], ['b', 1000])).toBe(0);
    expect(await run(END_PROBE, ['p'], ['a'])).toBe(1);
    expect(await run(PROBE, ['p'], ['b', 1000])).toBe(1);
  });
});
