/**
 * Figures of the last minutes and days (O-4), kept where all replicas see them. Hints: losing them delays an alert, never
 * a request.
 */
import type { ActiveAlert } from '../core/signals/active-alerts.ts';
import type { Tally } from '../core/signals/tallies.ts';
import type { Slowdown } from '../core/signals/throttle.ts';

/** A state that is wrong for as long as it lasts: an open circuit, a credential at rest, a store that is away. */
export interface Condition {
  readonly kind: 'credential_unhealthy' | 'balance_empty' | 'circuit_open' | 'shared_lost' | 'store_lost';
  /** What it is about: a credential's, workspace's or channel's name; '' = the replica itself. */
  readonly subject: string;
  /** Whose it is; absent = the account's. */
  readonly workspace?: string;
}

/** What one process saw of late. */
export interface SignalWindow {
  /** By name, over the alerts' window; the tally `*` is all requests. */
  readonly tallies: readonly Tally[];
  /** The same over the last half minute: whether a slowed channel has become better is seen here first. */
  readonly recent: readonly Tally[];
  readonly conditions: readonly Condition[];
}

/** What the judging replica found, for all others: which alerts are on, and how far channels are slowed down. */
export interface SignalVerdict {
  /** Wall ms at which it was found. */
  readonly at: number;
  readonly alerts: readonly ActiveAlert[];
  readonly slowdowns: readonly Slowdown[];
}

/** `at`, `from`, `to`, `before`: wall ms of the store's clock. Every call rejects where the store is away. */
export interface SignalStore {
  /** Replaces what this process told of itself before. */
  putWindow(at: number, window: SignalWindow): Promise<void>;
  /** Windows told at or after `since`, one per process. */
  windows(since: number): Promise<readonly SignalWindow[]>;
  /** Replaces this process's sums of the hour that began at `hour`. */
  putHour(hour: number, tallies: readonly Tally[]): Promise<void>;
  /** Sums over all processes and hours that began in `from` ≤ hour < `to`, by name. */
  hours(from: number, to: number): Promise<readonly Tally[]>;
  putVerdict(verdict: SignalVerdict): Promise<void>;
  /** The last one; null = none yet. */
  verdict(): Promise<SignalVerdict | null>;
  /** Forgets what is older; resolves with how many rows. */
  prune(before: number): Promise<number>;
}

/** How many calls a channel may have in flight at this replica while it is slowed down (O-4). */
export interface ChannelCaps {
  /** `channel`: `MODEL#ID`. Null = no cap. O(1), and at once where nothing is slowed down. */
  capOf(channel: string): number | null;
}
