/**
 * How the schema came to be, step by step; forward only. A step that was released is never edited: its digest stands in
 * the database. `expand` adds (tables, columns that may be null or have a default, indexes), so that the release before
 * goes on reading and writing beside it. `contract` takes away, and waits until no process lives that needs it; no
 * `expand` step may rest on one.
 */
import { createHash } from 'node:crypto';
import { FIGURES_TABLE, LOG_TABLES } from './schema.ts';
import { SESSIONS_TABLE } from './sessions-sql.ts';
import { STATE_TABLES } from './state-schema.ts';

export interface SchemaStep {
  /** From 1, without gaps. */
  readonly no: number;
  readonly name: string;
  readonly kind: 'expand' | 'contract';
  readonly sql: string;
}

export const SCHEMA_STEPS: readonly SchemaStep[] = [
  { no: 1, name: 'state and request log', kind: 'expand', sql: [...STATE_TABLES, LOG_TABLES].join('\n') },
  { no: 2, name: 'sessions of the console', kind: 'expand', sql: SESSIONS_TABLE },
  { no: 3, name: 'figures of the request log', kind: 'expand', sql: FIGURES_TABLE },
];

/** Of its text: which one it was when it was carried out. */
export function digestOfStep({ kind, sql }: SchemaStep): string {
  return createHash('sha256').update(`${kind}\n${sql}`).digest('hex').slice(0, 16);
}

/** The newest step that this program knows. */
export function newestStep(steps: readonly SchemaStep[] = SCHEMA_STEPS): number {
  return steps.at(-1)?.no ?? 0;
}
