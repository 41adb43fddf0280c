import { existsSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from './postgres.ts';
import { findBinaries, hasPostgres } from './postgres-binaries.ts';
import { openSchema } from './postgres-schema.ts';

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

describe.runIf(hasPostgres())('a server of a test', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: 'on' } });
    await ask(server.url, 'CREATE TABLE t AS SELECT 7 AS n');
  });
  afterAll(async () => {
    await server.stop();
    expect(existsSync(server.folder)).toBe(false);
  });

  it('takes settings', async () => {
    expect(await ask(server.url, 'SHOW fsync')).toBe('on');
  });

  it('is the same after a restart and after every one of its processes was killed', async () => {
    const before = server.pid;
    await server.restart();
    expect(server.pid).not.toBe(before);
    expect(await ask(server.url, 'SELECT n FROM t')).toBe(7);
    await server.kill();
    await expect(ask(server.url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
    await server.start();
    expect(await ask(server.url, 'SELECT n FROM t')).toBe(7);
  });

  it('says nothing while it is frozen, and goes on afterwards', async () => {
    const thaw = server.freeze(400);
    let answered = false;
    const answer = ask(server.url, 'SELECT n FROM t').then((n) => {
      answered = true;
      return n;
    });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(answered).toBe(false);
    await thaw;
    expect(await answer).toBe(7);
  });

  it('schemas of one run are apart from each other', async () => {
    const [one, two] = await Promise.all([openSchema(), openSchema()]);
    for (const schema of [one, two]) {
      await schema.query(`CREATE SCHEMA ${schema.name}`);
      await schema.query(`CREATE TABLE t AS SELECT '${schema.name}' AS name`);
      expect(await schema.query('SELECT name FROM t')).toEqual([[schema.name]]);
      await schema.drop();
    }
  });

  it('its programs are looked for where a variable says, and there alone', () => {
    expect(findBinaries({ UNDERSTUDY_TEST_POSTGRES: '/nowhere' })).toBeNull();
    expect(findBinaries({ UNDERSTUDY_TEST_POSTGRES: findBinaries() ?? '' })).toBe(findBinaries());
  });
});
