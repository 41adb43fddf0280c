/** One data folder, one gateway on it at a time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { verifyLedger } from '../../src/assemble/verify-ledger.ts';
import { type Ground, moneyBy } from './ground.ts';

const ATTEMPT_IDS = `SELECT a.value ->> 'attemptId' FROM idempotency_keys k, json_each(k.attempts) a`;

export function sqliteGround(): Ground {
  const dataDir = mkdtempSync(join(tmpdir(), 'understudy-kills-'));
  const opened = async <T>(use: (db: Database.Database) => T | Promise<T>): Promise<T> => {
    const db = new Database(join(dataDir, 'state.db'));
    try {
      return await use(db);
    } finally {
      db.close();
    }
  };
  return {
    config: {},
    env: {},
    places: [{ dataDir, skewMs: 0 }],
    excused: [],
    money: () =>
      opened((db) =>
        moneyBy(
          (sql) => Promise.resolve((db.prepare(sql).raw().all() as unknown[][]).map(([value]) => value)),
          ATTEMPT_IDS,
        ),
      ),
    letExpire: (keyHashes) =>
      opened((db) => {
        const statement = db.prepare(
          "UPDATE idempotency_keys SET expires_at = 1 WHERE key_hash = ? AND row ->> 'state' = 'succeeded'",
        );
        for (const hash of keyHashes) statement.run(hash);
      }),
    verify: () => verifyLedger({ dataDir, logFile: 'understudy.db', env: {} }),
    verifyArguments: ['--data', dataDir],
    async close() {
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
