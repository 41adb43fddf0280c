/** Work that one process does for all, leased for 30 s: who holds a duty does it, the others leave it. */
import type { Clock } from '../../ports/clock.ts';
import type { Duties, Duty } from '../../ports/duties.ts';
import type { Holder } from '../../ports/holder.ts';
import type { StateDb } from '../store-sql/state-db.ts';
import { REPLICAS_SQL as SQL } from './replicas-sql.ts';

const LEASE_MS = 30_000;
/** It is given up this much before its end: whoever takes it finds us done. */
const MARGIN_MS = 5000;

const ALL: readonly Duty[] = ['alerts', 'partitions', 'retention', 'signing'];

export interface LeasedDutiesOptions {
  readonly db: Pick<StateDb, 'write'>;
  readonly clock: Clock;
  readonly holder: Holder;
}

export class LeasedDuties implements Duties {
  readonly #options: LeasedDutiesOptions;
  /** Monotonic: until when each is ours. */
  readonly #until = new Map<Duty, number>();

  constructor(options: LeasedDutiesOptions) {
    this.#options = options;
    options.holder.onLost(() => this.#until.clear());
  }

  hold(duty: Duty): boolean {
    return this.#options.clock.now() < (this.#until.get(duty) ?? Number.NEGATIVE_INFINITY);
  }

  /** Takes what is free and keeps what is ours; every 10 s. Rejects with `StateStoreUnavailable`. */
  async renew(wall: number): Promise<void> {
    const { db, clock, holder } = this.#options;
    const askedAt = clock.now();
    // Always in the same order, or two processes would wait for each other.
    const rows = ALL.map((duty) => [duty, holder.id, wall + LEASE_MS, wall]);
    const { returned = [] } = await db.write([{ sql: SQL.hold, rows, returns: true }]);
    this.#until.clear();
    for (const [name] of returned) {
      const duty = ALL.find((one) => one === name);
      if (duty !== undefined) this.#until.set(duty, askedAt + LEASE_MS - MARGIN_MS);
    }
  }
}
