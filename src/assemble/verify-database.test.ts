import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../test/support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../../test/support/servers/postgres-schema.ts';
import { openStateDb } from '../adapters/store-postgres/open-state-db.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { verifyDatabase } from './verify-database.ts';

describe.runIf(hasPostgres())('verify-ledger of a database', () => {
  let schema: PostgresSchema;
  beforeEach(async () => {
    schema = await openSchema();
  });
  afterEach(() => schema.drop());

  const verify = () => verifyDatabase({ url: schema.url, dataDir: '/nowhere', env: {}, version: '1' });

  it('I-11: changes nothing: a database without a store stays without one', async () => {
    await expect(verify()).rejects.toThrow(/there is no store in it/);
    expect(await schema.query('SELECT to_regnamespace($1)', [schema.name])).toEqual([[null]]);
  });

  it('G-4: an account that is not the sum of its entries, or of what is held back of it, is told', async () => {
    const state = await openStateDb({ url: schema.url, clock: systemClock, version: '1', holder: 'a' });
    await state.close();
    await schema.query("INSERT INTO accounts VALUES ('right', 5, 5, 2), ('wrong', 5, 5, 0), ('held', 0, 0, 3)");
    await schema.query(`INSERT INTO ledger_entries (id, workspace, kind, amount, at, made_by)
      VALUES ('a', 'right', 'topup', 5, 0, 'x'), ('b', 'wrong', 'topup', 6, 0, 'x'), ('c', 'none', 'topup', 1, 0, 'x')`);
    await schema.query("INSERT INTO reservations VALUES ('att', 'right', 2, 0, 'h')");
    const { violations, violation_count: count } = await verify();
    expect(count).toBe(3);
    expect(violations.map(({ kind, scope, detail }) => [kind, scope, detail])).toEqual([
      ['account_differs', 'workspace held', 'balance 0, of entries 0; held 3, of reservations 0'],
      ['account_differs', 'workspace none', 'balance 0, of entries 1; held 0, of reservations 0'],
      ['account_differs', 'workspace wrong', 'balance 5, of entries 6; held 0, of reservations 0'],
    ]);
  });
});
