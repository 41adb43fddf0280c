/** What health changes about the models of a chain: their order (P-5), and that not all of them may be refused (P-4). */
import { isResting } from '../failover/next-target.ts';
import type { FailoverOptions } from '../failover/options.ts';
import { crossesModels, mayLeaveRestingModel } from '../failover/trigger.ts';
import type { ChainEntry } from '../request/chain.ts';
import type { BackingOff, Draft } from './draft.ts';
import { whySkipped } from './skipped-model.ts';

/**
 * P-4: a cooldown without a stated wait never refuses a whole chain. If nothing the request could reach is left, the
 * target whose backoff ends soonest is planned after all, unless its channel's one call is out.
 */
export function letOneThrough(drafts: readonly Draft[], options: FailoverOptions): void {
  let soonest: { draft: Draft; resting: BackingOff } | null = null;
  for (const [position, draft] of drafts.entries()) {
    if (position > 0 && !mayReach(options, draft.entry)) continue;
    if (draft.targets.length > 0) return;
    for (const resting of draft.backingOff) {
      if (!resting.busy && (soonest === null || resting.until < soonest.resting.until)) soonest = { draft, resting };
    }
    if (!mayPass(draft, options)) break;
  }
  if (soonest === null) return;
  const { row } = soonest.resting;
  row.skip = null;
  row.throughBackoff = true;
  soonest.draft.targets.push(row);
}

/** Whether the request may go on past a model of which nothing can be called. Past a forbidden one never (G-2). */
function mayPass({ rows }: Draft, options: FailoverOptions): boolean {
  const { reason } = whySkipped(rows);
  if (reason === 'guardrail') return false;
  return isResting(reason) ? mayLeaveRestingModel(options) : crossesModels(options);
}

/**
 * P-5: a model all of whose circuits are open goes behind the models that have something else, where the request may
 * leave it for a server-side fault (D-1). Otherwise an outage would cost every request its timeout before the next
 * model is reached. The default model stays last, and what follows a forbidden model is not reached at all (G-2).
 */
export function healthyFirst(drafts: readonly Draft[], options: FailoverOptions): readonly Draft[] {
  if (!drafts.some(allOpen) || !mayPassOver(options)) return drafts;
  if (drafts.some(({ targets }) => targets.length === 0) && !mayLeaveRestingModel(options)) return drafts;
  const forbidden = drafts.findIndex(isForbidden);
  const end = forbidden === -1 ? drafts.length : forbidden;
  const movable = (draft: Draft, position: number): boolean =>
    position < end && draft.entry.origin !== 'default_model' && (position === 0 || mayReach(options, draft.entry));
  const behind = drafts.filter((draft, position) => allOpen(draft) && movable(draft, position));
  const before = drafts.filter((draft, position) => !behind.includes(draft) && movable(draft, position));
  if (!before.some(({ targets }) => targets.length > 0)) return drafts;
  const rest = drafts.filter((draft) => !behind.includes(draft) && !before.includes(draft));
  return [...before, ...behind, ...rest];
}

function allOpen({ targets, open }: Draft): boolean {
  return targets.length > 0 && open === targets.length;
}

function isForbidden({ rows, targets }: Draft): boolean {
  return targets.length === 0 && whySkipped(rows).reason === 'guardrail';
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
