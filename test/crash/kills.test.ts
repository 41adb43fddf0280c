/** One gateway after the other on one data folder, each killed; as several over one database: test/scale/kills.test.ts. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { buildProgram, type Program } from './gateway-lives.ts';
import type { Ground } from './ground.ts';
import { killAndKill } from './kill-scenario.ts';
import { sqliteGround } from './sqlite-ground.ts';

/** For a machine that does much else; alone on two cores it takes well under two minutes. */
const GUARD_MS = 900_000;

let program: Program;
let ground: Ground;
beforeAll(async () => {
  program = await buildProgram();
  ground = sqliteGround();
});
afterAll(async () => {
  program.remove();
  await ground.close();
});

describe('kill -9 of the whole gateway', () => {
  it(
    'I-11, I-8, I-7, I-2, G-4: over 200 lives every key answers one thing, within its budget, for its price',
    {
      timeout: GUARD_MS,
    },
    () => killAndKill(program, ground),
  );
});
