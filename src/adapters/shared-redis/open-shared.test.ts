import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { REAL_CLOCK } from '../../../test/support/real-clock.ts';
import { hasRedis, type RedisServer, startRedis } from '../../../test/support/servers/redis.ts';
import type { LimitScope } from '../../core/limits/limits.ts';
import type { BlockAsk } from '../../core/limits/room.ts';
import { UNLIMITED } from '../../core/limits/unlimited.ts';
import type { News, Shared } from '../../ports/shared.ts';
import { openRedisShared } from './open-shared.ts';

const SCOPE: LimitScope = { kind: 'key', id: 'k', limits: { ...UNLIMITED, requestsPerMinute: 5 } };
const NONE = { requests: 0, tokens: 0, slots: 0 };
const ONE = { ...NONE, requests: 1 };
const NOTHING = { start: 0, requests: 0, tokens: 0, spend: 0n };
const ASK: BlockAsk = {
  scope: SCOPE,
  own: { slots: 0, idleRequests: 0, idleTokens: 0, heldTokens: 0, heldSpend: 0n, day: NOTHING, month: NOTHING },
  need: ONE,
  least: ONE,
  want: NONE,
  dayElsewhere: 0,
  corrections: [],
};
const AUTH: News = {
  kind: 'rest',
  key: 'c',
  reason: 'cooling_auth',
  cause: 'auth',
  forMs: 60_000,
  stated: false,
  level: 0,
};

let server: RedisServer;
const open: Shared[] = [];

/** One replica, and what it says and hears. */
async function join(replica: string, database = '') {
  const said: [boolean, string][] = [];
  const heard: News[] = [];
  const onLink = (up: boolean, reason: string): void => void said.push([up, reason]);
  const shared = await openRedisShared({ url: `${server.url}${database}`, replica, clock: REAL_CLOCK, onLink });
  open.push(shared);
  shared.news.hear((news) => heard.push(news));
  return { shared, said, heard };
}

/** Waits for what happens elsewhere; the guard is ten times too wide. */
async function until(what: () => boolean, ms = 20_000): Promise<void> {
  const over = Date.now() + ms;
  while (!what()) {
    if (Date.now() > over) throw new Error(`it did not happen: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe.runIf(hasRedis())('shared state over Redis', () => {
  beforeAll(async () => {
    server = await startRedis();
  });
  afterEach(async () => {
    for (const shared of open.splice(0)) await shared.close();
    server.thaw();
    await server.kill();
    await server.start();
  });
  afterAll(async () => {
    await server?.stop();
  });

  it('another database of the same server is another installation', async () => {
    const [a, b, other] = [await join('a'), await join('b', '/0'), await join('c', '/1')];
    a.shared.news.tell(AUTH);
    await until(() => b.heard.length === 1);
    for (let i = 0; i < 5; i += 1) await a.shared.limits.take([ASK]);
    expect((await other.shared.limits.take([ASK]))![0]!.got.requests).toBe(1);
    expect(other.heard).toEqual([]);
  });

  it('H-4: killed, it is away at once, and back by itself; what still holds then is told then', async () => {
    const [a, b] = [await join('a'), await join('b')];
    expect(a.said).toEqual([[true, '']]);
    const changes: boolean[] = [];
    a.shared.onChange((up) => changes.push(up));
    await server.kill();
    await until(() => !a.shared.up && !b.shared.up);
    expect(await a.shared.limits.take([ASK])).toBeNull();
    expect(await a.shared.probes.take('x')).toBeNull();
    a.shared.news.tell(AUTH);
    a.shared.news.tell({ ...AUTH, key: 'short', forMs: 1 });
    await server.start();
    await until(() => a.shared.up && b.shared.up);
    expect(changes).toEqual([false, true]);
    await until(() => b.heard.length > 0);
    expect([...new Set(b.heard.map((news) => 'key' in news && news.key))]).toEqual(['c']);
    expect((await a.shared.limits.take([ASK]))![0]!.got.requests).toBe(1);
  });

  it('H-4: a server that has lost its memory is told again what still holds, and no more', async () => {
    const a = await join('a');
    a.shared.news.tell(AUTH);
    a.shared.news.tell({ kind: 'drain', id: 't' });
    a.shared.news.tell({ kind: 'drain', id: 'u' });
    a.shared.news.tell({ kind: 'undrain', id: 'u' });
    const b = await join('b');
    await until(() => b.heard.length >= 2);
    b.shared.news.tell({ kind: 'undrain', id: 't' });
    await until(() => a.heard.length === 1);
    await server.kill();
    await until(() => !a.shared.up);
    await server.start();
    await until(() => a.shared.up);
    const c = await join('c');
    await until(() => c.heard.length > 0);
    await c.shared.limits.take([ASK]);
    expect([...new Set(c.heard.map((news) => news.kind))]).toEqual(['rest']);
  });

  it('H-4: frozen, no call waits for it; thawed, it is back', async () => {
    const a = await join('a');
    server.freeze();
    expect(await Promise.all([a.shared.limits.take([ASK]), a.shared.probes.take('x')])).toEqual([null, null]);
    expect(a.shared.up).toBe(false);
    expect(await a.shared.limits.take([ASK])).toBeNull();
    expect(a.said.at(-1)?.[0]).toBe(false);
    server.thaw();
    await until(() => a.shared.up);
    expect((await a.shared.limits.take([ASK]))![0]!.known).toBe(true);
  });

  it('H-4: silent with nobody asking, it is noticed all the same', async () => {
    const a = await join('a');
    server.freeze();
    await until(() => !a.shared.up);
    expect(a.said.at(-1)).toEqual([false, 'no answer within 500 ms']);
  });

  it('H-4: out of reach at the start, it starts, and finds it when it is there', async () => {
    await server.kill();
    const a = await join('a');
    expect(a.shared.up).toBe(false);
    expect(a.said[0]?.[0]).toBe(false);
    expect(a.said[0]?.[1]).toMatch(/ECONNREFUSED|closed/i);
    await server.start();
    await until(() => a.shared.up);
  });

  it('H-4: scripts forgotten by the server are brought again', async () => {
    const a = await join('a');
    const admin = new Redis(server.url);
    await admin.script('FLUSH');
    admin.disconnect();
    expect(await a.shared.limits.take([ASK])).toBeNull();
    let grants = null;
    for (let tries = 0; tries < 50 && grants === null; tries += 1) grants = await a.shared.limits.take([ASK]);
    expect(grants![0]!.got.requests).toBe(1);
  });

  it('H-4: a server that refuses to write is away, with its reason', async () => {
    const admin = new Redis(server.url);
    await admin.replicaof('127.0.0.1', 1);
    const a = await join('a');
    expect(a.shared.up).toBe(false);
    expect(a.said[0]?.[1]).toMatch(/READONLY/);
    await admin.replicaof('NO', 'ONE');
    admin.disconnect();
    await until(() => a.shared.up);
  });
});
