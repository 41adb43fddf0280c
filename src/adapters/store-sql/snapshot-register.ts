/** The snapshots whose names the log file must hold, known by content: version numbers start anew with each process. */
import { createHash } from 'node:crypto';
import type { SnapshotNames } from '../../core/record.ts';
import { storedNames } from './candidate-codes.ts';
import type { Register, RegisterSteps } from './registers.ts';
import type { RequestsSql } from './statements.ts';

type SnapshotSql = Pick<RequestsSql, 'insertSnapshot' | 'retireOtherSnapshots'>;

interface Registered {
  readonly id: string;
  readonly names: string;
  readonly at: number;
}

/** Versions whose id is remembered: requests keep the snapshot they started with, reloads in a loop must not fill memory. */
const REMEMBERED = 4096;
/** Names held in memory: those waiting for a disk in trouble, and those to store again in a new file. */
const HELD = 64;

/** Names of snapshots, stored before the first row that refers to them (P-7). */
export class SnapshotRegister implements Register {
  readonly #sql: SnapshotSql;
  /** Version → id, oldest first. */
  readonly #ids = new Map<number, string>();
  #recent: Registered[] = [];
  #unsent: Registered[] = [];

  constructor(sql: SnapshotSql) {
    this.#sql = sql;
  }

  add(names: SnapshotNames, wall: number): void {
    const text = JSON.stringify(storedNames(names));
    const id = createHash('sha256').update(text).digest('hex').slice(0, 16);
    this.#ids.delete(names.version);
    this.#ids.set(names.version, id);
    if (this.#ids.size > REMEMBERED) this.#ids.delete(this.#ids.keys().next().value!);
    const added = { id, names: text, at: wall };
    this.#recent = [...this.#recent.filter((known) => known.id !== id), added].slice(-HELD);
    this.#unsent = [...this.#unsent, added].slice(-HELD);
  }

  /** The stored id of a version's names; null when it was never announced. */
  idOf(version: number): string | null {
    return this.#ids.get(version) ?? null;
  }

  get pending(): boolean {
    return this.#unsent.length > 0;
  }

  steps(): RegisterSteps {
    const steps = this.#unsent.flatMap(({ id, names, at }) => [
      { sql: this.#sql.insertSnapshot, rows: [[id, names, at]] },
      { sql: this.#sql.retireOtherSnapshots, rows: [[at, id]] },
    ]);
    return { steps, stored: this.#unsent };
  }

  sent(stored: readonly object[]): void {
    this.#unsent = this.#unsent.filter((one) => !stored.includes(one));
  }

  sendAgain(): void {
    this.#unsent = this.#recent;
  }
}
