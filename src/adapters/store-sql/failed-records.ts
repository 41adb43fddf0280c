/**
 * Records of requests of which at least one call failed, newest first, whole. In steps of so many rows along the index of
 * time, and pages inside them: however rare failures are, the reading thread is free in between, and a page is all that is
 * held.
 */
import type { FailedQuery, FailedRecord } from '../../ports/record-store.ts';
import { PAGE_ROWS, pageOf, stepEnd } from './failed-query.ts';
import { readDetail, readRecord, type StoredDetail, setupPartIds } from './record-row.ts';
import type { PagePosition } from './request-query.ts';
import type { SqlRow, SqlScalar } from './sql-step.ts';
import type { RequestsSql } from './statements.ts';
import { STEP_ROWS } from './usage-query.ts';

/** Setup parts kept while the records pass by, a few KiB each: most records of an hour share a handful. */
const PARTS_HELD = 256;

type Read = (sql: string, params: readonly SqlScalar[]) => Promise<readonly SqlRow[]>;

function positionOf(row: SqlRow | undefined): PagePosition | null {
  return row === undefined ? null : { at: Number(row[0]), id: String(row[1]) };
}

export interface FailedWalk {
  /** False ends the walk: asked before each read. */
  readonly goOn?: (() => boolean) | undefined;
  /** Tests only. */
  readonly stepRows?: number;
}

/** `read` asks the database; the walk ends with whoever stops asking for more. */
export async function* failedRecords(
  sql: RequestsSql,
  read: Read,
  query: FailedQuery,
  { goOn = () => true, stepRows = STEP_ROWS }: FailedWalk = {},
): AsyncGenerator<FailedRecord, void, undefined> {
  const parts = new HeldParts(sql, read);
  let start: PagePosition | null = null;
  do {
    if (!goOn()) return;
    const step = stepEnd(query, start, stepRows);
    const end: PagePosition | null = positionOf((await read(step.sql, step.params))[0]);
    for (let after: PagePosition | null = start; ; ) {
      if (!goOn()) return;
      const page = pageOf(sql, query, after, end);
      const rows: readonly SqlRow[] = await read(page.sql, page.params);
      const stored = rows.map((row): readonly [string, StoredDetail] => [String(row[2]), readDetail(String(row[3]))]);
      const known = await parts.of(stored.map(([, detail]) => detail));
      for (const [summary, detail] of stored) {
        const record = readRecord(summary, detail, { names: null, parts: known });
        if (record.attempts.some(({ result }) => result === 'failed')) yield record;
      }
      after = positionOf(rows.at(-1));
      if (rows.length < PAGE_ROWS) break;
    }
    start = end;
  } while (start !== null);
}

/** What the setups of records share, as JSON text by id. */
class HeldParts {
  readonly #sql: Pick<RequestsSql, 'setupParts'>;
  readonly #read: Read;
  readonly #held = new Map<string, string>();

  constructor(sql: Pick<RequestsSql, 'setupParts'>, read: Read) {
    this.#sql = sql;
    this.#read = read;
  }

  /** Those that the details refer to, as far as they are still kept. */
  async of(details: readonly StoredDetail[]): Promise<ReadonlyMap<string, string>> {
    const wanted = new Set(details.flatMap(setupPartIds));
    const missing = [...wanted].filter((id) => !this.#held.has(id));
    for (const id of this.#held.keys()) {
      if (this.#held.size + missing.length <= PARTS_HELD) break;
      if (!wanted.has(id)) this.#held.delete(id);
    }
    if (missing.length > 0) {
      for (const [id, content] of await this.#read(this.#sql.setupParts, [JSON.stringify(missing)])) {
        this.#held.set(String(id), String(content));
      }
    }
    return this.#held;
  }
}
