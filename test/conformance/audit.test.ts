/** The audit log, over every engine (G-7, G-8, O-1). */
import { beforeEach, describe, expect, it } from 'vitest';
import { SqlAuditLog } from '../../src/adapters/store-sql/audit.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import type { AuditEntry } from '../../src/ports/audit.ts';
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';
import { type Db, ENGINES, useEngine } from './engines.ts';

interface Statements {
  readonly change: string;
  readonly remove: string;
  readonly replace: string;
}

/** By hand, each with one value. */
const STATEMENTS: Readonly<Record<string, Statements>> & { readonly SQLite: Statements } = {
  SQLite: {
    change: 'UPDATE audit SET actor = ?',
    remove: 'DELETE FROM audit WHERE actor <> ?',
    replace: "INSERT OR REPLACE INTO audit (seq, at, actor, action, object) VALUES (1, 1, ?, '', '')",
  },
  PostgreSQL: {
    change: 'UPDATE audit SET actor = $1::text',
    remove: 'DELETE FROM audit WHERE actor <> $1::text',
    replace: `INSERT INTO audit (seq, at, actor, action, object) VALUES (1, 1, $1::text, '', '')
      ON CONFLICT (seq) DO UPDATE SET actor = excluded.actor`,
  },
};

function entry(n: number, change: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at: n,
    actor: 'admin',
    action: 'key.change',
    object: `key k${n}`,
    workspace: 'acme',
    requestId: `req_${n}`,
    before: { models: ['a'] },
    after: null,
    ip: '127.0.0.1',
    ...change,
  };
}

describe.each(ENGINES)('audit log, on $name', (engine) => {
  const bench = useEngine(engine);
  let db: Db;
  let audit: SqlAuditLog;
  let bugs: unknown[];
  const open = (on: Db) =>
    new SqlAuditLog({ db: on, sql: bench.sql.audit, clock: systemClock, onBug: (error) => bugs.push(error) });
  const objects = async (filter: Partial<Parameters<SqlAuditLog['list']>[0]>) =>
    (await audit.list({ limit: 100, ...filter })).data.map(({ object }) => object);

  beforeEach(async () => {
    ({ db } = await bench.process('p1'));
    bugs = [];
    audit = open(db);
  });

  it('G-7: keeps entries as they were, newest first, a page at a time', async () => {
    for (const n of [1, 2, 3]) audit.append(entry(n));
    const first = await audit.list({ limit: 2 });
    expect(first.data).toEqual([
      { ...entry(3), seq: '3' },
      { ...entry(2), seq: '2' },
    ]);
    expect(await audit.list({ limit: 2, cursor: first.next_cursor! })).toEqual({
      data: [{ ...entry(1), seq: '1' }],
      next_cursor: null,
    });
  });

  it('G-7: is in the order of time, whoever was written first, and loses none between pages', async () => {
    for (const n of [2, 1, 2, 3, 2]) audit.append(entry(n));
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await audit.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.data.map(({ at, seq }) => `${at} ${seq}`));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(['3 4', '2 5', '2 3', '2 1', '1 2']);
  });

  it('G-8: filters by workspace, actor, action, object, request and time', async () => {
    audit.append(entry(1));
    audit.append(entry(2, { workspace: 'beta' }));
    audit.append(entry(3, { workspace: null, actor: 'mia' }));
    audit.append(entry(4, { action: 'key.remove' }));
    expect(await objects({ workspace: 'beta' })).toEqual(['key k2']);
    expect(await objects({ actor: 'mia' })).toEqual(['key k3']);
    expect(await objects({ action: 'key.remove' })).toEqual(['key k4']);
    expect(await objects({ object: 'key k1' })).toEqual(['key k1']);
    expect(await objects({ requestId: 'req_2' })).toEqual(['key k2']);
    expect(await objects({ from: 2, to: 4 })).toEqual(['key k3', 'key k2']);
    expect(await objects({ from: 2, workspace: 'acme', actor: 'admin' })).toEqual(['key k4']);
  });

  it.each(Object.keys(STATEMENTS.SQLite))('G-7: is append-only: %s is refused', async (what) => {
    audit.append(entry(1));
    await audit.list({ limit: 1 });
    const sql = STATEMENTS[engine.name]?.[what as keyof Statements] ?? '';
    await expect(db.write([{ sql, rows: [['x']] }])).rejects.toThrow('append-only');
    expect(await objects({})).toEqual(['key k1']);
  });

  it('O-1: retention takes away what is older, in steps, and opens the log for nothing else', async () => {
    for (let n = 0; n < 1200; n += 1) audit.append(entry(n));
    expect(await audit.list({ limit: 1 })).toMatchObject({ data: [{ seq: '1200' }] });
    expect(await audit.prune(1100)).toBe(1100);
    expect(await audit.prune(1100)).toBe(0);
    expect((await objects({ limit: 500 })).at(-1)).toBe('key k1100');
    await expect(db.write([{ sql: STATEMENTS[engine.name]?.remove ?? '', rows: [['x']] }])).rejects.toThrow(
      'append-only',
    );
    audit.append(entry(9999));
    expect((await audit.list({ limit: 1 })).data[0]?.seq).toBe('1201');
  });

  it('G-7: insists while the store is away, and keeps the order', async () => {
    let away = 3;
    const flaky = open({
      read: (sql, params) => db.read(sql, params),
      write: (steps) => (away-- > 0 ? Promise.reject(new StateStoreUnavailable('away')) : db.write(steps)),
    });
    for (const n of [1, 2, 3]) flaky.append(entry(n));
    for (let n = 0; n < 4; n += 1) await flaky.list({ limit: 1 });
    expect(await objects({})).toEqual(['key k3', 'key k2', 'key k1']);
    expect(flaky.dropped).toBe(0);
    await flaky.close();
  });

  it('G-7: an entry that can not be written is given up alone', async () => {
    for (const n of [1, 2, 3]) audit.append(entry(n, n === 2 ? { actor: null as unknown as string } : {}));
    expect(await objects({})).toEqual(['key k3', 'key k1']);
    expect([audit.dropped, bugs.length]).toEqual([1, 1]);
  });

  it('G-7: what waits is written at the end, and what comes after is counted', async () => {
    audit.append(entry(1));
    await audit.close();
    audit.append(entry(2));
    expect(audit.dropped).toBe(1);
    expect(await db.read('SELECT object FROM audit', [])).toEqual([['key k1']]);
  });
});
