/** The ledger on a real file that can't be written: full, read-only, gone. */
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerOf, claimOf, keysOf, refOf, T0 } from '../../../test/conformance/ledger-samples.ts';
import { soleHolder } from '../../ports/holder.ts';
import type { IdempotencyStore } from '../../ports/idempotency-store.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import { openSealer } from '../sealer/open-sealer.ts';
import { createIdempotencyStore } from '../store-sql/idempotency-store.ts';
import type { StateDb } from '../store-sql/state-db.ts';
import { systemClock } from '../system-clock.ts';
import { IDEMPOTENCY_SQL } from './idempotency-sql.ts';
import { openStateDb } from './open-state-db.ts';

let dir: string;
let db: StateDb;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ledger-disk-'));
});
afterEach(async () => {
  await db.close();
  rmSync(dir, { recursive: true, force: true });
});

async function open(maxBytes?: number): Promise<IdempotencyStore> {
  const bound = maxBytes === undefined ? {} : { maxBytes };
  db = await openStateDb({ path: join(dir, 'state.db'), clock: systemClock, ...bound });
  const sealer = await openSealer({ dataDir: dir, env: {} });
  return createIdempotencyStore({ db, sql: IDEMPOTENCY_SQL, sealer, clock: systemClock, holder: soleHolder('p1') });
}

const answer = (size: number) => answerOf('x'.repeat(size));
const success = (key: string, size: number) => ({
  ref: refOf(key),
  round: 1,
  requestId: 'req_1',
  attemptId: null,
  answer: answer(size),
});

describe('a disk in trouble', () => {
  it('H-5: full: refused, what is there is still replayed, what fits goes on', async () => {
    const store = await open(400_000);
    await store.claim(claimOf('done'));
    await store.succeed(success('done', 1000));
    await store.claim(claimOf('large'));
    await expect(store.succeed(success('large', 500_000))).rejects.toThrow(StateStoreUnavailable);
    expect((await store.claim(claimOf('large'))).kind).toBe('running');
    expect(await store.claim(claimOf('done'))).toMatchObject({
      kind: 'succeeded',
      answer: { digest: answer(1000).digest },
    });
    expect(await store.succeed(success('large', 1000))).toBe('stored');
    const refused: string[] = [];
    for (let n = 0; n < 2000 && refused.length < 10; n++) {
      const ref = refOf(`k${n}`);
      const first = { ref, round: 1, no: 1, attemptId: `att_${n}`, target: 't', at: T0 };
      const begun = store.claim(claimOf(`k${n}`)).then(() => store.startAttempt(first));
      await begun.catch((error: unknown) => {
        expect(error).toBeInstanceOf(StateStoreUnavailable);
        refused.push(ref.keyHash);
      });
    }
    expect(refused).toHaveLength(10);
    expect((await store.claim(claimOf('done'))).kind).toBe('succeeded');
    const keys = await keysOf(store);
    expect(keys.filter(({ ref }) => refused.includes(ref.keyHash))).toEqual([]);
    await store.close();
  });

  it('H-5: a file that was moved away is not made anew; put back, its keys are as they were', async () => {
    const store = await open();
    await store.claim(claimOf('k'));
    const [file, away] = [join(dir, 'state.db'), join(dir, 'away.db')];
    renameSync(file, away);
    await expect(store.claim(claimOf('k2'))).rejects.toThrow(StateStoreUnavailable);
    const start = { ref: refOf('k'), round: 1, no: 1, attemptId: 'att_1', target: 't', at: T0 };
    await expect(store.startAttempt(start)).rejects.toThrow(StateStoreUnavailable);
    renameSync(away, file);
    await store.startAttempt(start);
    expect(await store.succeed({ ...success('k', 10), attemptId: 'att_1' })).toBe('stored');
    expect((await keysOf(store))[0]?.attempts.map(({ result }) => result)).toEqual(['served']);
    await store.close();
  });
});
