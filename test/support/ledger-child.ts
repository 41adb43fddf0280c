/**
 * Program: a process with nothing but a ledger, for a crash test that kills it. Arguments: data folder, first key, last
 * key. It takes care of what the process before left, says `ready`, then serves the keys again and again; each success a
 * client would have got is one line `delivered KEY DIGEST`. Every turn has new keys too, so that every step comes again.
 */
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openSealer } from '../../src/adapters/sealer/open-sealer.ts';
import { createIdempotencyStore } from '../../src/adapters/store-sql/idempotency-store.ts';
import { IDEMPOTENCY_SQL } from '../../src/adapters/store-sqlite/idempotency-sql.ts';
import { openStateDb } from '../../src/adapters/store-sqlite/open-state-db.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { soleHolder } from '../../src/ports/holder.ts';

const [dataDir = '', first = '0', last = '0'] = process.argv.slice(2);
const db = await openStateDb({ path: join(dataDir, 'state.db'), clock: systemClock });
const sealer = await openSealer({ dataDir, env: {} });
const holder = randomUUID();
const store = createIdempotencyStore({
  db,
  sql: IDEMPOTENCY_SQL,
  sealer,
  clock: systemClock,
  holder: soleHolder(holder),
});
// Only what a test plants expires: at an instant long gone.
await store.recover(systemClock.wall());
await store.expire(2);
process.stdout.write('ready\n');

async function serve(key: string, turn: number): Promise<void> {
  const ref = { scope: 'key:dev chat', keyHash: createHash('sha256').update(key).digest('hex') };
  const requestId = `req_${randomUUID()}`;
  const at = systemClock.wall();
  const expiresAt = at + 86_400_000;
  const claimed = await store.claim({ ref, fingerprint: 'f', requestId, at, expiresAt, maxAttempts: 12 });
  if (claimed.kind === 'succeeded') process.stdout.write(`delivered ${key} ${claimed.answer?.digest}\n`);
  if (claimed.kind !== 'owner') return;
  const { round } = claimed;
  const attemptId = `att_${randomUUID()}`;
  await store.startAttempt({ ref, round, no: claimed.attemptsBefore + 1, attemptId, target: 't', at });
  if (turn % 3 === 0) {
    store.endAttempt({ ref, attemptId, result: 'failed', maybeExecuted: false, at });
    const failure = { status: 502, code: 'x', message: '', requestId, at };
    await store.fail({ ref, round, state: 'failed', failure, release: false });
    return;
  }
  const body = Buffer.from(`an answer nobody else gives: ${randomUUID()}`);
  const digest = createHash('sha256').update(body).digest('hex');
  const head = { status: 200, headers: {}, stream: false, at, servedModel: null, digest };
  const result = await store.succeed({ ref, round, requestId, attemptId, answer: { ...head, body } });
  if (result === 'stored') process.stdout.write(`delivered ${key} ${digest}\n`);
}

const pool = Array.from({ length: Number(last) - Number(first) }, (_, n) => `key-${Number(first) + n}`);
for (let turn = 0; ; turn += 1) {
  const keys = [...pool, ...Array.from({ length: 3 }, () => `fresh-${randomUUID()}`)];
  await Promise.all(keys.flatMap((key) => [serve(key, turn), serve(key, turn)]));
}
