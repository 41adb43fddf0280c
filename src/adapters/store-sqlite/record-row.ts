/** A record as a row and back (O-1). */
import type { RecordDraft, RequestRecord, RequestSummary } from '../../core/record.ts';
import {
  expandCandidate,
  expandSkipped,
  type GroupedCandidates,
  groupCandidates,
  type StoredNames,
} from './candidate-codes.ts';
import type { SqlParam } from './sql-protocol.ts';

/** The long JSON text of a row. */
interface StoredDetail extends GroupedCandidates {
  readonly stages: RecordDraft['stages'];
  readonly attempts: RecordDraft['attempts'];
  readonly clamped: RecordDraft['clamped'];
  readonly events: RecordDraft['events'];
  readonly setup: RecordDraft['setup'];
}

/** Longest name stored: what a client wrote where a model's name belongs may be megabytes. */
const NAME_CHARS = 256;

function cut(name: string | null): string | null {
  return name === null || name.length <= NAME_CHARS ? name : `${name.slice(0, NAME_CHARS)}…`;
}

/** The row of a draft, in `REQUEST_COLUMNS` order. `wall` stands in for an `at` that is no date. */
export function toRow(draft: RecordDraft, snapshot: string | null, wall: number): SqlParam[] {
  const at = Date.parse(draft.at);
  return [
    draft.id,
    Number.isNaN(at) ? wall : at,
    draft.workspace,
    draft.key,
    cut(draft.requested_model),
    draft.served_model,
    draft.status,
    draft.outcome,
    draft.degraded ? 1 : 0,
    modelsAttempted(draft) > 1 ? 1 : 0,
    draft.idempotency?.key_hash ?? null,
    snapshot,
    summaryOf(draft),
    detailOf(draft),
  ];
}

function modelsAttempted(draft: RecordDraft): number {
  const [first] = draft.attempts;
  if (first === undefined) return 0;
  return draft.attempts.some((attempt) => attempt.model !== first.model) ? 2 : 1;
}

function summaryOf(draft: RecordDraft): RequestSummary {
  return {
    id: draft.id,
    client_request_id: cut(draft.client_request_id),
    at: draft.at,
    workspace: draft.workspace,
    key: draft.key,
    endpoint: draft.endpoint,
    stream: draft.stream,
    requested_model: cut(draft.requested_model),
    served_model: draft.served_model,
    chain: draft.chain,
    policy: draft.policy,
    status: draft.status,
    outcome: draft.outcome,
    ending: draft.ending,
    error_code: draft.error_code,
    degraded: draft.degraded,
    degraded_reasons: draft.degraded_reasons,
    idempotency: draft.idempotency,
    client_retry: draft.client_retry,
    latency_ms: draft.latency_ms,
    ttft_ms: draft.ttft_ms,
    usage: draft.usage,
    cost_nano_usd: draft.cost_nano_usd,
    waste_nano_usd: draft.waste_nano_usd,
  };
}

function detailOf(draft: RecordDraft): StoredDetail {
  const { candidates, skipped } = groupCandidates(draft.candidates);
  const { stages, attempts, clamped, events, setup } = draft;
  return { stages, candidates, skipped, attempts, clamped, events, setup };
}

/** The list's form, from the column `summary`. */
export function readSummary(summary: string): RequestSummary {
  return JSON.parse(summary) as RequestSummary;
}

/** The whole record, from `summary`, `detail` and the snapshot's names (null when they are not there). */
export function readRecord(summary: string, detail: string, names: string | null): RequestRecord {
  const stored = JSON.parse(detail) as StoredDetail;
  const known = names === null ? null : (JSON.parse(names) as StoredNames);
  const groups = expandSkipped(stored.skipped, known);
  return {
    ...readSummary(summary),
    stages: stored.stages,
    candidates: stored.candidates.map((codes) => expandCandidate(codes, known)),
    ...(groups.length > 0 ? { skipped_groups: groups } : {}),
    attempts: stored.attempts,
    ...(stored.clamped.length > 0 ? { clamped: stored.clamped } : {}),
    events: stored.events,
    setup: stored.setup ?? null,
  };
}
