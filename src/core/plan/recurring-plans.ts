/**
 * Plans that come again. While nothing rests, request after request of a chain gets an equal plan; it is then one object,
 * so that what is worked out from a plan, such as its stored form, is worked out once.
 */
import type { Candidate, Plan, PlannedModel, PlannedTarget } from '../failover/plan-types.ts';

/** Plans remembered; past that the longest unused are forgotten. */
const REMEMBERED = 256;
/** Comparing more candidates costs more than it saves. */
const MOST_CANDIDATES = 64;

type Row = Candidate & Partial<PlannedTarget>;

/** For the plans of one snapshot: their targets are the catalogue's own objects. */
export class RecurringPlans {
  /** By channel and credential of the first candidate: chains that begin alike, in whatever order, take turns. */
  readonly #last = new Map<number, Plan>();

  /** The plan of an earlier request that says the very same; null = there is none, and this one is remembered. */
  find(plan: Plan): Plan | null {
    const first = plan.candidates[0];
    if (first === undefined || plan.candidates.length > MOST_CANDIDATES) return null;
    const key = first.target.channel * 65_536 + (first.target.credential ?? 65_535);
    const known = this.#last.get(key);
    if (known !== undefined && isSame(known, plan)) return known;
    // What is passing (a rest, a price of this request) does not come again.
    if (!plan.candidates.every(isPlain)) return null;
    this.#last.delete(key);
    this.#last.set(key, plan);
    if (this.#last.size > REMEMBERED) this.#last.delete(this.#last.keys().next().value!);
    return null;
  }
}

function isSame(a: Plan, b: Plan): boolean {
  if (a.explicit !== b.explicit || a.models.length !== b.models.length) return false;
  if (a.candidates.length !== b.candidates.length || a.snapshotVersion !== b.snapshotVersion) return false;
  for (let i = 0; i < a.models.length; i++) if (!isSameModel(a.models[i]!, b.models[i]!)) return false;
  // Of the remembered one all rows are plain.
  for (let i = 0; i < a.candidates.length; i++) {
    if (a.candidates[i]!.target !== b.candidates[i]!.target || !isPlain(b.candidates[i]!)) return false;
  }
  return true;
}

/** Its candidates are compared apart; the rest of what a model says comes from the snapshot. */
function isSameModel(a: PlannedModel, b: PlannedModel): boolean {
  return (
    a.model === b.model &&
    a.name === b.name &&
    a.timeoutMs === b.timeoutMs &&
    a.firstTokenTimeoutMs === b.firstTokenTimeoutMs &&
    a.origin === b.origin &&
    a.targets.length === b.targets.length
  );
}

/** It says nothing but what its target says. */
function isPlain(row: Row): boolean {
  return (
    row.skip === null && row.throughOpenCircuit !== true && row.throughBackoff !== true && row.worstCost === undefined
  );
}
