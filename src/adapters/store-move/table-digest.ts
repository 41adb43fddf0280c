/** What a table holds, in two numbers that do not depend on the order in which its rows are read. */
import { createHash } from 'node:crypto';
import type { SqlRow } from '../store-sql/sql-step.ts';

const MASK = (1n << 64n) - 1n;

export class TableDigest {
  rows = 0;
  #sum = 0n;

  add(row: SqlRow): void {
    const plain = row.map((value) => (value instanceof Uint8Array ? { sha256: sha256(value).toString('hex') } : value));
    this.rows += 1;
    this.#sum = (this.#sum + sha256(JSON.stringify(plain)).readBigUInt64BE()) & MASK;
  }

  /** 16 hex digits: the sum of all rows' hashes. */
  get sum(): string {
    return this.#sum.toString(16).padStart(16, '0');
  }
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}
