/** O-5: a million requests in the log, on both engines. `UNDERSTUDY_MILLION=FILE` keeps the SQLite file for the next time. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openRecordStore as openPostgres } from '../../src/adapters/store-postgres/open-record-store.ts';
import { openStateDb, type PostgresState } from '../../src/adapters/store-postgres/open-state-db.ts';
import { openRecordStore as openSqlite } from '../../src/adapters/store-sqlite/open-record-store.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import type { RetainingRecordStore } from '../../src/ports/record-store.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../support/servers/postgres-schema.ts';
import { deepPages, firstPages, liveTail, rareMatches } from './million.ts';
import { dayOfFigures } from './million-figures.ts';
import { seedSchema } from './million-postgres.ts';
import { seedFile } from './million-sqlite.ts';

/** Guards: a million rows and their indexes are written by then even beside other work. */
const SEED_MS = 900_000;
const ASK_MS = 600_000;

function asks(engine: string, store: () => RetainingRecordStore): void {
  it('O-5: the first page of every filter, and of every pair of them', () => firstPages(engine, store()), ASK_MS);
  it('O-5: what one of a million has is found, and nothing else', () => rareMatches(engine, store()), ASK_MS);
  it('O-5: pages far behind the first', () => deepPages(engine, store()), ASK_MS);
  it('O-5: watching the newest', () => liveTail(engine, store()), ASK_MS);
  it('O-5: the overview of a day and of a month', () => dayOfFigures(engine, store()), ASK_MS);
}

describe('a million requests in a file', () => {
  const kept = process.env['UNDERSTUDY_MILLION'];
  let folder: string;
  let store: RetainingRecordStore;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'million-'));
    const path = kept ?? join(folder, 'log.db');
    if (!existsSync(path)) await seedFile(path);
    store = await openSqlite({ path, queueLimit: 10, clock: systemClock });
  }, SEED_MS);
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  asks('SQLite', () => store);
});

describe.runIf(hasPostgres())('a million requests at a server', () => {
  let schema: PostgresSchema;
  let state: PostgresState;
  let store: RetainingRecordStore;
  beforeAll(async () => {
    schema = await openSchema();
    state = await openStateDb({ url: schema.url, clock: systemClock, version: '1', holder: 'log' });
    await seedSchema(schema);
    const { address, set } = state;
    const told = { onProblem: () => undefined, onDropped: () => undefined };
    store = openPostgres({ address, set, clock: systemClock, name: 'understudy/log', queueLimit: 10, ...told });
  }, SEED_MS);
  afterAll(async () => {
    await store.close();
    await state.close();
    await schema.drop();
  });
  asks('PostgreSQL', () => store);
});
