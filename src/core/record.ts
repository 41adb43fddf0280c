/**
 * The log record of one request (O-1; shape in 2-interface). `RequestRecord` is what the admin API shows;
 * `RecordDraft` is what the request path hands over: plain, structured-cloneable, candidates as codes.
 */

import type { Decision } from './failover/machine.ts';
import type { SkipReason } from './failover/plan-types.ts';
import type { SplitSetup } from './failover/split-setup.ts';
import type { FailureClass } from './failure.ts';

export type Outcome =
  | 'success'
  | 'client_error'
  | 'upstream_rate_limited'
  | 'upstream_unavailable'
  | 'network_unknown'
  | 'safety_refusal';
export type Ending =
  | 'served'
  | 'failed'
  | 'rejected'
  | 'interrupted'
  | 'client_closed'
  | 'replayed'
  | 'joined'
  | 'queued';
export type AttemptResult = 'served' | 'failed' | 'interrupted' | 'cancelled' | 'late_success';

/** A queued request (E-4): `try` 0 = the request that was queued, else which try of it. */
export interface JobLink {
  readonly id: string;
  readonly try: number;
}

export interface StageRecord {
  readonly name: 'receive' | 'plan' | 'admit' | 'upstream' | 'deliver';
  readonly ms: number;
  readonly attempts?: number;
}

export interface UsageRecord {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly estimated?: boolean;
}

export interface AttemptRecord {
  readonly no: number;
  readonly id: string;
  readonly model: string;
  readonly channel: string;
  readonly credential: string | null;
  readonly provider: string;
  readonly upstream_model: string;
  readonly started_at: string;
  readonly sent_at: string | null;
  readonly latency_ms: number;
  readonly ttft_ms: number | null;
  readonly status: number | null;
  readonly result: AttemptResult;
  readonly class: FailureClass | null;
  readonly trigger: string | null;
  readonly triggers: readonly string[];
  readonly provider_code: string | null;
  readonly provider_message: string | null;
  readonly provider_request_id: string | null;
  readonly retry_after_ms: number | null;
  readonly retry_after_source: string | null;
  readonly maybe_executed: boolean;
  readonly suspicious: boolean;
  readonly hedge: boolean;
  /** It failed on purpose and nobody was called; absent = no. */
  readonly rehearsed?: boolean;
  readonly decision: Decision;
  readonly reason: string;
  readonly changes: readonly string[];
  readonly usage: UsageRecord | null;
  readonly cost_nano_usd: number | null;
}

export interface CandidateRecord {
  readonly rank: number;
  readonly model: string;
  readonly channel: string;
  readonly credential: string | null;
  readonly tried: boolean;
  readonly skip_reason: SkipReason | null;
  readonly available_at: string | null;
}

/** Skipped candidates beyond 50, by reason. */
export interface SkippedGroup {
  readonly skip_reason: SkipReason;
  readonly count: number;
}

/** The list's columns. */
export interface RequestSummary {
  readonly id: string;
  readonly client_request_id: string | null;
  readonly at: string;
  readonly workspace: string;
  readonly key: string | null;
  readonly endpoint: string;
  readonly stream: boolean;
  readonly requested_model: string | null;
  /** The virtual model whose first usable member `requested_model` is (C-6); null = none was asked for. */
  readonly virtual_model: string | null;
  readonly served_model: string | null;
  readonly chain: readonly string[];
  readonly policy: string;
  readonly status: number;
  readonly outcome: Outcome;
  readonly ending: Ending;
  readonly error_code: string | null;
  readonly degraded: boolean;
  readonly degraded_reasons: readonly string[];
  readonly idempotency: {
    readonly key_hash: string;
    readonly state: string;
    readonly round: number;
    /** `owner` | `joiner` | `replay` | `refused`. */
    readonly role: string;
    /** SHA-256 of the success this request was given, hex; null or absent = none was given. */
    readonly digest?: string | null;
    /** The request that made the success, where it is another one. */
    readonly original_request_id?: string | null;
  } | null;
  /** D-7. `upstream_calls`: of this request and those it repeats; what the one business request has cost so far. */
  readonly client_retry: { readonly count: number; readonly how: string | null; readonly upstream_calls: number };
  /** Attempts of this request that called an upstream. */
  readonly upstream_calls: number;
  readonly latency_ms: number;
  readonly ttft_ms: number | null;
  readonly usage: UsageRecord | null;
  readonly cost_nano_usd: number | null;
  readonly waste_nano_usd: number | null;
  /** The job it became, or was a try of; absent = none. */
  readonly job?: JobLink;
}

export interface RequestRecord extends RequestSummary {
  readonly stages: readonly StageRecord[];
  readonly candidates: readonly CandidateRecord[];
  readonly skipped_groups?: readonly SkippedGroup[];
  readonly attempts: readonly AttemptRecord[];
  /** Options the ceilings changed (C-4). */
  readonly clamped?: readonly { readonly field: string; readonly asked: number; readonly given: number }[];
  /** The engine's recorded events: enough to run `decide` again and get the same actions. */
  readonly events?: readonly unknown[];
  /** What the run started from, for `replayStored`. Null when nothing ran, or what it shared with others is gone. */
  readonly setup?: unknown;
}

/** One candidate as codes against the snapshot's version: [rank, model, channel, credential (−1 = none), tried 0|1, skip reason index (−1), availableAt (0 = null)]. */
export type CandidateCodes = readonly [number, number, number, number, 0 | 1, number, number];

/** What the request path hands to the record port. Names instead of codes everywhere else: they are short. */
export interface RecordDraft extends RequestSummary {
  readonly snapshotVersion: number;
  readonly stages: readonly StageRecord[];
  readonly candidates: readonly CandidateCodes[];
  readonly attempts: readonly AttemptRecord[];
  readonly clamped: readonly { readonly field: string; readonly asked: number; readonly given: number }[];
  /** As `packEvents` makes them. */
  readonly events: readonly unknown[];
  /** Null when nothing ran. */
  readonly setup: SplitSetup | null;
}

/** Names behind the codes of one snapshot, stored once per version. */
export interface SnapshotNames {
  readonly version: number;
  readonly models: readonly string[];
  /** Channel ids, `[model ix, id]`. */
  readonly channels: readonly (readonly [number, string])[];
  readonly credentials: readonly string[];
}
