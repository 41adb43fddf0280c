/** Three gateways over one PostgreSQL, killed one after the other and again, while keyed requests run (I-2, I-3, I-7, I-8, I-11). */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, type Program } from '../crash/gateway-lives.ts';
import { openWorld, pause, type World } from '../support/replicas/world.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { hasRedis } from '../support/servers/redis.ts';

const KILLS = 12;
/** So many milliseconds a gateway lives before it is killed, and the next one with it. */
const LIFE_MS = 900;
const GUARD_MS = 300_000;

let program: Program;
let world: World;
beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program.remove());
afterEach(() => world.close());

describe.runIf(hasPostgres() && hasRedis())('kill -9 of one replica after the other', () => {
  it('I-8, I-11: every key answers one thing, within its budget, whoever died of those that ran it', {
    timeout: GUARD_MS,
  }, async () => {
    world = await openWorld({ program });
    let kills = 0;
    const traffic = await world.load(20_000, async () => {
      for (; kills < KILLS; kills += 1) {
        await pause(LIFE_MS);
        const at = kills % world.fleet.size;
        await world.fleet.kill(at);
        await world.fleet.revive(at);
      }
    });
    await world.expectOneAnswerEach(traffic);
    expect(kills).toBe(KILLS);
    // Some of them ran what was then asked for again.
    const interrupted = [...traffic.keyed.values()].filter(({ others }) => others.length > 0);
    expect(interrupted.length).toBeGreaterThan(KILLS);
  });
});
