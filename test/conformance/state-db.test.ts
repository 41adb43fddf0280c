import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { openStateDb as openPostgres, type PostgresState } from '../../src/adapters/store-postgres/open-state-db.ts';
import type { StateDb } from '../../src/adapters/store-sql/state-db.ts';
import { openStateDb as openSqlite } from '../../src/adapters/store-sqlite/open-state-db.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { schemaOn } from '../support/servers/postgres-schema.ts';
import { stateDbConformance } from './state-db.ts';

stateDbConformance('SQLite', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'state-'));
  const file = join(dir, 'state.db');
  const opened: StateDb[] = [];
  return {
    sql: {
      create: 'CREATE TABLE items (id TEXT PRIMARY KEY, n INTEGER NOT NULL, body BLOB)',
      insert: 'INSERT INTO items (id, n, body) VALUES (?, ?, ?)',
      bump: 'UPDATE items SET n = n + 1 WHERE id = ? AND n = ?',
      list: 'SELECT id, CAST(n AS TEXT), body FROM items WHERE id >= ? ORDER BY id',
    },
    async open() {
      const db = await openSqlite({ path: file, clock: systemClock });
      opened.push(db);
      return db;
    },
    away: async () => renameSync(file, `${file}.away`),
    back: async () => renameSync(`${file}.away`, file),
    async close() {
      await Promise.all(opened.map((db) => db.close()));
      rmSync(dir, { recursive: true, force: true });
    },
  };
});

describe.runIf(hasPostgres())('at a server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  stateDbConformance('PostgreSQL', async () => {
    const { url } = await schemaOn(server.url);
    const opened: PostgresState[] = [];
    return {
      sql: {
        create: 'CREATE TABLE items (id text COLLATE "C" PRIMARY KEY, n bigint NOT NULL, body bytea)',
        insert: `INSERT INTO items (id, n, body)
          SELECT r ->> 0, (r ->> 1)::bigint, us_bytes($2, r -> 2) FROM json_array_elements($1) r`,
        bump: `UPDATE items SET n = n + 1 FROM json_array_elements($1) r WHERE id = r ->> 0 AND n = (r ->> 1)::bigint`,
        list: 'SELECT id, n::text, body FROM items WHERE id >= $1 ORDER BY id',
      },
      async open() {
        const state = await openPostgres({ url, clock: systemClock, version: '1.0.0', holder: `h${opened.length}` });
        opened.push(state);
        return state.on('keys');
      },
      away: () => server.kill(),
      back: () => server.start(),
      close: async () => void (await Promise.all(opened.map((state) => state.close()))),
    };
  });
});
