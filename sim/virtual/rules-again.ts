/** The rules of the invariants in their own words: how two targets lie to each other, what opens another model. */
import type { Decision, FailoverState } from '../../src/core/failover/machine.ts';
import type { PlannedTarget } from '../../src/core/failover/plan-types.ts';
import { CLASS_TRIGGER, type Failure, type OnEntry } from '../../src/core/failure.ts';

export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

export function targetOf(state: FailoverState, rank: number): PlannedTarget {
  const target = state.plan.models.flatMap(({ targets }) => targets).find((planned) => planned.rank === rank);
  check(target !== undefined, `rank ${rank} is in the plan`);
  return target;
}

export function relation(from: PlannedTarget, to: PlannedTarget): Decision {
  if (from.rank === to.rank) return 'retry';
  if (from.target.model !== to.target.model) return 'next_model';
  return from.target.channel === to.target.channel ? 'next_credential' : 'next_channel';
}

/** One server: the same channel, and neither's credential brings an address of its own (G-9). */
export function sameServer(a: PlannedTarget, b: PlannedTarget): boolean {
  return a.target.channel === b.target.channel && (a.rank === b.rank || (!a.ownAddress && !b.ownAddress));
}

const OPT_IN: Readonly<Record<string, OnEntry>> = {
  auth: 'auth',
  permission: 'auth',
  model_not_found: 'model_not_found',
  context_length: 'context_length',
  content_policy: 'content_policy',
  empty: 'empty',
};

export function opens(failure: Failure, { options }: FailoverState): boolean {
  const word = OPT_IN[failure.class];
  if (word !== undefined && options.on.has(word)) return true;
  if (failure.triggers.some((trigger) => options.on.has(trigger))) return true;
  if (failure.connectTimeout && options.on.has('connection_error')) return true;
  return CLASS_TRIGGER[failure.class] === null && !options.onSent && options.policy === 'permissive';
}
