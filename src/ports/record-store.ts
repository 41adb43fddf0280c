/** The log lane of the store (O-1, O-2): bounded, never blocking, never failing a request. */
import type { Overview } from '../core/overview/overview.ts';
import type { RecordDraft, RequestRecord, RequestSummary, SnapshotNames } from '../core/record.ts';

export interface RequestFilter {
  /** Wall ms. */
  readonly from?: number;
  readonly to?: number;
  readonly workspace?: string;
  readonly key?: string;
  /** As requested, by its own name or a virtual one's, or as served. */
  readonly model?: string;
  readonly status?: number;
  readonly outcome?: string;
  /** More than one model was attempted. */
  readonly failover?: boolean;
  readonly degraded?: boolean;
  readonly idempotency?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export const USAGE_GROUPS = ['key', 'workspace', 'model'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageQuery {
  readonly by: UsageGroup;
  /** Wall ms: `from` ≤ at < `to`. */
  readonly from: number;
  readonly to: number;
  readonly workspace?: string;
}

/** What requests used, summed up. Unknown figures count as 0 and are counted in `unpriced`. */
export interface UsageRow {
  /** Of the key (null = before one was known), the workspace, or the model: the served one, else the requested. */
  readonly name: string | null;
  readonly requests: number;
  /** Of these, those whose outcome was no success. */
  readonly failed: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_nano_usd: number;
  readonly waste_nano_usd: number;
  /** Successes whose cost nobody knows. */
  readonly unpriced: number;
  /** Calls that all of them made; and those that were a client's own repeats: calls ÷ (requests − repeats) is what one business request costs (D-7). */
  readonly upstream_calls: number;
  readonly client_retries: number;
}

export interface FailedQuery {
  /** Wall ms: `from` ≤ at < `to`. */
  readonly from: number;
  readonly to: number;
  readonly workspace?: string;
}

/** What of a record is needed to run its decisions again. */
export type FailedRecord = Pick<RequestRecord, 'id' | 'at' | 'policy' | 'outcome' | 'attempts' | 'events' | 'setup'>;

/** Wall ms, `from` < `to`; both are moved outwards to whole minutes, quarters of an hour or two hours, by the length. */
export interface OverviewQuery {
  readonly from: number;
  readonly to: number;
  readonly workspace?: string;
}

export interface RecordStore {
  /** Queues one record. Returns false when the queue is full: dropped and counted (O-2). */
  append(draft: RecordDraft): boolean;
  /** Announces a snapshot's names before any record refers to its version. */
  registerSnapshot(names: SnapshotNames): void;
  get(id: string): Promise<RequestRecord | null>;
  list(filter: RequestFilter): Promise<{ data: RequestSummary[]; next_cursor: string | null }>;
  /** Sums over the records that are still kept, by name. Takes its time over many, in steps that let others through. */
  usage(query: UsageQuery): Promise<UsageRow[]>;
  /**
   * Requests of which at least one call failed, newest first, a page at a time. `goOn` is asked before each read, since where
   * failures are rare many reads find none: false ends the walk.
   */
  failed(query: FailedQuery, goOn?: () => boolean): AsyncIterable<FailedRecord>;
  /**
   * Figures of the requests that began in a window, from sums that are kept beside the records: it reads some hundred rows, however
   * many requests there were. Of other processes' requests the last two seconds may be missing.
   */
  overview(query: OverviewQuery): Promise<Overview>;
  /** Waits until everything queued is durable or given up. */
  flush(): Promise<void>;
  close(): Promise<void>;
  /** Records that could not be written since start. */
  readonly dropped: number;
  /** Last write error in plain words, null when healthy. */
  readonly problem: string | null;
}

/** A store that can also forget. */
export interface RetainingRecordStore extends RecordStore {
  /**
   * Deletes records older than `before` (wall ms), in small steps that let new ones through; resolves with how many.
   * Rejects when the store cannot be written.
   */
  prune(before: number): Promise<number>;
}
