/** What must not be lost, as a database of any engine keeps it. Everything above it is the same for all of them. */
import type { SqlRow, SqlScalar, SqlStep } from './sql-step.ts';

/**
 * Orders are carried out one after the other. Both calls reject with `StateStoreUnavailable` when the database can't be used
 * now, and with `SqlError` when the statement itself is at fault: a broken constraint, or fewer rows than a step
 * expects (`isUnmet`).
 */
export interface StateDb {
  /** All steps in one transaction, durable when it resolves. */
  write(steps: readonly SqlStep[]): Promise<Written>;
  /** Rows as arrays. */
  read(sql: string, params: readonly SqlScalar[]): Promise<readonly SqlRow[]>;
  /** Waits for what was ordered, then closes. Never rejects. */
  close(): Promise<void>;
  /** Why it could not be used the last time, null when it could. */
  readonly problem: string | null;
}

export interface Written {
  /** Rows changed by all steps. */
  readonly changes: number;
  /** What the steps with `returns` gave, one after the other; absent where an engine has no such statements. */
  readonly returned?: readonly SqlRow[];
}

/** The database can't be used at all; the message says why and what to do. Thrown where a store is opened. */
export class StateDbUnusable extends Error {}
