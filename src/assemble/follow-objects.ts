/**
 * Objects that other processes change are in force here as well: at once where word comes, and within five seconds where
 * it does not. What can't be taken over leaves in force what is.
 */
import type { Cancel, Clock } from '../ports/clock.ts';
import type { Notifier } from '../ports/notifier.ts';
import { StateDamaged, StateStoreUnavailable } from '../ports/object-store.ts';
import type { Elsewhere } from '../runtime/elsewhere.ts';

/** Whatever is heard, the store is looked at so often. */
const LOOK_MS = 5000;
/** Whoever is not known here costs the store one look in so long. */
const ASK_MS = 1000;
/** By then the word of a change has come, nearly always. */
const WORD_MS = 100;

export interface ObjectFollowerParts {
  readonly configuration: { catchUp(): Promise<boolean> };
  readonly clock: Clock;
  readonly notifier: Pick<Notifier, 'subscribe' | 'onGap'>;
  /** The store holds what no configuration can be made of: in plain words. Null = it is well. */
  readonly onProblem: (problem: string | null) => void;
}

export class ObjectFollower implements Elsewhere {
  readonly #parts: ObjectFollowerParts;
  readonly #deaf: () => void;
  #cancel: Cancel = () => undefined;
  /** The look that has begun, and the one that begins after it for whoever came meanwhile. */
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  /** Monotonic ms. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> = Promise.resolve();
  #problem: string | null = null;
  #closed = false;

  constructor(parts: ObjectFollowerParts) {
    this.#parts = parts;
    const { notifier } = parts;
    this.#deaf = notifier.subscribe('objects', () => void this.catchUp());
    notifier.onGap(() => void this.catchUp());
    this.#arm();
  }

  /** A look that begins now or later: what it finds was not read before it was asked for. */
  catchUp(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#next ??= (this.#running ?? Promise.resolve()).then(() => {
      this.#next = null;
      this.#running = this.#look();
      return this.#running;
    });
    return this.#next;
  }

  async ask(): Promise<void> {
    const now = this.#parts.clock.now();
    if (now - this.#askedAt < ASK_MS) {
      await this.#asking;
      await new Promise<void>((resolve) => void this.#parts.clock.after(WORD_MS, resolve));
      return;
    }
    this.#askedAt = now;
    this.#asking = this.catchUp();
    await this.#asking;
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
    this.#deaf();
  }

  async #look(): Promise<void> {
    this.#cancel();
    let problem: string | null = null;
    try {
      await this.#parts.configuration.catchUp();
    } catch (error) {
      problem = this.#unreadable(error);
    }
    if (problem !== this.#problem) this.#parts.onProblem(problem);
    this.#problem = problem;
    this.#arm();
  }

  /** A store that is away says so by itself, and everything in it stays as it was. */
  #unreadable(error: unknown): string | null {
    if (error instanceof StateStoreUnavailable && !(error instanceof StateDamaged)) return this.#problem;
    return `what other gateways have changed is not in force here: ${error instanceof Error ? error.message : String(error)}`;
  }

  #arm(): void {
    this.#cancel();
    if (!this.#closed) this.#cancel = this.#parts.clock.after(LOOK_MS, () => void this.catchUp());
  }
}
