/** What goes wrong at a database server, by its SQLSTATE or by what the network says. */
import type { SqlFault } from '../store-sql/fault.ts';

/** Our own codes beside the server's: the connection is gone, an order took too long, the set is away. */
export const LOST = { connection: 'CONNECTION', deadline: 'DEADLINE', away: 'AWAY' } as const;

/** What `us_expect` raises. */
export const UNMET_STATE = 'US001';

const NETWORK = /^E[A-Z0-9]+$|^(CERT|ERR|SELF_SIGNED|UNABLE|DEPTH)_/;

/** Faults that waiting or an operator heals: the same rows are tried again later. */
const PASSING = /^(08|53|58|57P0[1-5]|57014|55P03|40001|40P01|25006|XX000|28|3D000|3F000|42P01|42501)/;

/** False: the rows, or the program, are at fault, and always will be. */
export function isPassingAtServer({ code }: SqlFault): boolean {
  return isLost({ code }) || PASSING.test(code);
}

/** Whether the server can be spoken to is in doubt: others on the way will hear the same. */
export function isLost({ code }: Pick<SqlFault, 'code'>): boolean {
  return (
    Object.values<string>(LOST).includes(code) || NETWORK.test(code) || /^(08|57P0[1-5]|53300|28|3D000)/.test(code)
  );
}

/** A deadlock or a serialization failure: nothing was done, and once more may do. */
export function isConflict({ code }: SqlFault): boolean {
  return code === '40001' || code === '40P01';
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(CONNECTION|ECONNRESET|EPIPE|57P0[15])/, 'the connection to the database broke'],
  [/^(ECONNREFUSED|ENOENT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/, 'the database cannot be reached'],
  [/^(DEADLINE|ETIMEDOUT|57014|55P03)/, 'the database did not answer in time'],
  [/^57P0[23]/, 'the database is starting or stopping'],
  [/^(53100|58030)/, "the database's disk is full or broken"],
  [/^53300/, 'the database takes no more connections'],
  [/^25006/, 'the database is read-only'],
  [/^28/, 'the database refuses the user or its password'],
  [/^3D000/, 'there is no such database'],
  [/^42501/, 'the database denies the user a right'],
];

/** A fault in plain words, for logs and `problem`. */
export function serverFaultInWords({ code, message }: SqlFault): string {
  const words = WORDS.find(([pattern]) => pattern.test(code))?.[1];
  return words === undefined ? message : `${words} (${code}: ${message})`;
}
