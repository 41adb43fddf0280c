/** Three gateways over one PostgreSQL and one Redis, behind a round-robin, killed two hundred times while keyed requests run. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { buildProgram, type Program } from '../crash/gateway-lives.ts';
import type { Ground } from '../crash/ground.ts';
import { killAndKill } from '../crash/kill-scenario.ts';
import { sharedGround } from '../crash/shared-ground.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { hasRedis } from '../support/servers/redis.ts';

/** Two replicas whose clocks are off by five seconds each way. */
const SKEWS = [0, 5000, -5000];
/** For a machine that does much else; alone on two cores it takes under three minutes, one of which waits for leases. */
const GUARD_MS = 900_000;

describe.runIf(hasPostgres() && hasRedis())('kill -9 of one replica after the other', () => {
  let program: Program;
  let ground: Ground;
  beforeAll(async () => {
    program = await buildProgram();
    ground = await sharedGround(SKEWS);
  }, 120_000);
  afterAll(async () => {
    program.remove();
    await ground.close();
  });

  it(
    'I-11, I-8, I-7, I-2, G-4: over 200 lives every key answers one thing, within its budget, for its price',
    {
      timeout: GUARD_MS,
    },
    () => killAndKill(program, ground),
  );
});
