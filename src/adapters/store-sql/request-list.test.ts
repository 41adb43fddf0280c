/** Pages of a filter are the filter, however short the steps and however early a page is given out. */
import fc from 'fast-check';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import type { RequestFilter } from '../../ports/record-store.ts';
import { REQUESTS_SQL } from '../store-sqlite/requests-sql.ts';
import { MIGRATIONS } from '../store-sqlite/schema.ts';
import { listPage } from './request-list.ts';
import { rowsOf, waysOf, writeCursor } from './request-query.ts';
import type { SqlScalar } from './sql-step.ts';

interface Row {
  readonly id: string;
  readonly at: number;
  readonly workspace: string;
  readonly key: string | null;
  readonly requested_model: string | null;
  readonly served_model: string | null;
  readonly virtual_model: string | null;
  readonly status: number;
  readonly outcome: string;
  readonly degraded: number;
  readonly failover: number;
  readonly idempotency: string | null;
}

const NAMES = ['a', 'b', null] as const;
const row = fc.record<Omit<Row, 'id'>>({
  // Several at one instant.
  at: fc.integer({ min: 0, max: 40 }),
  workspace: fc.constantFrom('a', 'b'),
  key: fc.constantFrom(...NAMES),
  requested_model: fc.constantFrom(...NAMES),
  served_model: fc.constantFrom(...NAMES),
  virtual_model: fc.constantFrom(...NAMES),
  status: fc.constantFrom(200, 429, 503),
  outcome: fc.constantFrom('success', 'client_error', 'network_unknown'),
  degraded: fc.constantFrom(0, 1),
  failover: fc.constantFrom(0, 1),
  idempotency: fc.constantFrom(...NAMES),
});
const filter = fc.record<Partial<RequestFilter>>(
  {
    from: fc.integer({ min: 0, max: 40 }),
    to: fc.integer({ min: 0, max: 40 }),
    workspace: fc.constantFrom('a', 'none'),
    key: fc.constantFrom('a', 'none'),
    model: fc.constantFrom('a', 'none'),
    status: fc.constantFrom(200, 429),
    outcome: fc.constantFrom('success', 'network_unknown'),
    failover: fc.boolean(),
    degraded: fc.boolean(),
    idempotency: fc.constantFrom('a', 'any', 'none'),
  },
  { requiredKeys: [] },
);

function isIn(one: Row, asked: Partial<RequestFilter>): boolean {
  const { from = -1, to = 100, workspace, key, model, status, outcome, failover, degraded, idempotency } = asked;
  const is = (value: unknown, wanted: unknown) => wanted === undefined || value === wanted;
  const models = [one.requested_model, one.served_model, one.virtual_model];
  return (
    one.at >= from &&
    one.at < to &&
    is(one.workspace, workspace) &&
    is(one.key, key) &&
    (model === undefined || models.includes(model)) &&
    is(one.status, status) &&
    is(one.outcome, outcome) &&
    is(one.failover === 1, failover) &&
    is(one.degraded === 1, degraded) &&
    (idempotency === 'any' || idempotency === 'none'
      ? (one.idempotency === null) === (idempotency === 'none')
      : is(one.idempotency, idempotency))
  );
}

function logOf(rows: readonly Omit<Row, 'id'>[]) {
  const db = new Database(':memory:');
  for (const step of MIGRATIONS) db.exec(step);
  const all = rows.map((one, n) => {
    // An error status never has the outcome success (O-1).
    const outcome = one.status >= 400 && one.outcome === 'success' ? 'client_error' : one.outcome;
    return { ...one, outcome, id: `req_${String(n).padStart(3, '0')}` };
  });
  for (const one of all) {
    const columns = { ...one, summary: '[]', detail: '{}' };
    const names = Object.keys(columns);
    db.prepare(`INSERT INTO requests (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`).run(
      Object.values(columns),
    );
  }
  const read = async (sql: string, params: readonly SqlScalar[]) =>
    db
      .prepare(sql)
      .raw()
      .all([...params]) as SqlScalar[][];
  return { db, all, read };
}

const newestFirst = (one: Row, other: Row) => other.at - one.at || (one.id < other.id ? 1 : -1);

describe('pages of the log', () => {
  it('O-5: together they are what the filter lets through, newest first, each no longer than it may be', async () => {
    const property = fc.asyncProperty(
      fc.array(row, { maxLength: 60 }),
      filter,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 1000 }),
      async (rows, asked, limit, step, perRead) => {
        const { db, all, read } = logOf(rows);
        // Every look at the clock takes its time: pages end early.
        let time = 0;
        const clock = {
          now: () => {
            time += perRead;
            return time;
          },
        };
        const found: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await listPage(
            { sql: REQUESTS_SQL, clock, read, step },
            { ...asked, limit, ...(cursor === undefined ? {} : { cursor }) },
          );
          expect(page.rows.length).toBeLessThanOrEqual(limit);
          found.push(...page.rows.map(([, id]) => String(id)));
          cursor = page.next === null ? undefined : writeCursor(page.next);
        } while (cursor !== undefined);
        db.close();
        const expected = all.filter((one) => isIn(one, asked)).sort(newestFirst);
        expect(found).toEqual(expected.map(({ id }) => id));
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  it('O-5: a full page costs no search for the shortest way', async () => {
    const same = Array.from({ length: 50 }, (_, n) => ({ ...fc.sample(row, 1)[0]!, at: n, workspace: 'a', key: 'a' }));
    const { db, read } = logOf(same);
    const asked: string[] = [];
    const counting = (sql: string, params: readonly SqlScalar[]) => {
      asked.push(sql);
      return read(sql, params);
    };
    const clock = { now: () => 0 };
    await listPage({ sql: REQUESTS_SQL, clock, read: counting }, { limit: 10, workspace: 'a' });
    expect(asked).toHaveLength(1);
    await listPage({ sql: REQUESTS_SQL, clock, read: counting }, { limit: 10, workspace: 'a', key: 'a' });
    expect(asked).toHaveLength(3);
    db.close();
  });

  it('O-5: a cursor that no list returned is 400 and named', async () => {
    const { db, read } = logOf([]);
    const page = listPage({ sql: REQUESTS_SQL, clock: { now: () => 0 }, read }, { limit: 1, cursor: 'x' });
    await expect(page).rejects.toMatchObject({ error: { status: 400, param: 'cursor' } });
    db.close();
  });

  it('O-5: every way of every filter is read along its index, in its order, without sorting', () => {
    const db = new Database(':memory:');
    for (const step of MIGRATIONS) db.exec(step);
    const position = { at: 5, id: 'x' };
    const all: Partial<RequestFilter>[] = [{}, { workspace: 'a' }, { key: 'a' }, { status: 429 }, { failover: true }];
    all.push({ outcome: 'client_error' }, { degraded: true }, { idempotency: 'h' });
    for (const asked of all) {
      const full = { ...asked, from: 1, to: 9, limit: 5 };
      for (const way of waysOf(REQUESTS_SQL, full)) {
        const query = rowsOf(REQUESTS_SQL, way, { filter: full, after: position, end: position }, 5);
        const plan = (db.prepare(`EXPLAIN QUERY PLAN ${query.sql}`).all([...query.params]) as { detail: string }[]).map(
          ({ detail }) => detail,
        );
        expect(plan).toHaveLength(1);
        expect(plan[0]).toContain(`SEARCH requests USING INDEX ${way.walks[0]!.index} (`);
        expect(plan[0]).toMatch(/at>\?|\(at,id\)>/);
      }
    }
    db.close();
  });
});
