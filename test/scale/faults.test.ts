/** Three gateways over one PostgreSQL and one Redis at 300 requests a second, while something breaks (H-4, H-5, I-8, I-11). */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, type Program } from '../crash/gateway-lives.ts';
import { openNetwork } from '../support/replicas/own-network.ts';
import { mountSmallDisk } from '../support/replicas/small-disk.ts';
import { failedOtherwise, openWorld, pause, type World } from '../support/replicas/world.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { hasRedis } from '../support/servers/redis.ts';

const QUIET_MS = 3000;
const GUARD_MS = 300_000;
const MOST_FAILED = 0.005;

let program: Program;
let world: World;
const undo: (() => void)[] = [];
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program.remove());
afterEach(async () => {
  await (world as World | undefined)?.close();
  for (const step of undo.splice(0)) step();
});

interface Hole {
  open(): Promise<World>;
  cut(): void;
  mend(): void;
}

/** A cable that is cut, or, where nobody may lay one, something between that swallows everything. */
function hole(): Hole {
  const network = openNetwork('us-redis', 1);
  if ('why' in network) {
    console.info(`no network namespace here (${network.why.trim()}): a proxy swallows everything instead`);
    return {
      open: () => openWorld({ program, sharedWired: true }),
      cut: () => world.sharedWire?.swallow(true),
      mend: () => world.sharedWire?.swallow(false),
    };
  }
  undo.push(network.remove);
  const redis = { prefix: network.prefix, host: network.address };
  return { open: () => openWorld({ program, redis }), cut: network.cut, mend: network.mend };
}

describe.runIf(hasPostgres() && hasRedis())('three replicas, and something breaks', () => {
  it('I-8, I-11: a replica is killed, and comes back', { timeout: GUARD_MS }, async () => {
    world = await openWorld({ program });
    let diedAt = 0;
    const traffic = await world.load(14_000, async () => {
      await pause(QUIET_MS);
      diedAt = QUIET_MS;
      const startedAt = performance.now();
      await world.fleet.kill(0);
      diedAt += performance.now() - startedAt;
      await pause(4000);
      await world.fleet.revive(0);
    });
    expect(traffic.share(failedOtherwise(diedAt))).toBeLessThan(MOST_FAILED);
    await world.expectOneAnswerEach(traffic);
  });

  it('H-5, I-11: PostgreSQL is restarted', { timeout: GUARD_MS }, async () => {
    world = await openWorld({ program });
    const traffic = await world.load(12_000, async () => {
      await pause(QUIET_MS);
      await world.postgres.kill();
      await world.postgres.start();
      await pause(2000);
      await world.postgres.restart();
    });
    expect(traffic.share(failedOtherwise(null))).toBeLessThan(MOST_FAILED);
    await world.expectOneAnswerEach(traffic);
  });

  it('H-5, I-8: PostgreSQL is frozen for twenty seconds', { timeout: GUARD_MS }, async () => {
    world = await openWorld({ program });
    const traffic = await world.load(28_000, async () => {
      await pause(QUIET_MS);
      await Promise.all([
        world.postgres.freeze(20_000),
        pause(10_000).then(async () => {
          expect(await world.fleet.figures('understudy_store_up'), 'noticed by all').toEqual([0, 0, 0]);
        }),
      ]);
    });
    expect(await world.fleet.figures('understudy_store_up'), 'back at all').toEqual([1, 1, 1]);
    expect(traffic.share(failedOtherwise(null))).toBeLessThan(MOST_FAILED);
    await world.expectOneAnswerEach(traffic);
  });

  it('H-4: Redis is killed, and comes back', { timeout: GUARD_MS }, async () => {
    world = await openWorld({ program });
    const traffic = await world.load(12_000, async () => {
      await pause(QUIET_MS);
      await world.redis.kill();
      await pause(4000);
      expect(await world.fleet.figures('understudy_shared_up'), 'noticed by all').toEqual([0, 0, 0]);
      await world.redis.start();
    });
    expect(await world.fleet.figures('understudy_shared_up'), 'back at all').toEqual([1, 1, 1]);
    expect(traffic.share(failedOtherwise(null))).toBeLessThan(MOST_FAILED);
    await world.expectOneAnswerEach(traffic);
  });

  it('H-4: the network to Redis is cut: nothing answers, nothing refuses', { timeout: GUARD_MS }, async () => {
    const { open, cut, mend } = hole();
    world = await open();
    const traffic = await world.load(14_000, async () => {
      await pause(QUIET_MS);
      cut();
      await pause(6000);
      expect(await world.fleet.figures('understudy_shared_up'), 'noticed by all').toEqual([0, 0, 0]);
      mend();
    });
    expect(await world.fleet.figures('understudy_shared_up'), 'back at all').toEqual([1, 1, 1]);
    expect(traffic.share(failedOtherwise(null))).toBeLessThan(MOST_FAILED);
    await world.expectOneAnswerEach(traffic);
  });

  it('H-5: the disk under PostgreSQL is full for a while', { timeout: GUARD_MS }, async ({ skip }) => {
    const disk = mountSmallDisk(256);
    if ('why' in disk) {
      const why = `a disk of its own has to be mounted, as root: ${disk.why}`;
      if (process.env['CI']) throw new Error(why);
      return skip(why);
    }
    undo.push(disk.remove);
    world = await openWorld({ program, postgres: { folder: disk.folder } });
    const traffic = await world.load(20_000, async () => {
      await pause(QUIET_MS);
      disk.fill();
      await pause(8000);
      expect(await world.fleet.figures('understudy_store_up'), 'noticed by all').toEqual([0, 0, 0]);
      disk.free();
      // Without room for its journal the server stops itself; whoever watches over it starts it again.
      if (!world.postgres.isRunning) await world.postgres.start();
    });
    expect(traffic.share(failedOtherwise(null))).toBeLessThan(MOST_FAILED);
    await world.expectOneAnswerEach(traffic);
  });

  it('H-5: PostgreSQL takes half a second for each answer', { timeout: GUARD_MS }, async () => {
    world = await openWorld({ program, wired: true });
    const traffic = await world.load(16_000, async () => {
      await pause(QUIET_MS);
      world.wire!.delayMs = 250;
      await pause(8000);
      world.wire!.delayMs = 0;
    });
    const slowest = Math.max(...[...traffic.keyed.values()].map(({ longestMs }) => longestMs));
    expect(slowest, 'two of its answers at least').toBeGreaterThan(1000);
    expect(traffic.share(failedOtherwise(null))).toBeLessThan(MOST_FAILED);
    await world.expectOneAnswerEach(traffic);
  });
});

describe.runIf(hasPostgres() && hasRedis())('three replicas, restarted one after the other', () => {
  it('H-3: no request fails', { timeout: GUARD_MS }, async () => {
    world = await openWorld({ program, config: { server: { host: '127.0.0.1', port: 0, drain_lead: '500ms' } } });
    const traffic = await world.load(15_000, async () => {
      for (let at = 0; at < world.fleet.size; at += 1) {
        await pause(1500);
        await world.fleet.stop(at);
        await world.fleet.revive(at);
      }
    });
    expect(traffic.plain.filter(({ ok }) => !ok)).toEqual([]);
    const troubled = [...traffic.keyed.values()].filter(({ others }) => others.length > 0);
    expect(troubled).toEqual([]);
    await world.expectOneAnswerEach(traffic);
  });
});
