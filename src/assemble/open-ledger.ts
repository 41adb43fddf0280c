/** The idempotency ledger of a data folder, and what is done for it from time to time. */
import { join } from 'node:path';
import { createIdempotencyStore } from '../adapters/store-sql/idempotency-store.ts';
import type { StateDb } from '../adapters/store-sql/state-db.ts';
import { IDEMPOTENCY_SQL } from '../adapters/store-sqlite/idempotency-sql.ts';
import { openStateReader } from '../adapters/store-sqlite/open-state-db.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { Holder } from '../ports/holder.ts';
import type { IdempotencyStore, SharedIdempotency } from '../ports/idempotency-store.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import type { Sealer } from '../ports/sealer.ts';

export interface LedgerParts {
  readonly dataDir: string;
  readonly state: StateDb;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly holder: Holder;
  readonly log: { warn(text: string): void; bug(error: unknown, requestId: string): void };
}

export interface OpenLedger {
  readonly store: SharedIdempotency;
  /** Writes what is queued. Never rejects. */
  close(): Promise<void>;
}

/** Closed rounds are wanted at once, forgotten keys at some time. */
const CARE_MS = 60_000;
/** After a start on a disk that could not be written: rounds of the process before are closed as soon as it can. */
const SOON_MS = 1000;

/** Opens the ledger and closes what the process before has left (I-8), now or as soon as the disk lets it. */
export async function openLedger({ dataDir, state, sealer, clock, holder, log }: LedgerParts): Promise<OpenLedger> {
  const reader = openStateReader({ path: join(dataDir, 'state.db'), clock });
  const onBug = (error: unknown): void => log.bug(error, 'ledger');
  const store = createIdempotencyStore({ db: state, sql: IDEMPOTENCY_SQL, reader, sealer, clock, holder, onBug });
  const care = new LedgerCare(store, clock, log);
  await care.look();
  return {
    store,
    async close() {
      care.stop();
      await store.close();
      await reader.close();
    },
  };
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
