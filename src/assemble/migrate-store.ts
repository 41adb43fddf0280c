/**
 * From a data folder into a shared store, without loss: rows as they are, then a look at both sides. The folder is locked
 * and nothing in it is deleted; whatever interrupts it, the next run goes on.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openSealer } from '../adapters/sealer/open-sealer.ts';
import { PostgresTarget, type TargetState } from '../adapters/store-move/postgres-target.ts';
import { countRows, type Side, SQLITE } from '../adapters/store-move/side.ts';
import { MOVED_TABLES, type MovedTable } from '../adapters/store-move/tables.ts';
import { StateDbUnusable as TargetUnusable } from '../adapters/store-postgres/open-state-db.ts';
import { guardSeal } from '../adapters/store-postgres/seal-guard.ts';
import { SqlObjectStore } from '../adapters/store-sql/object-store.ts';
import type { StateDb } from '../adapters/store-sql/state-db.ts';
import { lockDataDir } from '../adapters/store-sqlite/data-dir-lock.ts';
import { openRecordStore } from '../adapters/store-sqlite/open-record-store.ts';
import { openStateDb, openStateReader } from '../adapters/store-sqlite/open-state-db.ts';
import { STATE_SQL } from '../adapters/store-sqlite/state-sql.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { FIRST_RUN_FILE } from '../config/first-run.ts';
import type { Clock } from '../ports/clock.ts';
import type { Sealer } from '../ports/sealer.ts';
import { Closers } from './closers.ts';
import { markFor, writeMark } from './move-marks.ts';
import { type Compared, compareTable, copyTable } from './move-rows.ts';
import { missingKeys, sealKeyAdvice } from './seal-keys-of.ts';
import { sealedTexts } from './sealed-objects.ts';
import { FIRST_RUN } from './shared-first-run.ts';
import { verifyShared } from './verify-database.ts';
import type { LedgerReport } from './verify-ledger.ts';

export interface MigrateOptions {
  /** The data folder. */
  readonly from: string;
  /** `postgres://…` */
  readonly to: string;
  /** Nothing is copied, both sides are compared. */
  readonly checkOnly: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly clock?: Clock;
  /** Rows looked at so far, of so many. */
  readonly onProgress?: (done: number, total: number, doing: 'copy' | 'check') => void;
}

export interface MigrationReport {
  /** Without a password. */
  readonly to: string;
  /** It was there before: both sides were only compared. */
  readonly copied: boolean;
  readonly tables: readonly Compared[];
  /** What the target's ledger of keys looks like (I-11). */
  readonly ledger: LedgerReport;
  /** In plain words, the first first; empty = both sides are the same. */
  readonly differences: readonly string[];
}

/** It can't be done as asked; the message says why and what to do. */
export class MigrationRefused extends Error {}

/**
 * Rejects with `MigrationRefused`, `DataDirError`, `SealKeyError`, `StateDbUnusable` or `StateStoreUnavailable`; after each of
 * them the same call goes on where it was.
 */
export async function migrateStore(options: MigrateOptions): Promise<MigrationReport> {
  const closers = new Closers();
  try {
    return await new Migration(options, closers).run();
  } catch (error) {
    if (error instanceof TargetUnusable) throw new MigrationRefused(error.message);
    throw error;
  } finally {
    await closers.closeAll();
  }
}

const LOG_FILE = 'understudy.db';

interface Sources {
  readonly state: StateDb;
  /** Null = there is no log. */
  readonly log: StateDb | null;
}

class Migration {
  readonly #options: MigrateOptions;
  readonly #closers: Closers;
  readonly #clock: Clock;
  readonly #from: string;
  #done = 0;
  #total = 0;

  constructor(options: MigrateOptions, closers: Closers) {
    this.#options = options;
    this.#closers = closers;
    this.#clock = options.clock ?? systemClock;
    this.#from = resolve(options.from);
  }

