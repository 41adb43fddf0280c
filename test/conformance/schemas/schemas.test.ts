/**
 * A store of every earlier schema, as its version wrote it, opens and has lost nothing. A new schema comes with its own:
 * `UNDERSTUDY_WRITE_SCHEMAS=1 npx vitest run test/conformance/schemas` writes those that are missing.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStateDb as openPostgres } from '../../../src/adapters/store-postgres/open-state-db.ts';
import { Replicas } from '../../../src/adapters/store-postgres/replicas.ts';
import { newestStep } from '../../../src/adapters/store-postgres/schema-steps.ts';
import { STATE_SQL as POSTGRES_SQL } from '../../../src/adapters/store-postgres/state-sql.ts';
import { type StateStores, stateStores } from '../../../src/adapters/store-sql/state-stores.ts';
import { openStateDb as openSqlite } from '../../../src/adapters/store-sqlite/open-state-db.ts';
import { STATE_MIGRATIONS } from '../../../src/adapters/store-sqlite/state-schema.ts';
import { STATE_SQL as SQLITE_SQL } from '../../../src/adapters/store-sqlite/state-sql.ts';
import { systemClock } from '../../../src/adapters/system-clock.ts';
import { soleHolder } from '../../../src/ports/holder.ts';
import type { Sealer } from '../../../src/ports/sealer.ts';
import { plainSealer } from '../../support/plain-sealer.ts';
import { hasPostgres } from '../../support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../../support/servers/postgres-schema.ts';
import { LEASE_MS, T0 } from '../ledger-samples.ts';
import { dumpSchema, restoreSchema } from './postgres-dump.ts';
import { expectFound, leave, type Since } from './sample-state.ts';
import { dumpFile, restoreFile } from './sqlite-dump.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const mayWrite = process.env['UNDERSTUDY_WRITE_SCHEMAS'] === '1';

const fileOf = (engine: string, no: number) => path.join(HERE, engine, `${String(no).padStart(3, '0')}.sql`);
const numbersOf = (engine: string) =>
  readdirSync(path.join(HERE, engine))
    .map((name) => Number(/^(\d{3})\.sql$/.exec(name)?.[1]))
    .sort((a, b) => a - b);
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

let ids = 0;
const common = {
  sealer: plainSealer as Sealer,
  clock: { ...systemClock, wall: () => T0 },
  newId: (prefix: string) => {
    ids += 1;
    return `${prefix}${ids}_${process.pid}`;
  },
  onNotKept: (problem: string | null) => expect(problem).toBeNull(),
  onBug(error: unknown) {
    throw error;
  },
};

describe('SQLite, every schema', () => {
  const LAST = STATE_MIGRATIONS.length;
  /** Schemas 2 to 5 had keys in columns. */
  const SINCE: Since = { keys: 2, ladder: 3, bound: 5, sessions: 10 };
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'schema-'));
    file = path.join(dir, 'state.db');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** The stores of a process, and how it ends. */
  async function start(id: string): Promise<{ stores: StateStores; end: () => Promise<void> }> {
    const db = await openSqlite({ path: file, clock: systemClock });
    const parts = {
      ...common,
      db: { keys: db, money: db, rest: db },
      reader: db,
      sql: SQLITE_SQL,
      holder: soleHolder(id),
    };
    return { stores: stateStores(parts), end: () => db.close() };
  }

  it('H-5: each has its sample', async () => {
    if (mayWrite && !existsSync(fileOf('sqlite', LAST))) {
      const { stores, end } = await start('p1');
      await leave(stores);
      await end();
      writeFileSync(fileOf('sqlite', LAST), dumpFile(file));
    }
    expect(numbersOf('sqlite')).toEqual(upTo(LAST));
  });

  it.each(numbersOf('sqlite'))('H-5: schema %i opens, and nothing of it is lost', async (no) => {
    restoreFile(file, readFileSync(fileOf('sqlite', no), 'utf8'));
    const { stores, end } = await start('p2');
    await expectFound(stores, no, SINCE);
    await end();
  });
});

describe.runIf(hasPostgres())('PostgreSQL, every schema', () => {
  const SINCE: Since = { keys: 1, ladder: 1, bound: 1, sessions: 2 };
  let schema: PostgresSchema;
  beforeEach(async () => {
    schema = await openSchema();
  });
  afterEach(() => schema.drop());

  async function start(id: string): Promise<{ stores: StateStores; end: () => Promise<void> }> {
    const state = await openPostgres({ url: schema.url, clock: systemClock, version: '1.0.0', holder: id });
    const rest = state.on('state');
    const identity = { newHolder: () => id, version: '1.0.0', host: 'h' };
    const holder = new Replicas({ ...identity, db: rest, clock: systemClock, leaseMs: LEASE_MS, judgeAfterMs: 0 });
    await holder.join(T0);
    const db = { keys: state.on('keys', 'keys'), money: state.on('money', 'money'), rest };
    const parts = { ...common, db, reader: state.on('keys'), sql: POSTGRES_SQL, holder, leases: holder };
    return { stores: stateStores(parts), end: () => state.close() };
  }

  it('H-5: each has its sample', async () => {
    const last = newestStep();
    if (mayWrite && !existsSync(fileOf('postgres', last))) {
      const { stores, end } = await start('p1');
      await leave(stores);
      await end();
      writeFileSync(fileOf('postgres', last), dumpSchema(schema));
    }
    expect(numbersOf('postgres')).toEqual(upTo(last));
  });

  it.each(numbersOf('postgres'))('H-5: schema %i opens, and nothing of it is lost', async (no) => {
    await restoreSchema(schema, readFileSync(fileOf('postgres', no), 'utf8'));
    const { stores, end } = await start('p2');
    await expectFound(stores, no, SINCE);
    await end();
  });
});
