/**
 * The money ledger (G-4): append-only entries whose sum is the balance. Reservations are durable before an attempt's
 * bytes leave, settlements conditional on an open reservation; what a crash left open is closed at the next start.
 */
import type { NanoUsd } from '../core/usage/usage.ts';

export const LEDGER_ENTRY_KINDS = ['grant', 'topup', 'adjust', 'charge'] as const;
export type LedgerEntryKind = (typeof LEDGER_ENTRY_KINDS)[number];

/** Who makes the entries that bring a balance to what the configuration grants; no member's name. */
export const BY_CONFIGURATION = '(configuration)';

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

/** One workspace's entries in sum. */
export interface AccountSums {
  readonly balance: NanoUsd;
  /** Of the entries made by BY_CONFIGURATION. */
  readonly granted: NanoUsd;
}

export interface LedgerOpening {
  /** By workspace. */
  readonly accounts: ReadonlyMap<string, AccountSums>;
  /** Reservations a dead process left open: closed without a charge. */
  readonly released: number;
}

export interface LedgerPage {
  /** Newest first. */
  readonly data: readonly LedgerEntry[];
  readonly next_cursor: string | null;
}

/** What asking the ledger for money gives: held back, or nothing is left of the balance. */
export type LedgerReservation = 'ok' | 'empty';

/** An account as every process together has made it. */
export interface SharedSums extends AccountSums {
  /** Sum of its open reservations. */
  readonly held: NanoUsd;
}

export interface Ledger {
  /** Closes what a dead process left open and sums up. Once, before anything else. Rejects with StateStoreUnavailable. */
  open(): Promise<LedgerOpening>;
  /**
   * Durable when it resolves with `ok`; with `empty` nothing was done. A ledger of one process holds whatever it is told
   * to: its caller has looked at the balance. Rejects with StateStoreUnavailable: then it may be there or not, and is to
   * be settled.
   */
  reserve(reservation: OpenReservation): Promise<LedgerReservation>;
  /**
   * Closes a reservation, with a charge where `charge` > 0: one for each attempt, also where others have released the
   * reservation meanwhile. Idempotent. Never rejects: it is tried again until durable.
   */
  settle(attemptId: string, charge: NanoUsd, at: number, workspace: string): void;
  /**
   * Any entry but a charge. Durable when it resolves with `added`; rejects with StateStoreUnavailable, and then it is not
   * there. `granted`: of an entry by BY_CONFIGURATION, the grants it was worked out from; `moved` = they have come to
   * another sum meanwhile, nothing was added, `refresh` tells it.
   */
  add(entry: Omit<LedgerEntry, 'id' | 'attemptId'>, granted?: NanoUsd): Promise<'added' | 'moved'>;
  /** Frees what dead processes hold back; resolves with how many reservations. Where one process has the ledger: none. */
  release(wall: number): Promise<number>;
  /** Accounts as all processes made them, by workspace. Absent = nobody else changes them: the caller's memory is right. */
  refresh?(): Promise<ReadonlyMap<string, SharedSums>>;
  entries(workspace: string, limit: number, cursor?: string): Promise<LedgerPage>;
  /** Writes what is still to be written, as far as the store lets it. Never rejects. */
  close(): Promise<void>;
}
