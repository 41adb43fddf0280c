import { beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../../test/support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../../../test/support/servers/postgres-schema.ts';
import { systemClock } from '../system-clock.ts';
import { readAddress } from './address.ts';
import { migrate } from './migrate.ts';
import { newestStep, SCHEMA_STEPS, type SchemaStep } from './schema-steps.ts';

const LAST = newestStep();
const expand = (no: number, sql: string): SchemaStep => ({ no, name: `step ${no}`, kind: 'expand', sql });
const contract = (no: number, sql: string): SchemaStep => ({ ...expand(no, sql), kind: 'contract' });

describe.runIf(hasPostgres())('migrations', () => {
  let schema: PostgresSchema;
  beforeEach(async () => {
    schema = await openSchema();
    return () => schema.drop();
  });

  const run = (steps: readonly SchemaStep[] = SCHEMA_STEPS, version = '1.0.0') =>
    migrate({ address: readAddress(schema.url), name: 'understudy/test', clock: systemClock, version, steps });
  const done = async () => (await schema.query('SELECT no FROM schema_steps ORDER BY no')).flat();

  it('H-5: steps are numbered without gaps', () => {
    expect(SCHEMA_STEPS.map(({ no }) => no)).toEqual(Array.from({ length: LAST }, (_, n) => n + 1));
  });

  it('H-5: of several processes that start at once one migrates, the others find it done', async () => {
    await Promise.all([run(), run(), run(), run()]);
    expect(await done()).toEqual(SCHEMA_STEPS.map(({ no }) => no));
    expect(await schema.query("SELECT value FROM revisions WHERE name = 'objects'")).toEqual([[0]].map(() => ['0']));
  });

  it('H-5: what is missing is carried out in order, each step whole or not at all', async () => {
    await run();
    const half = expand(LAST + 2, 'CREATE TABLE b (n int); SELECT 1 / 0');
    await expect(run([...SCHEMA_STEPS, expand(LAST + 1, 'CREATE TABLE a (n int)'), half])).rejects.toThrow(/division/);
    expect((await done()).at(-1)).toBe(LAST + 1);
    expect(await schema.query("SELECT to_regclass('a') IS NULL, to_regclass('b') IS NULL")).toEqual([[false, true]]);
  });

  it('H-5: older code runs beside what a newer one has added, and not beside what it took away', async () => {
    await run([...SCHEMA_STEPS, expand(LAST + 1, 'CREATE TABLE a (n int)')], '2.0.0');
    await run();
    await run(
      [...SCHEMA_STEPS, expand(LAST + 1, 'CREATE TABLE a (n int)'), contract(LAST + 2, 'DROP TABLE a')],
      '3.0.0',
    );
    await expect(run()).rejects.toThrow(/newer version.*start the version that wrote it/);
  });

  it('H-5: a step that takes something away waits until nobody lives who does not know it', async () => {
    await run();
    const newer = [...SCHEMA_STEPS, contract(LAST + 1, 'DROP TABLE joins'), expand(LAST + 2, 'CREATE TABLE c (n int)')];
    await schema.query(
      `INSERT INTO replicas (holder, lease_until, started_at, app_version, schema_known, host)
       VALUES ('old', us_now() + 30000, 0, '1', $1, 'h')`,
      [LAST],
    );
    await run(newer, '2.0.0');
    expect(await done()).toEqual([...SCHEMA_STEPS.map(({ no }) => no), LAST + 2]);
    await schema.query('UPDATE replicas SET fenced = true');
    await run(newer, '2.0.0');
    expect((await done()).includes(LAST + 1)).toBe(true);
  });

  it('H-5: a database that cannot hold every text is refused, and it is said how to make one that can', async () => {
    const name = `latin_${schema.name}`;
    await schema.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
    const address = readAddress(schema.url.replace('/postgres?', `/${name}?`));
    const started = migrate({ address, name: 'understudy/test', clock: systemClock, version: '1' });
    await expect(started).rejects.toThrow(/encoding is LATIN1; make one with: CREATE DATABASE/);
    await schema.query(`DROP DATABASE ${name}`);
  });

  it('H-5: a step that was another one when it was carried out is told, not overlooked', async () => {
    await run();
    const other = SCHEMA_STEPS.map((step) => ({ ...step, sql: `${step.sql} ` }));
    await expect(run(other)).rejects.toThrow(/not the one this version knows/);
  });

  it('H-5: a table that somebody holds does not stop the others: the step comes again', async () => {
    await run();
    await schema.query('BEGIN');
    await schema.query('LOCK TABLE objects IN ACCESS SHARE MODE');
    const stepping = run([...SCHEMA_STEPS, expand(LAST + 1, 'ALTER TABLE objects ADD COLUMN more text')]);
    await new Promise((resolve) => setTimeout(resolve, 2300));
    await schema.query('COMMIT');
    await stepping;
    expect((await done()).at(-1)).toBe(LAST + 1);
  });
});
