/** Real processes killed at every durable step of the ledger, and at moments nobody chose. */
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '../../src/assemble/verify-ledger.ts';
import { FAULTS, LedgerLives } from './ledger-lives.ts';

let lives: LedgerLives;
beforeAll(async () => {
  lives = await LedgerLives.prepare();
});
afterEach(() => lives.killAll());
afterAll(() => lives.remove());

const live = (fault: string | null, keys: readonly [number, number], killAfter?: number) =>
  lives.live('', fault, keys, killAfter);
const verify = () => verifyLedger({ dataDir: lives.dir, logFile: 'understudy.db', env: {} });

async function expectSound(): Promise<void> {
  lives.expectOneAnswerEach();
  const report = await verify();
  // A dead process leaves what the next one closes; nothing else.
  const other = report.violations.filter(({ kind }) => kind !== 'orphaned_round' && kind !== 'orphaned_attempt');
  expect(other).toEqual([]);
}

describe('kill -9', () => {
  it.each(FAULTS.map((fault, life) => [fault, life] as const))('I-11, I-8: at %s', async (fault, life) => {
    // Four keys of its own, and four the life before has touched.
    expect(await live(fault, [life * 4, life * 4 + 8])).toBe('SIGKILL');
    await expectSound();
  });

  it.each(['before:recover:1', 'after:recover:1'])('I-8: at %s, closing what the life before left', async (fault) => {
    await live('after:start:2', [1000, 1008]);
    expect(await live(fault, [0, 0])).toBe('SIGKILL');
    await expectSound();
  });

  it.each(['before:expire:1', 'after:expire:1'])('I-1: at %s, forgetting keys', async (fault) => {
    await live(null, [2000, 2004], 4);
    const db = new Database(join(lives.dir, 'state.db'));
    db.exec(
      "UPDATE idempotency_keys SET expires_at = 1 WHERE row ->> 'state' = 'succeeded' AND row ->> 'life' % 2 = 0",
    );
    db.close();
    lives.delivered.clear();
    await live(fault, [0, 0], 1);
    await expectSound();
  });

  it('I-11, I-8: at moments nobody chose, and in the end no key is stuck', async () => {
    for (let life = 0; life < 12; life++) {
      expect(await live(null, [3000 + life * 3, 3000 + life * 3 + 12], 1 + life * 7)).toBe('SIGKILL');
      await expectSound();
    }
    // The last one closes what is left, and leaves its own rounds alone.
    await live('before:claim:1', [9000, 9001]);
    const report = await verify();
    expect(report.violations).toEqual([]);
    expect(report.keys).toBeGreaterThan(50);
  });
});
