/** Who changed what, and when (G-7, G-8). Append-only: nothing of it is ever changed; retention alone takes away. */
import type { AuditEntry } from '../core/signals/event.ts';

export type { AuditEntry } from '../core/signals/event.ts';

/** `seq`: grows with every entry of the store. */
export type StoredAuditEntry = AuditEntry & { readonly seq: string };

export interface AuditFilter {
  /** Wall ms: `from` ≤ at < `to`. */
  readonly from?: number;
  readonly to?: number;
  readonly workspace?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly object?: string;
  readonly requestId?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export interface AuditPage {
  /** Newest first, by `at`. */
  readonly data: readonly StoredAuditEntry[];
  readonly next_cursor: string | null;
}

export interface AuditLog {
  /** Queued, and insisted on until it is durable; bounded, and counted beyond. Nobody waits. */
  append(entry: AuditEntry): void;
  /** Rejects with `StateStoreUnavailable`. */
  list(filter: AuditFilter): Promise<AuditPage>;
  /** Takes away what is older, in small steps; resolves with how many. Rejects with `StateStoreUnavailable`. */
  prune(before: number): Promise<number>;
  /** Writes what waits. Never rejects. */
  close(): Promise<void>;
  /** Entries that the queue had no room for, since the start. */
  readonly dropped: number;
}
