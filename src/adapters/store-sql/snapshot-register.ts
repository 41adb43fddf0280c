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
/** How often the names in use are written again: another process may have retired them for its own. */
const STAMPED_MS = 86_400_000;

/** Names of snapshots, stored before the first row that refers to them (P-7). */
export class SnapshotRegister implements Register {
  readonly #sql: SnapshotSql;
  /** Version → id, oldest first. */
  readonly #ids = new Map<number, string>();
  #recent: Registered[] = [];
  #unsent: Registered[] = [];
  /** The version that was announced last, in use until the next. */
  #newest: (Registered & { readonly version: number }) | null = null;

  constructor(sql: SnapshotSql) {
    this.#sql = sql;
  }

  add(names: SnapshotNames, wall: number): void {
    const text = JSON.stringify(storedNames(names));
    const id = createHash('sha256').update(text).digest('hex').slice(0, 16);
    this.#ids.delete(names.version);
    this.#ids.set(names.version, id);
    if (this.#ids.size > REMEMBERED) this.#ids.delete(this.#ids.keys().next().value!);
    this.#keep({ id, names: text, at: wall }, names.version);
  }

  /** The stored id of a version's names, for a record made at `wall`; null when it was never announced. */
  idOf(version: number, wall: number): string | null {
    const newest = this.#newest;
    if (newest?.version === version && wall - newest.at >= STAMPED_MS) {
      this.#keep({ id: newest.id, names: newest.names, at: wall }, version);
    }
    return this.#ids.get(version) ?? null;
  }

  #keep(added: Registered, version: number): void {
    this.#recent = [...this.#recent.filter(({ id }) => id !== added.id), added].slice(-HELD);
    this.#unsent = [...this.#unsent, added].slice(-HELD);
    this.#newest = { ...added, version };
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
