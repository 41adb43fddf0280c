/** The snapshots whose names the log file must hold, known by content: version numbers start anew with each process. */
import { createHash } from 'node:crypto';
import type { SnapshotNames } from '../../core/record.ts';
import { storedNames } from './candidate-codes.ts';
import { INSERT_SNAPSHOT, RETIRE_OTHER_SNAPSHOTS } from './schema.ts';
import type { SqlStep } from './sql-protocol.ts';

interface Registered {
  readonly id: string;
  readonly names: string;
  readonly at: number;
}

/** How many snapshots are remembered: requests keep the one they started with, reloads in a loop must not fill memory. */
const REMEMBERED = 64;

export class SnapshotRegister {
  /** By version, oldest first. */
  readonly #known = new Map<number, Registered>();
  #unsent: Registered[] = [];

  add(names: SnapshotNames, wall: number): void {
    const text = JSON.stringify(storedNames(names));
    const id = createHash('sha256').update(text).digest('hex').slice(0, 16);
    this.#known.delete(names.version);
    this.#known.set(names.version, { id, names: text, at: wall });
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.keys().next().value!);
    this.#unsent.push({ id, names: text, at: wall });
  }

  /** The stored id of a version's names; null when it was never announced. */
  idOf(version: number): string | null {
    return this.#known.get(version)?.id ?? null;
  }

  get pending(): boolean {
    return this.#unsent.length > 0;
  }

  /** The steps that store what is not yet stored; call `sent` with their count once they are durable. */
  steps(): { readonly steps: SqlStep[]; readonly count: number } {
    const steps = this.#unsent.flatMap(({ id, names, at }) => [
      { sql: INSERT_SNAPSHOT, rows: [[id, names, at]] },
      { sql: RETIRE_OTHER_SNAPSHOTS, rows: [[at, id]] },
    ]);
    return { steps, count: this.#unsent.length };
  }

  sent(count: number): void {
    this.#unsent = this.#unsent.slice(count);
  }

  /** The file is another one than before: everything must be stored again. */
  sendAgain(): void {
    this.#unsent = [...this.#known.values()];
  }
}
