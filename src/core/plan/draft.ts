/** One model of the chain while the plan is made: its candidates with how they stand, still without ranks. */
import type { Candidate, PlannedModel, PlannedTarget, SkipReason } from '../failover/plan-types.ts';
import type { HealthKeys } from '../health/keys.ts';
import type { Standing } from '../health/standing.ts';
import type { ChainEntry } from '../request/chain.ts';
import type { CallableModel, CallableTarget } from './plan-catalogue.ts';
import type { Rotation } from './rotation.ts';

/** What the plan asks of the health board. */
export interface HealthReader {
  standing(keys: HealthKeys, now: number): Standing;
}

/** A candidate and, if it is to be tried, the planned target: one object, ranked last. */
export interface Row extends Candidate, PlannedTarget {
  rank: number;
  skip: Candidate['skip'];
  throughOpenCircuit: boolean;
  throughBackoff: boolean;
}

/** A candidate that rests without a stated wait (P-4). */
export interface BackingOff {
  readonly row: Row;
  /** Monotonic ms. */
  readonly until: number;
  /** The channel's one call is out already. */
  readonly busy: boolean;
}

export interface Draft {
  readonly entry: ChainEntry;
  readonly callable: CallableModel;
  /** All candidates in order of preference, open circuits behind the others (P-5). */
  readonly rows: Row[];
  /** Those to be tried, in the same order; the same array while nothing is left out. */
  targets: Row[];
  /** How many of `targets` stand behind an open circuit. */
  open: number;
  readonly backingOff: BackingOff[];
}

export interface DraftContext {
  readonly now: number;
  readonly wall: number;
  readonly board: HealthReader;
  readonly rotation: Rotation;
}

/** Candidates of one model in P-1's order, each asked how it stands. */
export function draftModel(entry: ChainEntry, callable: CallableModel, context: DraftContext): Draft {
  const rows: Row[] = [];
  const draft: Draft = { entry, callable, rows, targets: rows, open: 0, backingOff: [] };
  const behind: Row[] = [];
  for (const { channel, groups, rotates } of callable.channels) {
    const turn = rotates ? context.rotation.next(channel) : 0;
    for (const group of groups) {
      const first = group.length === 1 ? 0 : turn % group.length;
      for (let i = 0; i < group.length; i++) {
        place(draft, behind, group[(first + i) % group.length]!, context);
      }
    }
  }
  for (const row of behind) keep(draft, row);
  draft.open = behind.length;
  return draft;
}

function place(draft: Draft, behind: Row[], callable: CallableTarget, context: DraftContext): void {
  const standing = context.board.standing(callable.keys, context.now);
  const row: Row = {
    rank: 0,
    target: callable.target,
    skip: null,
    contextWindow: callable.contextWindow,
    throughOpenCircuit: false,
    throughBackoff: false,
  };
  switch (standing.state) {
    case 'ok':
      break;
    case 'half_open':
      // The probe's chance: it keeps its place. While one is out, others go elsewhere first.
      if (!standing.probeInFlight) break;
      row.throughOpenCircuit = true;
      behind.push(row);
      return;
    case 'open':
      row.throughOpenCircuit = true;
      behind.push(row);
      return;
    case 'cooling':
    case 'drained':
      leaveOut(draft, row, standing, context);
      return;
  }
  keep(draft, row);
}

function keep({ rows, targets }: Draft, row: Row): void {
  rows.push(row);
  if (targets !== rows) targets.push(row);
}

function leaveOut(draft: Draft, row: Row, { reason, until, backoffCallInFlight }: Standing, at: DraftContext): void {
  row.skip = { reason: reason!, availableAt: until === null ? null : Math.ceil(at.wall + until - at.now) };
  if (draft.targets === draft.rows) draft.targets = draft.rows.slice();
  draft.rows.push(row);
  if (reason === 'cooling_backoff' && until !== null) {
    draft.backingOff.push({ row, until, busy: backoffCallInFlight });
  }
}

/** The model as planned, once its rows have ranks. */
export function plannedModel({ entry, callable, rows, targets }: Draft): PlannedModel {
  let contextWindow: number | null = null;
  for (const { contextWindow: window } of targets) {
    if (window !== null && (contextWindow === null || window > contextWindow)) contextWindow = window;
  }
  return {
    model: entry.model,
    name: entry.name,
    targets,
    timeoutMs: entry.timeoutMs,
    firstTokenTimeoutMs: entry.firstTokenTimeoutMs,
    reasons: callable.reasons,
    contextWindow,
    skipped: targets.length > 0 ? null : whySkipped(rows),
    origin: entry.origin,
  };
}

/** One word for a model whose candidates are all left out: theirs if they agree, else a rate limit's (P-4). */
function whySkipped(rows: readonly Row[]): NonNullable<PlannedModel['skipped']> {
  // No credential this workspace may use: for the client the same as credentials that are refused.
  if (rows.length === 0) return { reason: 'cooling_auth', availableAt: null };
  const reasons = new Set<SkipReason>();
  let soonest: number | null = null;
  for (const { skip } of rows) {
    if (skip === null) continue;
    reasons.add(skip.reason);
    if (skip.availableAt !== null && (soonest === null || skip.availableAt < soonest)) soonest = skip.availableAt;
  }
  const [only] = reasons;
  return { reason: reasons.size === 1 && only !== undefined ? only : 'cooling_rate_limit', availableAt: soonest };
}
