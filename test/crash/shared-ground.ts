/** One PostgreSQL and one Redis, started here; as many replicas as there are clocks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyDatabase } from '../../src/assemble/verify-database.ts';
import { SEAL_KEY } from '../support/replicas/fleet.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { schemaOn } from '../support/servers/postgres-schema.ts';
import { startRedis } from '../support/servers/redis.ts';
import { type Ground, moneyBy } from './ground.ts';

const ATTEMPT_IDS = `SELECT a ->> 'attemptId' FROM idempotency_keys k, json_array_elements(k.attempts::json) a`;

/** `skews`: how far each replica's clock is off, in ms. */
export async function sharedGround(skews: readonly number[]): Promise<Ground> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const schema = await schemaOn(postgres.url);
  const places = skews.map((skewMs) => ({ dataDir: mkdtempSync(join(tmpdir(), 'understudy-kills-')), skewMs }));
  const env = { UNDERSTUDY_SEAL_KEY: SEAL_KEY };
  const column = async (sql: string): Promise<unknown[]> => (await schema.query(sql)).map(([value]) => value);
  return {
    config: { store: schema.url, shared: redis.url },
    env,
    places,
    // Who waited at one replica for a round of another that died is told so, and asks again (I-8). A server that says nothing
    // for four seconds is taken for away (H-5): nothing was sent, and who asks again is served.
    excused: ['gateway_restarted', 'store_unavailable'],
    money: () => moneyBy(column, ATTEMPT_IDS),
    async letExpire(keyHashes) {
      const update = `UPDATE idempotency_keys SET expires_at = 1 WHERE key_hash = ANY($1) AND state = 'succeeded'`;
      await schema.query(update, [keyHashes]);
    },
    verify: () => verifyDatabase({ url: schema.url, dataDir: tmpdir(), env, version: 'test' }),
    verifyArguments: ['--store', schema.url],
    async close() {
      await schema.drop();
      await Promise.all([postgres.stop(), redis.stop()]);
      for (const { dataDir } of places) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
