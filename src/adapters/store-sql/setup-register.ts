/**
 * What many requests' setups share (`SplitSetup`), stored once per content. A request names such a part by its object, so
 * that it is written out and hashed once in its life, not once per request.
 */
import { createHash } from 'node:crypto';
import { toJson } from '../../core/failover/json-form.ts';
import type { Register, RegisterSteps } from './registers.ts';
import type { RequestsSql } from './statements.ts';

interface Part {
  readonly id: string;
  readonly text: string;
  /** Wall ms of the last use that was handed on for storing. */
  usedAt: number;
  /** The file it was handed on for. */
  file: number;
}

/** One storing of a part. */
interface Storing {
  readonly part: Part;
  readonly usedAt: number;
}

/** Parts held to be stored again in a new file, and parts waiting for a disk in trouble: a few KiB each. */
const HELD = 256;
/** A part in use is stamped again after so long; it must be well below the grace that `prune` gives. */
const STAMP_MS = 86_400_000;
/** No file: stored nowhere that is known. */
const NOWHERE = -1;

/** What setups share, each part stored once under its content’s id. */
export class SetupRegister implements Register {
  readonly #sql: Pick<RequestsSql, 'insertSetupPart'>;
  readonly #parts = new WeakMap<object, Part>();
  /** By id, the one that was stored longest ago first. */
  readonly #held = new Map<string, Part>();
  #unsent: Storing[] = [];
  /** Counts files, as far as we know of them. */
  #file = 0;

  constructor(sql: Pick<RequestsSql, 'insertSetupPart'>) {
    this.#sql = sql;
  }

  /**
   * The id to refer to a part by: it is stored before, or together with, the next row. Null while too many others wait
   * for the disk: then the row must hold the part itself.
   */
  idOf(object: object, wall: number): string | null {
    let part = this.#parts.get(object);
    if (part === undefined) {
      part = this.#partOf(object);
      this.#parts.set(object, part);
    }
    const stored = part.file === this.#file;
    if (stored && wall - part.usedAt < STAMP_MS) return part.id;
    if (this.#unsent.length >= HELD) return stored ? part.id : null;
    part.usedAt = wall;
    this.#store(part);
    return part.id;
  }

  get pending(): boolean {
    return this.#unsent.length > 0;
  }

  steps(): RegisterSteps {
    const rows = this.#unsent.map(({ part, usedAt }) => [part.id, part.text, usedAt]);
    return { steps: rows.length === 0 ? [] : [{ sql: this.#sql.insertSetupPart, rows }], stored: this.#unsent };
  }

  sent(stored: readonly object[]): void {
    if (this.#unsent.length > 0) this.#unsent = this.#unsent.filter((one) => !stored.includes(one));
  }

  /** What is held goes into the new file at once, for the rows already queued; the rest at its next use. */
  sendAgain(): void {
    this.#file += 1;
    for (const part of new Set([...this.#held.values(), ...this.#unsent.map((one) => one.part)])) this.#store(part);
  }

  /** The file loses the parts not used since `before` (wall ms): at their next use they are stored again. */
  forget(before: number): void {
    for (const part of [...this.#held.values()]) {
      if (part.usedAt >= before) continue;
      part.file = NOWHERE;
      this.#held.delete(part.id);
    }
  }

  /** Equal contents are one part, as after a reload that changed something else. */
  #partOf(object: object): Part {
    const text = JSON.stringify(toJson(object));
    const id = createHash('sha256').update(text).digest('hex').slice(0, 16);
    return this.#held.get(id) ?? { id, text, usedAt: 0, file: NOWHERE };
  }

  #store(part: Part): void {
    part.file = this.#file;
    this.#held.delete(part.id);
    this.#held.set(part.id, part);
    if (this.#held.size > HELD) this.#held.delete(this.#held.keys().next().value!);
    this.#unsent = this.#unsent.filter((one) => one.part.id !== part.id);
    this.#unsent.push({ part, usedAt: part.usedAt });
  }
}