  async run(): Promise<MigrationReport> {
    const { to: url, version, checkOnly } = this.#options;
    const from = this.#from;
    if (!existsSync(join(from, 'state.db'))) throw new MigrationRefused(`there is no store in ${from}: no state.db`);
    const lock = lockDataDir(from);
    this.#closers.add(() => lock.release());
    const sources = await this.#openSources();
    await this.#checkSealKeys(sources.state);
    const sealer = await openSealer({ dataDir: join(from, 'no key file'), env: this.#options.env });
    const target = await PostgresTarget.open({ url, clock: this.#clock, version });
    this.#closers.add(() => target.close());
    const mark = markFor(from, target.shown, this.#clock.wall());
    const copies = mustCopy(await target.stateFor(mark.id), target.shown, checkOnly);
    const tables = await this.#tables(sources);
    this.#total = tables.reduce((sum, { rows }) => sum + rows, 0) * (copies ? 2 : 1);
    if (copies) {
      writeMark(from, { ...mark, finished_at: null });
      await keepFirstRun(from, sources.state, this.#clock.wall());
      await guardSeal(target.db, sealer);
      await target.begin(mark.id);
      for (const { table, side } of tables) await copyTable(side, target, table, (rows) => this.#step(rows, 'copy'));
      await target.finish(mark.id);
    }
    const report = await this.#check(tables, sources, target, sealer, copies);
    if (copies && report.differences.length === 0)
      writeMark(from, { ...mark, finished_at: new Date(this.#clock.wall()).toISOString() });
    return report;
  }

  /** Both files, brought up to date as a start would. */
  async #openSources(): Promise<Sources> {
    const clock = this.#clock;
    const state = await openStateDb({ path: join(this.#from, 'state.db'), clock });
    this.#closers.add(() => state.close());
    const file = logFileIn(this.#from);
    if (file === null) return { state, log: null };
    const path = join(this.#from, file);
    const records = await openRecordStore({
      path,
      clock,
      queueLimit: 1,
      onProblem: () => undefined,
      onDropped: () => undefined,
    });
    await records.close();
    const log = openStateReader({ path, clock });
    this.#closers.add(() => log.close());
    return { state, log };
  }

  async #checkSealKeys(state: StateDb): Promise<void> {
    const objects = await new SqlObjectStore({ db: state, sql: STATE_SQL.objects, auditSql: STATE_SQL.audit }).load();
    const texts = sealedTexts(objects).map(({ sealed }) => sealed);
    const keyIds: string[] = [];
    for (const table of ['idempotency_answers', 'kept_answers', 'jobs'])
      keyIds.push(...(await state.read(`SELECT DISTINCT seal_key FROM ${table}`, [])).map(([id]) => String(id)));
    const { env } = this.#options;
    if ((env['UNDERSTUDY_SEAL_KEY']?.trim() ?? '') === '')
      throw new MigrationRefused(`UNDERSTUDY_SEAL_KEY is not set: ${sealKeyAdvice(this.#from)}`);
    const missing = missingKeys(env, { texts, keyIds });
    if (missing.length === 0) return;
    throw new MigrationRefused(
      `the environment lacks seal key${missing.length === 1 ? '' : 's'} ${missing.join(', ')}: ${sealKeyAdvice(this.#from)}`,
    );
  }

  async #tables({ state, log }: Sources): Promise<readonly { table: MovedTable; side: Side; rows: number }[]> {
    const found: { table: MovedTable; side: Side; rows: number }[] = [];
    for (const table of MOVED_TABLES) {
      const db = table.file === 'state' ? state : log;
      if (db === null) continue;
      const side = { db, dialect: SQLITE };
      found.push({ table, side, rows: await countRows(side, table) });
    }
    return found;
  }

  async #check(
    tables: readonly { readonly table: MovedTable; readonly side: Side }[],
    sources: Sources,
    target: PostgresTarget,
    sealer: Sealer,
    copied: boolean,
  ): Promise<MigrationReport> {
    const compared: Compared[] = [];
    for (const { table, side } of tables)
      compared.push(await compareTable(side, target, table, (rows) => this.#step(rows, 'check')));
    // Rounds that were held go as they are, for the first start to close.
    const ledger = await verifyShared(target.db, sealer, true);
    const differences = [
      ...compared.filter(({ same }) => !same).map(inWords),
      ...(await sumsDiffer(sources.state, target.db)),
      ...ledger.violations.map(({ kind, scope, key_hash }) => `key ${key_hash} of ${scope} at the target: ${kind}`),
    ];
    return { to: target.shown, copied, tables: compared, ledger, differences };
  }

  #step(rows: number, doing: 'copy' | 'check'): void {
    this.#done += rows;
    this.#options.onProgress?.(this.#done, this.#total, doing);
  }
}

/**
 * The hashes of the first key and admin token are a file of the folder, and an object of a shared store: put among the
 * objects, where a gateway over the folder does not look for them, they go along.
 */
async function keepFirstRun(folder: string, state: StateDb, wall: number): Promise<void> {
  const file = join(folder, FIRST_RUN_FILE);
  if (!existsSync(file)) return;
  const body = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
  const objects = new SqlObjectStore({ db: state, sql: STATE_SQL.objects, auditSql: STATE_SQL.audit });
  const known = (await objects.load()).find(({ kind }) => kind === FIRST_RUN.kind);
  if (isDeepStrictEqual(known?.body, body)) return;
  await objects.change([{ ...FIRST_RUN, body, expectedVersion: known?.version ?? 0, by: 'gateway' }], wall);
}

/** False = it is there already: what is left is to compare. */
function mustCopy(state: TargetState, shown: string, checkOnly: boolean): boolean {
  if (state === 'in use') throw new MigrationRefused(`a gateway runs on ${shown}; stop it first`);
  if (state === 'other')
    throw new MigrationRefused(
      `${shown} holds something already that is not of this folder; name an empty database or another ?schema=`,
    );
  if (checkOnly && state !== 'done')
    throw new MigrationRefused(`this folder was not migrated to ${shown}, or not to its end; leave out --check`);
  return state !== 'done';
}

/** The request log: the usual name, or the one database beside the state. */
function logFileIn(folder: string): string | null {
  const files = readdirSync(folder).filter((name) => name.endsWith('.db') && name !== 'state.db');
  if (files.includes(LOG_FILE)) return LOG_FILE;
  if (files.length > 1)
    throw new MigrationRefused(`which of ${files.join(', ')} in ${folder} is the request log? Move the others away`);
  return files[0] ?? null;
}

function inWords({ table, source, target }: Compared): string {
  if (source.rows !== target.rows) return `${table}: ${source.rows} rows here, ${target.rows} there`;
  return `${table}: ${source.rows} rows on both sides, and not the same (${source.sum} here, ${target.sum} there)`;
}

/** Balances as each side works them out. */
async function sumsDiffer(source: StateDb, target: Pick<StateDb, 'read'>): Promise<string[]> {
  const here = new Map(
    (await source.read(STATE_SQL.ledger.sums, [])).map(([workspace, ...sums]) => [workspace, sums.join(' ')]),
  );
  const rows = await target.read('SELECT workspace, balance::text, granted::text, held::text FROM accounts', []);
  const there = new Map(rows.map(([workspace, ...sums]) => [workspace, sums.join(' ')]));
  const all = new Set([...here.keys(), ...there.keys()]);
  return [...all]
    .filter((workspace) => here.get(workspace) !== there.get(workspace))
    .map(
      (workspace) =>
        `balance of ${String(workspace)}: ${here.get(workspace) ?? 'none'} here, ${there.get(workspace) ?? 'none'} there`,
    );
}
