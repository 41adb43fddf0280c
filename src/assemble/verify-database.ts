/** I-11 over a store that gateways share, beside them or behind them. */
import { openSealer } from '../adapters/sealer/open-sealer.ts';
import { differingAccounts } from '../adapters/store-postgres/account-check.ts';
import { IDEMPOTENCY_SQL } from '../adapters/store-postgres/idempotency-sql.ts';
import { openStateDb, type PostgresState, StateDbUnusable } from '../adapters/store-postgres/open-state-db.ts';
import { REQUESTS_SQL, withNumbers } from '../adapters/store-postgres/requests-sql.ts';
import { SqlError } from '../adapters/store-sql/fault.ts';
import { keyedRecords } from '../adapters/store-sql/keyed-records.ts';
import type { StateDb } from '../adapters/store-sql/state-db.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { violation } from '../core/idempotency/check-key.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import type { Sealer } from '../ports/sealer.ts';
import { type LedgerReport, LedgerUnreadable, verifyParts } from './verify-ledger.ts';

export interface VerifyDatabaseOptions {
  /** `postgres://…` */
  readonly url: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the program. */
  readonly version: string;
  readonly onProgress?: (done: number, total: number) => void;
}

/** The report, and the place without its password. Rejects with `LedgerUnreadable` or `SealKeyError`. */
export async function verifyDatabase(
  options: VerifyDatabaseOptions,
): Promise<LedgerReport & { readonly place: string }> {
  const { url, dataDir, env, version, onProgress } = options;
  const sealer = await openSealer({ dataDir, env });
  let state: PostgresState | null = null;
  try {
    state = await openStateDb({ url, clock: systemClock, version, holder: 'verify-ledger', isReader: true });
    const db = state.on('state');
    const report = await verifyShared(db, sealer, await isLive(db), onProgress);
    return { place: state.address.shown, ...report };
  } catch (error) {
    const isTold = [StateDbUnusable, StateStoreUnavailable, SqlError].some((kind) => error instanceof kind);
    throw isTold ? new LedgerUnreadable((error as Error).message) : error;
  } finally {
    await state?.close();
  }
}

/** A database that is open already. `live`: rounds may be under way. */
export async function verifyShared(
  db: Pick<StateDb, 'read'>,
  sealer: Sealer,
  live: boolean,
  onProgress?: (done: number, total: number) => void,
): Promise<LedgerReport> {
  const accounts = (await differingAccounts(db)).map(({ workspace, detail }) =>
    violation('account_differs', { scope: `workspace ${workspace}`, keyHash: '' }, detail),
  );
  const report = await verifyParts({
    keys: { db, sql: IDEMPOTENCY_SQL },
    records: keyedRecords({
      db: { read: (sql, params) => db.read(withNumbers(sql), params), close: () => Promise.resolve() },
      sql: REQUESTS_SQL,
    }),
    sealer,
    isLive: () => live,
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const violations = [...accounts, ...report.violations];
  return { ...report, violations, violation_count: report.violation_count + accounts.length };
}

async function isLive(db: Pick<StateDb, 'read'>): Promise<boolean> {
  const living = 'SELECT 1 FROM replicas WHERE NOT fenced AND lease_until > us_now() LIMIT 1';
  return (await db.read(living, [])).length > 0;
}
