/** I-11 over a whole store, of stopped gateways or beside running ones. Reads alone; a page at a time. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openSealer } from '../adapters/sealer/open-sealer.ts';
import { SqlError } from '../adapters/store-sql/fault.ts';
import { countKeys, type KeyReader, keysOfHash, readKeys } from '../adapters/store-sql/idempotency-keys.ts';
import { type KeyedRecords, keyedRecords } from '../adapters/store-sql/keyed-records.ts';
import { isHeld } from '../adapters/store-sqlite/data-dir-lock.ts';
import { IDEMPOTENCY_SQL } from '../adapters/store-sqlite/idempotency-sql.ts';
import { openStateReader } from '../adapters/store-sqlite/open-state-db.ts';
import { REQUESTS_SQL } from '../adapters/store-sqlite/requests-sql.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { DeliveryCheck } from '../core/idempotency/check-deliveries.ts';
import { checkKey, type Violation } from '../core/idempotency/check-key.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import type { Sealer } from '../ports/sealer.ts';

export interface VerifyOptions {
  readonly dataDir: string;
  /** Name of the request log in it. */
  readonly logFile: string;
  /** Where the sealer's keys may be. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface LedgerReport {
  /** A gateway ran on the folder. */
  readonly live: boolean;
  readonly keys: number;
  readonly answers: number;
  readonly attempts: number;
  /** Keyed requests of the log; null = there is no log. */
  readonly records: number | null;
  /** The first of them. */
  readonly violations: readonly Violation[];
  readonly violation_count: number;
}

/** The folder can't be verified at all; the message says why. */
export class LedgerUnreadable extends Error {}

/** A store that is wrong everywhere is told by its first faults. */
const TOLD = 1000;
/** Progress is told so often at most. */
const EVERY = 200;

/** What is looked at, whatever engine keeps it. */
export interface LedgerParts {
  readonly keys: KeyReader;
  /** Null = there is no log. */
  readonly records: Omit<KeyedRecords, 'close'> | null;
  readonly sealer: Sealer;
  /** Whether a gateway runs on it now. */
  readonly isLive: () => boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Rejects as the databases do. */
export async function verifyParts({ keys, records, sealer, isLive, onProgress }: LedgerParts): Promise<LedgerReport> {
  const run = new Verification(keys, isLive, onProgress ?? (() => undefined));
  run.total = (await countKeys(keys)) + ((await records?.count()) ?? 0);
  await run.checkKeys(sealer);
  if (records !== null) await run.checkRecords(records.all());
  return run.report(records !== null);
}

/** Rejects with `LedgerUnreadable` or `SealKeyError`. */
export async function verifyLedger(options: VerifyOptions): Promise<LedgerReport> {
  const { dataDir, env, logFile } = options;
  const statePath = join(dataDir, 'state.db');
  if (!existsSync(statePath)) throw new LedgerUnreadable(`there is no ledger in ${dataDir}: no state.db`);
  const sealer = await openSealer({ dataDir, env });
  const db = openStateReader({ path: statePath, clock: systemClock });
  const keys: KeyReader = { db, sql: IDEMPOTENCY_SQL };
  const logPath = join(dataDir, logFile);
  const records = openLog(logPath);
  try {
    const isLive = (): boolean => isHeld(dataDir);
    const { onProgress } = options;
    return await verifyParts({ keys, records, sealer, isLive, ...(onProgress === undefined ? {} : { onProgress }) });
  } catch (error) {
    if (error instanceof StateStoreUnavailable) throw new LedgerUnreadable(error.message);
    if (error instanceof SqlError) throw new LedgerUnreadable(`${dataDir} cannot be read: ${error.message}`);
    throw error;
  } finally {
    await db.close();
    await records?.close();
  }
}

function openLog(path: string): KeyedRecords | null {
  if (!existsSync(path)) return null;
  return keyedRecords({ db: openStateReader({ path, clock: systemClock }), sql: REQUESTS_SQL });
}

type Records = ReturnType<KeyedRecords['all']>;

class Verification {
  total = 0;
  readonly #keys: KeyReader;
  readonly #isLive: () => boolean;
  readonly #onProgress: (done: number, total: number) => void;
  readonly #violations: Violation[] = [];
  readonly #counts = { keys: 0, answers: 0, attempts: 0, records: 0, violations: 0 };
  #live: boolean;
  #done = 0;

  constructor(keys: KeyReader, isLive: () => boolean, onProgress: (done: number, total: number) => void) {
    this.#keys = keys;
    this.#isLive = isLive;
    this.#onProgress = onProgress;
    this.#live = isLive();
  }

  async checkKeys(sealer: Sealer): Promise<void> {
    for await (const stored of readKeys(this.#keys, sealer)) {
      // A gateway that has started meanwhile has rounds of its own.
      const found = checkKey(stored, this.#live);
      if (found.length > 0 && !this.#live && this.#isLive()) this.#live = true;
      this.#tell(this.#live ? checkKey(stored, true) : found);
      this.#counts.keys += 1;
      this.#counts.attempts += stored.attempts.length;
      if (stored.answer.kind !== 'none') this.#counts.answers += 1;
      this.#step();
    }
  }

  /** The ledger is read after the records of a key, so that it knows all that they know. */
  async checkRecords(records: Records): Promise<void> {
    let keyHash = '';
    let check = new DeliveryCheck('', []);
    for await (const record of records) {
      if (record.keyHash !== keyHash) {
        keyHash = record.keyHash;
        check = new DeliveryCheck(keyHash, await keysOfHash(this.#keys, keyHash));
      }
      const found = check.add(record.summary);
      if (found !== null) this.#tell([found]);
      this.#counts.records += 1;
      this.#step();
    }
  }

  report(withRecords: boolean): LedgerReport {
    const { violations, records, ...counts } = this.#counts;
    return {
      live: this.#live,
      ...counts,
      records: withRecords ? records : null,
      violations: this.#violations,
      violation_count: violations,
    };
  }

  #tell(found: readonly Violation[]): void {
    this.#counts.violations += found.length;
    this.#violations.push(...found.slice(0, TOLD - this.#violations.length));
  }

  #step(): void {
    this.#done += 1;
    if (this.#done % EVERY === 0 || this.#done === this.total) this.#onProgress(this.#done, this.total);
  }
}
