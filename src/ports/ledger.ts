/**
 * The money ledger (G-4): append-only entries whose sum is the balance. Reservations are durable before an attempt's
 * bytes leave, settlements conditional on an open reservation; what a crash left open is closed at the next start.
 */
import type { NanoUsd } from '../core/usage/usage.ts';

export type LedgerEntryKind = 'grant' | 'topup' | 'adjust' | 'charge';

export interface LedgerEntry {
  readonly id: string;
  readonly workspace: string;
  readonly kind: LedgerEntryKind;
  /** Negative = money leaves the balance. */
  readonly amount: NanoUsd;
  /** Wall ms. */
  readonly at: number;
  readonly attemptId: string | null;
  readonly note: string | null;
  readonly by: string;
}

export interface OpenReservation {
  readonly attemptId: string;
  readonly workspace: string;
  readonly amount: NanoUsd;
  readonly at: number;
}

export interface Ledger {
  /** Balances by workspace (sum of entries). Reservations a dead process left open are released, counted in `released`. */
  open(wall: number): Promise<{ readonly balances: ReadonlyMap<string, NanoUsd>; readonly released: number }>;
  /** Durable when it resolves. Rejects with StateStoreUnavailable. */
  reserve(reservation: OpenReservation): Promise<void>;
  /** Closes a reservation, with a charge where `charge` > 0. Idempotent. Never rejects: it is tried again until durable. */
  settle(attemptId: string, charge: NanoUsd, at: number): void;
  /** Any entry but a charge; resolves to the new balance. */
  add(entry: Omit<LedgerEntry, 'id'>): Promise<NanoUsd>;
  /** Newest first. */
  entries(
    workspace: string,
    limit: number,
    cursor?: string,
  ): Promise<{ readonly data: readonly LedgerEntry[]; readonly next_cursor: string | null }>;
}
