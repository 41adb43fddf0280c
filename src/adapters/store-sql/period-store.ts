/** Period counters of the limits (G-11) in a database. */
import type { Period } from '../../core/limits/period-counter.ts';
import type { PeriodRow, PeriodStore } from '../../ports/period-store.ts';
import type { SqlRow } from './sql-step.ts';
import type { StateDb } from './state-db.ts';
import type { PeriodsSql } from './statements.ts';

export interface PeriodStoreParts {
  readonly db: Pick<StateDb, 'read' | 'write'>;
  readonly sql: PeriodsSql;
}

export class SqlPeriodStore implements PeriodStore {
  readonly #db: PeriodStoreParts['db'];
  readonly #sql: PeriodsSql;

  constructor({ db, sql }: PeriodStoreParts) {
    this.#db = db;
    this.#sql = sql;
  }

  async load(from: number): Promise<readonly PeriodRow[]> {
    const rows = await this.#db.read(this.#sql.load, [from]);
    await this.#db.write([{ sql: this.#sql.forget, rows: [[from]] }]);
    return rows.map(toPeriodRow);
  }

  async add(deltas: readonly PeriodRow[]): Promise<readonly PeriodRow[]> {
    const { add: sql, alone } = this.#sql;
    const rows = deltas.map(fromPeriodRow);
    const { returned = [] } = await this.#db.write([alone ? { sql, rows } : { sql, rows, returns: true }]);
    return returned.map(toPeriodRow);
  }
}

function fromPeriodRow({ kind, id, period, start, requests, tokens, spend, told }: PeriodRow): SqlRow {
  return [kind, id, period, start, requests, tokens, String(spend), told];
}

function toPeriodRow(row: SqlRow): PeriodRow {
  const [kind, id, period, start, requests, tokens, spend, told] = row;
  return {
    kind: String(kind),
    id: String(id),
    period: String(period) as Period,
    start: Number(start),
    requests: Number(requests),
    tokens: Number(tokens),
    spend: BigInt(String(spend)),
    told: Number(told),
  };
}
