/** Candidates as stored (codes against a snapshot's names) and as shown (P-7). */
import { SKIP_REASONS, type SkipReason } from '../../core/failover/plan-types.ts';
import type { CandidateCodes, CandidateRecord, SkippedGroup, SnapshotNames } from '../../core/record.ts';

/** Beyond so many, skipped candidates are kept as counts by reason. */
const LISTED = 50;

/**
 * The names behind the codes, with the skip reasons as this version numbers them: a file outlives the version that
 * wrote it. `Partial`: read back from disk.
 */
export interface StoredNames {
  readonly models: SnapshotNames['models'];
  readonly channels: SnapshotNames['channels'];
  readonly credentials: SnapshotNames['credentials'];
  readonly skipReasons: readonly string[];
}

/** As they are written beside a snapshot’s rows. */
export function storedNames(names: SnapshotNames): StoredNames {
  return {
    models: names.models,
    channels: names.channels,
    credentials: names.credentials,
    skipReasons: SKIP_REASONS,
  };
}

/** Candidates one by one where something is to be said of them, the others counted. */
export interface GroupedCandidates {
  readonly candidates: readonly CandidateCodes[];
  /** [skip reason index, count]. */
  readonly skipped: readonly (readonly [number, number])[];
}

/** The first 50 candidates stay; of the others those that were in the order or tried stay, the skipped are counted. */
export function groupCandidates(all: readonly CandidateCodes[]): GroupedCandidates {
  if (all.length <= LISTED) return { candidates: all, skipped: [] };
  const kept = all.slice(0, LISTED);
  const counts = new Map<number, number>();
  for (let at = LISTED; at < all.length; at += 1) {
    const candidate = all[at]!;
    const tried = candidate[4] === 1;
    const reason = candidate[5];
    if (tried || reason < 0) kept.push(candidate);
    else counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return { candidates: kept, skipped: [...counts] };
}

/** Codes to names. A code without a name (its snapshot was never stored) is shown as `#code`. */
export function expandCandidate(codes: CandidateCodes, names: StoredNames | null): CandidateRecord {
  const [rank, model, channel, credential, tried, reason, availableAt] = codes;
  return {
    rank,
    model: names?.models[model] ?? `#${model}`,
    channel: names?.channels[channel]?.[1] ?? `#${channel}`,
    credential: credential < 0 ? null : (names?.credentials[credential] ?? `#${credential}`),
    tried: tried === 1,
    skip_reason: reason < 0 ? null : expandReason(reason, names),
    available_at: availableAt > 0 ? new Date(availableAt).toISOString() : null,
  };
}

/** Reasons by name again; `#N` where the name is not known. */
export function expandSkipped(skipped: GroupedCandidates['skipped'], names: StoredNames | null): SkippedGroup[] {
  return skipped.map(([reason, count]) => ({ skip_reason: expandReason(reason, names), count }));
}

function expandReason(reason: number, names: StoredNames | null): SkipReason {
  const known: readonly string[] = names?.skipReasons ?? SKIP_REASONS;
  return (known[reason] ?? `#${reason}`) as SkipReason;
}
