/**
 * From a chain to a plan: every target in the order to try it, every candidate with its rank and, where it is left out,
 * the reason and the time it comes back (P-1, P-4, P-5, P-7). Pure but for the turns it takes.
 */
import type { FailoverOptions } from '../failover/options.ts';
import type { Plan } from '../failover/plan-types.ts';
import { crossesModels, mayLeaveRestingModel } from '../failover/trigger.ts';
import type { Chain, ChainEntry } from '../request/chain.ts';
import { type BackingOff, type Draft, draftModel, type HealthReader, plannedModel } from './draft.ts';
import type { PlanCatalogue } from './plan-catalogue.ts';
import type { Rotation } from './rotation.ts';

export interface PlanContext {
  /** Monotonic ms. */
  readonly now: number;
  /** Wall ms at `now`, for `availableAt`. */
  readonly wall: number;
  /** Whose BYOK credentials may be used. */
  readonly workspace: string;
  readonly options: FailoverOptions;
  readonly rotation: Rotation;
}

/** Plans one request. The chain's models are known to be allowed (G-3 is checked when names are resolved). */
export function buildPlan(chain: Chain, catalogue: PlanCatalogue, board: HealthReader, context: PlanContext): Plan {
  const { now, wall, workspace, options, rotation } = context;
  const at = { now, wall, board, rotation };
  const drafts = chain.entries.map((entry) => draftModel(entry, catalogue.model(entry.model, workspace), at));
  letOneThrough(drafts, options);
  const ordered = healthyFirst(drafts, options);

  let rank = 0;
  for (const { rows } of ordered) for (const row of rows) row.rank = ++rank;
  const models = ordered.map(plannedModel);
  const candidates = ordered.length === 1 ? ordered[0]!.rows : ordered.flatMap(({ rows }) => rows);
  return { snapshotVersion: catalogue.version, models, candidates, explicit: chain.explicit };
}

/**
 * P-4: a cooldown without a stated wait never refuses a whole chain. If nothing the request could reach is left, the
 * target whose backoff ends soonest is planned after all, unless its channel's one call is out.
 */
function letOneThrough(drafts: readonly Draft[], options: FailoverOptions): void {
  let soonest: { draft: Draft; resting: BackingOff } | null = null;
  for (const [position, draft] of drafts.entries()) {
    if (position > 0 && !mayReach(options, draft.entry)) continue;
    if (draft.targets.length > 0) return;
    for (const resting of draft.backingOff) {
      if (!resting.busy && (soonest === null || resting.until < soonest.resting.until)) soonest = { draft, resting };
    }
    if (!mayLeaveRestingModel(options)) break;
  }
  if (soonest === null) return;
  const { row } = soonest.resting;
  row.skip = null;
  row.throughBackoff = true;
  soonest.draft.targets.push(row);
}

/**
 * P-5: a model all of whose circuits are open goes behind the models that have something else, where the request may
 * leave it for a server-side fault (D-1). Otherwise an outage would cost every request its timeout before the next
 * model is reached. The default model stays last.
 */
function healthyFirst(drafts: readonly Draft[], options: FailoverOptions): readonly Draft[] {
  if (!drafts.some(allOpen) || !mayPassOver(options)) return drafts;
  if (drafts.some(({ targets }) => targets.length === 0) && !mayLeaveRestingModel(options)) return drafts;
  const movable = (draft: Draft, position: number): boolean =>
    draft.entry.origin !== 'default_model' && (position === 0 || mayReach(options, draft.entry));
  const behind = drafts.filter((draft, position) => allOpen(draft) && movable(draft, position));
  const before = drafts.filter((draft, position) => !behind.includes(draft) && movable(draft, position));
  if (!before.some(({ targets }) => targets.length > 0)) return drafts;
  const rest = drafts.filter((draft) => !behind.includes(draft) && !before.includes(draft));
  return [...before, ...behind, ...rest];
}

function allOpen({ targets, open }: Draft): boolean {
  return targets.length > 0 && open === targets.length;
}

/** Under `strict` only models that the request itself or a virtual model names may follow (D-1). */
function mayReach(options: FailoverOptions, { origin }: ChainEntry): boolean {
  return options.policy !== 'strict' || origin === 'request' || origin === 'virtual';
}

/** Whether a server-side fault, which is what opens circuits, would lead this request to another model (D-1). */
function mayPassOver(options: FailoverOptions): boolean {
  return (
    crossesModels(options) && options.on.has('server_error') && options.table.server_error.steps.includes('next_model')
  );
}
