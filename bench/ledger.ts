/**
 * Keyed sequences per second the ledger keeps on this disk: claim → start of an attempt → success, each step awaited as a
 * request awaits it. `node bench/ledger.ts [sequences] [at once]`.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSealer } from '../src/adapters/sealer/open-sealer.ts';
import { createIdempotencyStore } from '../src/adapters/store-sql/idempotency-store.ts';
import { IDEMPOTENCY_SQL } from '../src/adapters/store-sqlite/idempotency-sql.ts';
import { openStateDb } from '../src/adapters/store-sqlite/open-state-db.ts';
import { systemClock } from '../src/adapters/system-clock.ts';
import { soleHolder } from '../src/ports/holder.ts';
import type { IdempotencyStore } from '../src/ports/idempotency-store.ts';

const [sequences = 10_000, atOnce = 100] = process.argv.slice(2).map(Number);
const body = Buffer.from(`{"choices":[{"message":{"content":"${'word '.repeat(300)}"}}]}`);
const digest = createHash('sha256').update(body).digest('hex');

async function sequence(store: IdempotencyStore, n: number): Promise<void> {
  const ref = { scope: 'key:dev chat', keyHash: createHash('sha256').update(`key ${n}`).digest('hex') };
  const at = systemClock.wall();
  const requestId = `req_${n}`;
  const attemptId = `att_${n}`;
  await store.claim({ ref, fingerprint: digest, requestId, at, expiresAt: at + 86_400_000, maxAttempts: 12 });
  await store.startAttempt({ ref, round: 1, no: 1, attemptId, target: 'm#c@k', at });
  const head = { status: 200, headers: { 'content-type': 'application/json' }, stream: false, at, servedModel: 'm' };
  const result = await store.succeed({ ref, round: 1, requestId, attemptId, answer: { ...head, body, digest } });
  if (result !== 'stored') throw new Error(`sequence ${n}: ${result}`);
}

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'ledger-bench-'));
  const db = await openStateDb({ path: join(dir, 'state.db'), clock: systemClock });
  const sealer = await openSealer({ dataDir: dir, env: {} });
  const store = createIdempotencyStore({
    db,
    sql: IDEMPOTENCY_SQL,
    sealer,
    clock: systemClock,
    holder: soleHolder('bench'),
  });
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < sequences) {
      next += 1;
      await sequence(store, next);
    }
  };
  const began = performance.now();
  const cpu = process.cpuUsage();
  const loop = performance.eventLoopUtilization();
  await Promise.all(Array.from({ length: atOnce }, worker));
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const busy = performance.eventLoopUtilization(loop).utilization;
  console.log(
    `${sequences} keyed sequences, ${atOnce} at once: ${Math.round(sequences / seconds)} per second, ` +
      `${Math.round((user + system) / sequences)} µs of CPU each (main thread ${Math.round((busy * seconds * 1e6) / sequences)} µs)`,
  );
  await store.close();
  await db.close();
  rmSync(dir, { recursive: true, force: true });
}

await main();
