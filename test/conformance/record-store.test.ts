import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { openRecordStore as openPostgres } from '../../src/adapters/store-postgres/open-record-store.ts';
import { openStateDb, type PostgresState } from '../../src/adapters/store-postgres/open-state-db.ts';
import { openRecordStore as openSqlite } from '../../src/adapters/store-sqlite/open-record-store.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../support/servers/postgres-schema.ts';
import { overviewConformance } from './overview.ts';
import { type LogBench, recordStoreConformance } from './record-store.ts';

describe('in a file', () => {
  const openBench = async (): Promise<LogBench> => {
    const folder = mkdtempSync(join(tmpdir(), 'log-'));
    const path = join(folder, 'log.db');
    return {
      open: (change) => openSqlite({ path, queueLimit: 10_000, clock: systemClock, ...change }),
      close: async () => rmSync(folder, { recursive: true, force: true }),
    };
  };
  recordStoreConformance('SQLite', openBench);
  overviewConformance('SQLite', openBench);
});

describe.runIf(hasPostgres())('at a server', () => {
  let schema: PostgresSchema;
  let state: PostgresState;
  beforeAll(async () => {
    schema = await openSchema();
    state = await openStateDb({ url: schema.url, clock: systemClock, version: '1', holder: 'log' });
  });
  afterAll(async () => {
    await state.close();
    await schema.drop();
  });

  const openBench = async (): Promise<LogBench> => {
    await schema.query('TRUNCATE requests, snapshots, setup_parts, figures');
    const { address, set } = state;
    const base = { address, set, clock: systemClock, name: 'understudy/log', queueLimit: 10_000 };
    return {
      open: async (change) =>
        openPostgres({ ...base, onProblem: () => undefined, onDropped: () => undefined, ...change }),
      close: async () => undefined,
    };
  };
  recordStoreConformance('PostgreSQL', openBench);
  overviewConformance('PostgreSQL', openBench);
});
