/** Who changed what, and when (G-7, G-8). Append-only: nothing of it is ever changed; retention alone takes away. */
import type { JsonObject } from '../core/failover/json-form.ts';

export interface AuditEntry {
  /** Wall ms. */
  readonly at: number;
  /** `admin`, a member's name, `gateway` (by itself), `file` (a reload); of a request its client key, as `key NAME`. */
  readonly actor: string;
  /** As in `key.create`, `balance.topup`, `request.failover`. */
  readonly action: string;
  /** What it was done to: `KIND NAME`. */
  readonly object: string;
  /** Whose object it is; null = the account's: no workspace's admin sees the entry (G-8). */
  readonly workspace: string | null;
  readonly requestId: string | null;
  /** Fields as the API shows them, never a secret; null = it was not there before, or nothing of it matters. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** Of the caller; null = it came from nobody. */
  readonly ip: string | null;
}

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
  /** Newest first. */
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
