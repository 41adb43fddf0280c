/**
 * What has to be written and nobody waits for: gathered, written in batches and in order, tried again until the store takes
 * it. Bounded: what finds no room is counted and gone.
 */
import type { Cancel, Clock } from '../ports/clock.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';

export interface InsistentQueueOptions<T> {
  readonly clock: Clock;
  /** Waiting or being written, at most. */
  readonly limit: number;
  /** In one write at most. */
  readonly batch: number;
  /** All or none; rejects with `StateStoreUnavailable` when it should be tried again. */
  readonly write: (items: readonly T[]) => Promise<void>;
  /** Something was written: there is room again. */
  readonly onRoom?: () => void;
  /** An item that no repetition makes acceptable was given up: a fault of the program. */
  readonly onBug: (error: unknown) => void;
}

/** An item waits at most this long for company. */
export const GATHERED_MS = 100;
/** Waits after failures in a row. */
const RETRY_MS = [250, 500, 1000, 2000, 5000];

export class InsistentQueue<T> {
  readonly #options: InsistentQueueOptions<T>;
  #items: T[] = [];
  #writing: Promise<void> | null = null;
  #cancel: Cancel | null = null;
  #failures = 0;
  /** So many are written one by one, to find the one at fault. */
  #single = 0;
  #dropped = 0;
  #closed = false;

  constructor(options: InsistentQueueOptions<T>) {
    this.#options = options;
  }

  /** Given up since the start: no room, or not acceptable. */
  get dropped(): number {
    return this.#dropped;
  }

  /** False = no room. */
  push(item: T): boolean {
    if (this.#closed || this.#items.length >= this.#options.limit) {
      this.#dropped += 1;
      return false;
    }
    this.#items.push(item);
    if (this.#writing === null && this.#failures === 0) {
      if (this.#items.length >= this.#options.batch) this.#start();
      else this.#cancel ??= this.#options.clock.after(GATHERED_MS, () => this.#start());
    }
    return true;
  }

  /** Resolves when everything pushed so far is durable, or can't be written now. Never rejects. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#items.length > 0) this.#start();
    await this.#writing;
  }

  /** One last try. Never rejects. */
  async close(): Promise<void> {
    await this.flush();
    this.#closed = true;
    this.#stopWaiting();
    this.#dropped += this.#items.length;
    this.#items = [];
  }

  #stopWaiting(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #start(): void {
    this.#stopWaiting();
    this.#writing ??= this.#writeAll().then(() => {
      this.#writing = null;
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#items.length > 0) {
      const items = this.#items.slice(0, this.#single > 0 ? 1 : this.#options.batch);
      try {
        await this.#options.write(items);
        this.#failures = 0;
        this.#remove(items.length);
        this.#options.onRoom?.();
        continue;
      } catch (error) {
        if (error instanceof StateStoreUnavailable) return this.#later();
        if (items.length > 1) {
          this.#single = items.length;
          continue;
        }
        this.#dropped += 1;
        this.#options.onBug(error);
      }
      this.#remove(items.length);
    }
  }

  #remove(count: number): void {
    this.#items.splice(0, count);
    this.#single = Math.max(0, this.#single - count);
  }

  #later(): void {
    const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)]!;
    this.#failures += 1;
    if (!this.#closed) this.#cancel ??= this.#options.clock.after(wait, () => this.#start());
  }
}
