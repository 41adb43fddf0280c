/** A record as a row and back (O-1). */
import type { Json, JsonObject } from '../../core/failover/json-form.ts';
import { unpackEvents } from '../../core/failover/pack-events.ts';
import { joinSetup } from '../../core/failover/split-setup.ts';
import type { RecordDraft, RequestRecord, RequestSummary } from '../../core/record.ts';
import {
  expandCandidate,
  expandSkipped,
  type GroupedCandidates,
  groupCandidates,
  type StoredNames,
} from './candidate-codes.ts';
import type { TextScalar } from './row-text.ts';
import {
  readAttempt,
  readStage,
  readSummaryFields,
  storedAttempt,
  storedStage,
  storedSummary,
} from './stored-fields.ts';

/** In the order `toRow` writes them. */
export const REQUEST_COLUMNS = [
  'id',
  'at',
  'workspace',
  'key',
  'requested_model',
  'served_model',
  'virtual_model',
  'status',
  'outcome',
  'degraded',
  'failover',
  'idempotency',
  'snapshot',
  'summary',
  'detail',
] as const;

/** The long JSON text of a row. */
export interface StoredDetail extends GroupedCandidates {
  readonly stages: readonly (readonly unknown[])[];
  readonly attempts: readonly (readonly unknown[])[];
  readonly clamped: RecordDraft['clamped'];
  readonly events: RecordDraft['events'];
  /** Rows of older versions have their setup whole, or none. */
  readonly setup: StoredSetup | Json;
}

/** A setup whose shared parts are kept apart, by their ids; one that could not be is here itself. */
export interface StoredSetup {
  readonly shared: readonly (string | JsonObject)[];
  readonly own: Json;
}

/** Longest name stored: what a client wrote where a model's name belongs may be megabytes. */
const NAME_CHARS = 256;

function cut(name: string | null): string | null {
  return name === null || name.length <= NAME_CHARS ? name : `${name.slice(0, NAME_CHARS)}…`;
}

/** What a row refers to: the stored ids. */
export interface RowReferences {
  readonly snapshot: string | null;
  readonly setup: StoredSetup | null;
}

/** The row of a draft, in `REQUEST_COLUMNS` order. `wall` stands in for an `at` that is no date. */
export function toRow(draft: RecordDraft, { snapshot, setup }: RowReferences, wall: number): TextScalar[] {
  const at = Date.parse(draft.at);
  return [
    draft.id,
    Number.isNaN(at) ? wall : at,
    draft.workspace,
    draft.key,
    cut(draft.requested_model),
    draft.served_model,
    draft.virtual_model,
    draft.status,
    draft.outcome,
    draft.degraded ? 1 : 0,
    modelsAttempted(draft) > 1 ? 1 : 0,
    draft.idempotency?.key_hash ?? null,
    snapshot,
    textOf(storedSummary(draft, cut)),
    textOf(detailOf(draft, setup)),
  ];
}

/**
 * Written as text at once: a waiting record is then two flat strings instead of a hundred objects that every garbage
 * collection would have to walk, and handing them to the SQL thread is a copy of bytes.
 */
function textOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));
  }
}

function modelsAttempted(draft: RecordDraft): number {
  const [first] = draft.attempts;
  if (first === undefined) return 0;
  return draft.attempts.some((attempt) => attempt.model !== first.model) ? 2 : 1;
}

function detailOf(draft: RecordDraft, setup: StoredSetup | null): StoredDetail {
  const { candidates, skipped } = groupCandidates(draft.candidates);
  const { stages, attempts, clamped, events } = draft;
  return {
    stages: stages.map(storedStage),
    candidates,
    skipped,
    attempts: attempts.map(storedAttempt),
    clamped,
    events,
    setup,
  };
}

/** The list's form, from the column `summary`. */
export function readSummary(summary: string): RequestSummary {
  return readSummaryFields(JSON.parse(summary) as unknown[]);
}

/** The ids of the setup parts that a row's `detail` refers to. */
export function setupPartIds({ setup }: StoredDetail): readonly string[] {
  return isStoredSetup(setup) ? setup.shared.filter((part) => typeof part === 'string') : [];
}

function isStoredSetup(setup: StoredDetail['setup'] | undefined): setup is StoredSetup {
  return typeof setup === 'object' && setup !== null && 'shared' in setup;
}

/** The column `detail`. */
export function readDetail(detail: string): StoredDetail {
  return JSON.parse(detail) as StoredDetail;
}

/** What was read beside a row; names and parts that are not there are null or missing. */
export interface FoundReferences {
  readonly names: string | null;
  /** Setup parts by id, as JSON text. */
  readonly parts: ReadonlyMap<string, string>;
}

/** The whole record, from `summary`, `detail` and what they refer to. */
export function readRecord(summary: string, stored: StoredDetail, { names, parts }: FoundReferences): RequestRecord {
  const known = names === null ? null : (JSON.parse(names) as StoredNames);
  const groups = expandSkipped(stored.skipped, known);
  return {
    ...readSummary(summary),
    stages: stored.stages.map(readStage),
    candidates: stored.candidates.map((codes) => expandCandidate(codes, known)),
    ...(groups.length > 0 ? { skipped_groups: groups } : {}),
    attempts: stored.attempts.map(readAttempt),
    ...(stored.clamped.length > 0 ? { clamped: stored.clamped } : {}),
    events: unpackEvents(stored.events as readonly Json[]),
    setup: readSetup(stored.setup, parts),
  };
}

function readSetup(setup: StoredDetail['setup'] | undefined, parts: FoundReferences['parts']): Json {
  if (!isStoredSetup(setup)) return setup ?? null;
  const shared = setup.shared.map((part) => {
    if (typeof part !== 'string') return part;
    const text = parts.get(part);
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  });
  return joinSetup(setup.own, shared);
}
