/** What is done for the idempotency ledger from time to time. */
import type { Cancel, Clock } from '../ports/clock.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import type { Store } from '../ports/store.ts';

/** Closed rounds are wanted at once, forgotten keys at some time. */
const CARE_MS = 60_000;
/** After a start on a disk that could not be written: rounds of the process before are closed as soon as it can. */
const SOON_MS = 1000;

/** Closes what the process before has left (I-8), now or as soon as the store lets it, and looks again from then on. */
export async function careForLedger(
  { idempotency, clock }: Pick<Store, 'idempotency' | 'clock'>,
  log: { warn(text: string): void },
): Promise<{ stop(): void }> {
  const care = new LedgerCare(idempotency, clock, log);
  await care.look();
  return care;
}

/** Closes the rounds of a dead process once, and forgets expired keys every minute. */
export class LedgerCare {
  readonly #store: Pick<IdempotencyStore, 'recover' | 'expire'>;
  readonly #clock: Clock;
  readonly #log: { warn(text: string): void };
  #recovered = false;
  #cancel: Cancel | null = null;
  #stopped = false;

  constructor(store: Pick<IdempotencyStore, 'recover' | 'expire'>, clock: Clock, log: { warn(text: string): void }) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Never rejects; looks again by itself. */
  async look(): Promise<void> {
    let next = CARE_MS;
    try {
      if (!this.#recovered) await this.#recover();
      await this.#store.expire(this.#clock.wall());
    } catch (error) {
      if (!(error instanceof StateStoreUnavailable)) throw error;
      if (!this.#recovered) next = SOON_MS;
    }
    if (!this.#stopped) this.#cancel = this.#clock.after(next, () => void this.look());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  async #recover(): Promise<void> {
    const { closed } = await this.#store.recover(this.#clock.wall());
    this.#recovered = true;
    if (closed > 0) {
      this.#log.warn(`${closed} keyed requests were cut off by the last stop; their keys may be used again (I-8)`);
    }
  }
}
