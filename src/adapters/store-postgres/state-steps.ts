/**
 * The statements of a `StateDb` as the server gets them. A statement is run once for all its rows: they come as JSON
 * lists in `$1`, their bytes in `$2` (`us_bytes($2, r -> 3)`), the number of rows it must change in `$3`.
 *
 *     INSERT INTO t (a, n) SELECT r ->> 0, (r ->> 1)::bigint FROM json_array_elements($1) r
 *
 * Where a step expects a number of changes, the statement is put into one that counts them. One that has a `WITH` of its
 * own, which would not be allowed in there, counts by itself: `… SELECT us_expect(count(*), $3) FROM …`.
 */
import { SqlError, UNMET } from '../store-sql/fault.ts';
import type { SqlRow, SqlStep } from '../store-sql/sql-step.ts';
import type { BatchStep, StepAnswer } from './batch-query.ts';
import { encodeParam, encodeRows, OID } from './scalars.ts';
import { UNMET_STATE } from './server-fault.ts';

const OF_ROWS = [OID.json, OID.bytea, OID.int8];
const OF_TEXT = [OID.text];

/** Steps without rows do nothing and are left out. */
export function batchOf(steps: readonly SqlStep[]): BatchStep[] {
  return steps.filter((step) => ('text' in step ? step.rows > 0 : step.rows.length > 0)).map(stepOf);
}

function stepOf(step: SqlStep): BatchStep {
  if ('text' in step) return { sql: step.sql, types: OF_TEXT, values: [step.text], isKept: true, isRead: false };
  const { json, bytes } = encodeRows(step.rows);
  const { expect, returns = false } = step;
  return {
    sql: expect === undefined ? step.sql : counted(step.sql),
    types: OF_ROWS,
    values: [json, bytes, expect === undefined ? null : String(expect)],
    isKept: true,
    isRead: returns,
  };
}

/** Statements that count, by those they are made of: made once each. */
const COUNTED = new Map<string, string>();

function counted(sql: string): string {
  if (sql.includes('us_expect(')) return sql;
  const known = COUNTED.get(sql);
  if (known !== undefined) return known;
  const made = `WITH done AS (${sql} RETURNING 1) SELECT us_expect(count(*), $3) FROM done`;
  COUNTED.set(sql, made);
  return made;
}

/** What the batch of these steps gave, as a `StateDb` says it. */
export function writtenOf(
  steps: readonly SqlStep[],
  answers: readonly StepAnswer[],
): { readonly changes: number; readonly returned: readonly SqlRow[] } {
  const sent = steps.filter((step) => ('text' in step ? step.rows > 0 : step.rows.length > 0));
  let changes = 0;
  const returned: SqlRow[] = [];
  for (const [index, { count, rows }] of answers.entries()) {
    const step = sent[index];
    const isCounted = step !== undefined && !('text' in step) && step.expect !== undefined;
    changes += isCounted ? Number(rows[0]?.[0] ?? 0) : count;
    if (step !== undefined && !('text' in step) && step.returns === true) returned.push(...rows);
  }
  return { changes, returned };
}

export function readStep(sql: string, params: SqlRow, isKept: boolean): BatchStep {
  return { sql, types: [], values: params.map(encodeParam), isKept, isRead: true };
}

/** The server's word for a step that changed another number of rows becomes ours. */
export function unmetOf(error: unknown): unknown {
  if (!(error instanceof SqlError) || error.fault.code !== UNMET_STATE) return error;
  return new SqlError({ code: UNMET, message: error.fault.message });
}
