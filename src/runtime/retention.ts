/** Takes away what has been kept long enough (O-1): hourly, in small steps, one kind after the other, nobody waiting for it. */
import type { Cancel, Clock } from '../ports/clock.ts';

/** One kind of what is kept. */
export interface Kept {
  readonly what: string;
  /** How long, ms; asked anew each time, as a reload may change it. */
  readonly keepMs: () => number;
  /** Takes away what is older than this wall instant, in steps that let others through; resolves with how many. */
  readonly prune: (before: number) => Promise<number>;
}

export interface RetentionParts {
  readonly kept: readonly Kept[];
  /** Of the store: what is kept carries its time. */
  readonly clock: Clock;
  /** Whether it is this process's turn; of several on one store only one does it. */
  readonly isMine: () => boolean;
  readonly onDeleted: (what: string, count: number) => void;
  /** Something could not be taken away for a day: what, and why. Once a day. */
  readonly onFailing: (what: string, why: string) => void;
}

/** After a start others come first. */
const FIRST_MS = 60_000;
const EVERY_MS = 60 * 60 * 1000;
const CLOSE_MS = 2000;
const PATIENCE_MS = 24 * 60 * 60 * 1000;

export class Retention {
  readonly #parts: RetentionParts;
  /** By kind: since when it has failed, or was last told. */
  readonly #failing = new Map<string, number>();
  #cancel: Cancel | null = null;
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#arm(FIRST_MS);
  }

  /** Waits a moment for what is under way; the store ends the rest with its own end. Never rejects. */
  close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    return new Promise((done) => {
      const cancel = this.#parts.clock.after(CLOSE_MS, done);
      void this.#work.then(() => {
        cancel();
        done();
      });
    });
  }

  #arm(ms: number): void {
    if (this.#closed) return;
    this.#cancel = this.#parts.clock.after(ms, () => {
      this.#work = this.#run().then(() => this.#arm(EVERY_MS));
    });
  }

  async #run(): Promise<void> {
    const { kept, isMine, clock } = this.#parts;
    for (const one of kept) {
      if (this.#closed || !isMine()) return;
      await this.#prune(one, clock.wall());
    }
  }

  async #prune({ what, keepMs, prune }: Kept, wall: number): Promise<void> {
    const { onDeleted, onFailing } = this.#parts;
    try {
      onDeleted(what, await prune(wall - keepMs()));
      this.#failing.delete(what);
    } catch (error) {
      const since = this.#failing.get(what) ?? wall;
      const isTold = wall - since >= PATIENCE_MS;
      this.#failing.set(what, isTold ? wall : since);
      if (isTold) onFailing(what, error instanceof Error ? error.message : String(error));
    }
  }
}
