/** What every state that replicas share promises (H-4), whatever is behind it. */
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SharedHub } from '../../src/adapters/shared-memory/shared-hub.ts';
import { openRedisShared } from '../../src/adapters/shared-redis/open-shared.ts';
import type { LimitScope } from '../../src/core/limits/limits.ts';
import type { BlockAsk } from '../../src/core/limits/room.ts';
import { UNLIMITED } from '../../src/core/limits/unlimited.ts';
import type { News, Shared } from '../../src/ports/shared.ts';
import { REAL_CLOCK } from '../support/real-clock.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/servers/redis.ts';

const SCOPE: LimitScope = { kind: 'key', id: 'k', limits: { ...UNLIMITED, requestsPerMinute: 5, concurrent: 7 } };
const NONE = { requests: 0, tokens: 0, slots: 0 };
const ONE = { ...NONE, requests: 1 };
const NOTHING = { start: 0, requests: 0, tokens: 0, spend: 0n };
const OWN = { slots: 0, idleRequests: 0, idleTokens: 0, heldTokens: 0, heldSpend: 0n, day: NOTHING, month: NOTHING };
const ASK: BlockAsk = { scope: SCOPE, own: OWN, need: ONE, least: ONE, want: NONE, dayElsewhere: 0, corrections: [] };
/** What was got before has been used. */
const USED: BlockAsk = { ...ASK, corrections: [{ slice: 0, requests: 1, tokens: 0 }] };
const AUTH: News = {
  kind: 'rest',
  key: 'c',
  reason: 'cooling_auth',
  cause: 'auth',
  forMs: 60_000,
  stated: false,
  level: 0,
};

interface Bench {
  join(replica: string): Promise<Shared>;
  /** Nothing is known any more. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

async function memory(): Promise<Bench> {
  let hub = new SharedHub(REAL_CLOCK);
  return {
    join: async (replica) => hub.join(replica),
    async empty() {
      hub = new SharedHub(REAL_CLOCK);
    },
    close: async () => undefined,
  };
}

async function redis(): Promise<Bench> {
  const server: RedisServer = await startRedis();
  const admin = new Redis(server.url);
  return {
    join: (replica) => openRedisShared({ url: server.url, replica, clock: REAL_CLOCK, onLink: () => undefined }),
    async empty() {
      await admin.flushall();
    },
    async close() {
      admin.disconnect();
      await server.stop();
    },
  };
}

const BENCHES = [['memory', memory], ...(hasRedis() ? [['Redis', redis] as const] : [])] as const;

describe.each(BENCHES)('H-4: state shared over %s', (_name, open) => {
  let bench: Bench;
  const joined: Shared[] = [];
  beforeAll(async () => {
    bench = await open();
  });
  afterEach(async () => {
    for (const shared of joined.splice(0)) await shared.close();
    await bench.empty();
  });
  afterAll(() => bench?.close());

  /** One replica, and what it hears. */
  async function join(replica: string) {
    const shared = await bench.join(replica);
    joined.push(shared);
    const heard: News[] = [];
    shared.news.hear((news) => heard.push(news));
    return { shared, heard };
  }

  it('G-11: room is granted to all replicas together, and figures of others are told', async () => {
    const [a, b] = [await join('a'), await join('b')];
    expect(a.shared.up).toBe(true);
    const got: number[] = [];
    for (const [i, { shared }] of [a, b, a, b, a, b].entries()) {
      got.push((await shared.limits.take([i < 2 ? ASK : USED]))![0]!.got.requests);
    }
    expect(got).toEqual([1, 1, 1, 1, 1, 0]);
    const day = { start: 5, requests: 3, tokens: 4, spend: 10n ** 15n };
    await a.shared.limits.take([
      { ...USED, own: { ...OWN, slots: 6, heldTokens: 2, heldSpend: 9n, day }, least: NONE },
    ]);
    const slots = { ...NONE, slots: 2 };
    const [grant] = (await b.shared.limits.take([
      { ...ASK, own: { ...OWN, day: { ...day, requests: 0 } }, need: slots, least: NONE },
    ]))!;
    expect(grant).toMatchObject({ got: { slots: 1 }, known: true, reached: null });
    expect(grant!.fleet).toMatchObject({
      peers: 2,
      requests: 5,
      slots: 7,
      others: { heldTokens: 2, heldSpend: 9n, day },
    });
    a.shared.limits.forget(SCOPE);
    expect((await a.shared.limits.take([ASK, ASK]))!.map((one) => one.got.requests)).toEqual([1, 1]);
  });

  it('H-3: news reach the others, not their teller; who comes later hears what still holds', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const single: News = { kind: 'unanswered', key: 'k', fingerprint: 2 ** 52 + 1, calls: 2, failed: true };
    a.shared.news.tell(AUTH);
    a.shared.news.tell({ kind: 'drain', id: 't' });
    a.shared.news.tell(single);
    await until(() => b.heard.length === 3);
    expect(b.heard).toEqual([AUTH, { kind: 'drain', id: 't' }, single]);
    expect(a.heard).toEqual([]);
    const c = await join('c');
    await until(() => c.heard.length === 2);
    expect(c.heard).toContainEqual({ kind: 'drain', id: 't' });
    const { forMs } = c.heard.find(({ kind }) => kind === 'rest') as { forMs: number };
    expect(forMs).toBeGreaterThan(0);
    expect(forMs).toBeLessThanOrEqual(60_000);
    b.shared.news.tell({ ...AUTH, forMs: 0 });
    b.shared.news.tell({ kind: 'undrain', id: 't' });
    await until(() => c.heard.length === 4);
    const d = await join('d');
    await d.shared.limits.take([ASK]);
    expect(d.heard).toEqual([]);
  });

  it('H-1: what holds longer stays on the board', async () => {
    const a = await join('a');
    a.shared.news.tell(AUTH);
    a.shared.news.tell({ ...AUTH, forMs: 5 });
    await a.shared.limits.take([ASK]);
    const b = await join('b');
    await until(() => b.heard.length === 1);
    expect((b.heard[0] as { forMs: number }).forMs).toBeGreaterThan(5);
  });

  it('H-1: one probe of a channel among all replicas', async () => {
    const [a, b] = [await join('a'), await join('b')];
    expect(await a.shared.probes.take('m#ch')).toBe(true);
    expect(await b.shared.probes.take('m#ch')).toBe(false);
    b.shared.probes.end('m#ch');
    expect(await b.shared.probes.take('m#ch')).toBe(false);
    a.shared.probes.end('m#ch');
    await a.shared.limits.take([ASK]);
    expect(await b.shared.probes.take('m#ch')).toBe(true);
  });
});

/** Waits for what happens elsewhere; the guard is ten times too wide. */
async function until(what: () => boolean, ms = 20_000): Promise<void> {
  const over = Date.now() + ms;
  while (!what()) {
    if (Date.now() > over) throw new Error(`it did not happen: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
