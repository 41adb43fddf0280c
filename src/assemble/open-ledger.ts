/** What is done for keys and money from time to time. */
import type { Cancel } from '../ports/clock.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import type { Store } from '../ports/store.ts';

/** Expired keys are forgotten at some time. */
const EXPIRE_MS = 60_000;
/** What a dead process held is wanted at once, by whoever lives. */
const RECOVER_MS = 5000;
/** After a store that could not be written: what a dead process has left is closed as soon as it can. */
const SOON_MS = 1000;

export interface CaredFor {
  readonly idempotency: Pick<Store['idempotency'], 'recover' | 'expire'>;
  readonly ledger: Pick<Store['ledger'], 'release'>;
  readonly clock: Pick<Store['clock'], 'wall' | 'now' | 'after'>;
  /** `sqlite`: nobody else can die while this process lives. */
  readonly kind: Store['kind'];
}

/** Closes what dead processes have left (I-8, G-4), now or as soon as the store lets it, and looks again from then on. */
export async function careForLedger(store: CaredFor, log: { warn(text: string): void }): Promise<{ stop(): void }> {
  const care = new LedgerCare(store, log);
  await care.look();
  return care;
}

/**
 * Closes the rounds of dead processes and frees what they held of balances: of a store that others share again and again,
 * else once. Forgets expired keys every minute.
 */
export class LedgerCare {
  readonly #store: CaredFor;
  readonly #log: { warn(text: string): void };
  #recovered = false;
  /** Monotonic ms; null = never. */
  #expiredAt: number | null = null;
  #cancel: Cancel | null = null;
  #stopped = false;

  constructor(store: CaredFor, log: { warn(text: string): void }) {
    this.#store = store;
    this.#log = log;
  }

  /** Never rejects; looks again by itself. */
  async look(): Promise<void> {
    const { kind, clock } = this.#store;
    const isShared = kind !== 'sqlite';
    let next = isShared ? RECOVER_MS : EXPIRE_MS;
    try {
      if (isShared || !this.#recovered) await this.#recover();
      await this.#expire();
    } catch (error) {
      if (!(error instanceof StateStoreUnavailable)) throw error;
      if (isShared || !this.#recovered) next = SOON_MS;
    }
    if (!this.#stopped) this.#cancel = clock.after(next, () => void this.look());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  async #recover(): Promise<void> {
    const { idempotency, ledger, clock } = this.#store;
    const { closed } = await idempotency.recover(clock.wall());
    if (closed > 0) {
      this.#log.warn(`${closed} keyed requests were cut off by the last stop; their keys may be used again (I-8)`);
    }
    // At the start of a process that is alone they are freed when its books are opened.
    const released = await ledger.release(clock.wall());
    if (released > 0)
      this.#log.warn(
        `${released} calls were cut off with their process; what they held back of balances is free again`,
      );
    this.#recovered = true;
  }

  async #expire(): Promise<void> {
    const { idempotency, clock } = this.#store;
    const now = clock.now();
    if (this.#expiredAt !== null && now - this.#expiredAt < EXPIRE_MS) return;
    await idempotency.expire(clock.wall());
    this.#expiredAt = now;
  }
}
