/** The connection that the request log is written by. */
import type { SqlFault } from './fault.ts';
import type { SqlStep } from './sql-step.ts';

export interface LogWriter {
  /**
   * All steps in one transaction, durable when it resolves. Rejects with `SqlError`. `connection`: names the one that wrote; what
   * an earlier one had written may be gone.
   */
  write(steps: readonly SqlStep[]): Promise<{ readonly changes: number; readonly connection: string }>;
  readonly faults: Faults;
}

/** How an engine's faults are to be taken. */
export interface Faults {
  /** False: the rows themselves are at fault and will never be accepted. */
  isPassing(fault: SqlFault): boolean;
  /** Whoever carried the rows ended with them: they may be why. */
  isCrash(fault: SqlFault): boolean;
  /** For logs and `problem`. */
  inWords(fault: SqlFault): string;
}
