/**
 * Program: a process with nothing but a ledger, for a crash test that kills it. Arguments: data folder, first key, last
 * key, and `postgres://…` where the ledger is not in the folder. It takes care of what the process before left, says
 * `ready`, then serves the keys again and again; each success a client would have got is one line `delivered KEY DIGEST`.
 * Every turn has new keys too, so that every step comes again. Of a store that is away it waits a moment.
 */
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openSealer } from '../../src/adapters/sealer/open-sealer.ts';
import { IDEMPOTENCY_SQL as POSTGRES_SQL } from '../../src/adapters/store-postgres/idempotency-sql.ts';
import { openStateDb as openPostgres } from '../../src/adapters/store-postgres/open-state-db.ts';
import { Replicas } from '../../src/adapters/store-postgres/replicas.ts';
import { createIdempotencyStore } from '../../src/adapters/store-sql/idempotency-store.ts';
import { IDEMPOTENCY_SQL } from '../../src/adapters/store-sqlite/idempotency-sql.ts';
import { openStateDb } from '../../src/adapters/store-sqlite/open-state-db.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { soleHolder } from '../../src/ports/holder.ts';
import { type KeyRef, RoundLost } from '../../src/ports/idempotency-store.ts';
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';

const [dataDir = '', first = '0', last = '0', url = ''] = process.argv.slice(2);
const sealer = await openSealer({ dataDir, env: {} });
const clock = systemClock;
const holder = randomUUID();

async function openOwn() {
  const db = await openStateDb({ path: join(dataDir, 'state.db'), clock });
  return createIdempotencyStore({ db, sql: IDEMPOTENCY_SQL, sealer, clock, holder: soleHolder(holder) });
}

/** So short that a dead process is known as one at once; every process renews before it judges. */
const LEASE_MS = 500;

async function openShared() {
  const state = await openPostgres({ url, clock, version: '1', holder });
  const db = state.on('keys', 'keys');
  const options = { db: state.on('state'), clock, version: '1', host: 'h', leaseMs: LEASE_MS, judgeAfterMs: 0 };
  const leases = new Replicas({ ...options, newHolder: randomUUID });
  await leases.join(clock.wall());
  const renew = () =>
    void store
      .renew(clock.wall())
      .catch(() => undefined)
      .then(() => setTimeout(renew, LEASE_MS / 5));
  const store = createIdempotencyStore({ db, sql: POSTGRES_SQL, sealer, clock, holder: leases, leases });
  renew();
  await new Promise((resolve) => setTimeout(resolve, LEASE_MS + 10));
  return store;
}

const store = url === '' ? await openOwn() : await openShared();
// Only what a test plants expires: at an instant long gone.
await store.recover(clock.wall());
await store.expire(2);
process.stdout.write('ready\n');

type Owned = { readonly ref: KeyRef; readonly round: number };

async function serve(key: string, turn: number): Promise<void> {
  const ref = { scope: 'key:dev chat', keyHash: createHash('sha256').update(key).digest('hex') };
  const requestId = `req_${randomUUID()}`;
  const at = clock.wall();
  const expiresAt = at + 86_400_000;
  const claimed = await store.claim({ ref, fingerprint: 'f', requestId, at, expiresAt, maxAttempts: 12 });
  if (claimed.kind === 'succeeded') process.stdout.write(`delivered ${key} ${claimed.answer?.digest}\n`);
  if (claimed.kind !== 'owner') return;
  const owned = { ref, round: claimed.round };
  const failure = { status: 502, code: 'x', message: '', requestId, at };
  const fail = () => store.fail({ ...owned, state: 'failed', failure, release: false });
  try {
    const attemptId = `att_${randomUUID()}`;
    await store.startAttempt({ ...owned, no: claimed.attemptsBefore + 1, attemptId, target: 't', at });
    if (turn % 3 === 0) {
      store.endAttempt({ ref, attemptId, result: 'failed', maybeExecuted: false, at });
      await fail();
      return;
    }
    await succeed(owned, key, requestId, attemptId);
  } catch (error) {
    await fail();
    throw error;
  }
}

async function succeed(owned: Owned, key: string, requestId: string, attemptId: string): Promise<void> {
  const body = Buffer.from(`an answer nobody else gives: ${randomUUID()}`);
  const digest = createHash('sha256').update(body).digest('hex');
  const head = { status: 200, headers: {}, stream: false, at: clock.wall(), servedModel: null, digest };
  const result = await store.succeed({ ...owned, requestId, attemptId, answer: { ...head, body } });
  if (result === 'stored') process.stdout.write(`delivered ${key} ${digest}\n`);
}

/** What a store that is away, or others who have judged this process, keep from its clients. */
async function patient(served: Promise<void>): Promise<void> {
  try {
    await served;
  } catch (error) {
    if (url === '' || !(error instanceof StateStoreUnavailable || error instanceof RoundLost)) throw error;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const pool = Array.from({ length: Number(last) - Number(first) }, (_, n) => `key-${Number(first) + n}`);
for (let turn = 0; ; turn += 1) {
  const keys = [...pool, ...Array.from({ length: 3 }, () => `fresh-${randomUUID()}`)];
  await Promise.all(keys.flatMap((key) => [patient(serve(key, turn)), patient(serve(key, turn))]));
}
