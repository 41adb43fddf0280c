/** Why a database did not do what it was asked. */

/** A write then changed nothing. `code`: the engine's, or one of ours in capitals. */
export interface SqlFault {
  readonly code: string;
  readonly message: string;
}

export class SqlError extends Error {
  readonly fault: SqlFault;
  constructor(fault: SqlFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** A step changed another number of rows than it expects: nothing was written. */
export const UNMET = 'UNMET';

export function isUnmet(error: unknown): boolean {
  return error instanceof SqlError && error.fault.code === UNMET;
}
