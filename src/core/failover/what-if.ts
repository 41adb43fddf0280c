/**
 * What a recorded run would have done under another decision table: the run as it was and the other one get the same
 * events, one after the other. What happened is valid for both only until their first difference: what the other call
 * would have come to is nobody's knowledge, so nothing is said beyond it. Pure.
 */
import { finalError } from '../errors/final-error.ts';
import type { FailureClass } from '../failure.ts';
import { decide, initialState, type RunSetup } from './decide.ts';
import { NO_TOKEN } from './hedge.ts';
import type { Decision, EngineAction, EngineEvent, FailoverState } from './machine.ts';
import type { FailoverOptions } from './options.ts';
import type { PolicyCell, PolicyName, PolicyRow, PolicyTable } from './policy.ts';
import { readRow } from './row.ts';
import { ShiftedLimits } from './shifted-limits.ts';

/** The table to judge. */
export interface OtherTable {
  /** Null = each run keeps the policy it ran under. */
  readonly policy: { readonly name: PolicyName; readonly table: PolicyTable } | null;
  /** Laid over the policy's table; rows that are not named stay. */
  readonly cells: Readonly<Partial<Record<PolicyRow, PolicyCell>>>;
}

export const COURSES = ['retry', 'next_credential', 'next_channel', 'next_model', 'stop', 'hedge', 'no_hedge'] as const;

/** What was done next: a decision, or whether a second call was begun beside the first (D-8). */
export type Course = (typeof COURSES)[number];

/** The first decision in which both differ. */
export interface Divergence {
  readonly kind: 'changed';
  /** What had failed; null = nothing: models that rest were passed, or not (P-4). */
  readonly class: FailureClass | null;
  /** The row of the table that was read for it. */
  readonly row: PolicyRow | null;
  readonly was: Course;
  readonly would: Course;
  /** Attempts of this number and later ones came after it. */
  readonly nextAttempt: number;
}

export type WhatIf =
  | { readonly kind: 'same' }
  /** The same course to the same end, and another error for its client. */
  | { readonly kind: 'other_error' }
  /** The same decisions, but a call would have had another time limit than the one its end was seen under. */
  | { readonly kind: 'undecided' }
  | Divergence;

export interface Judged {
  readonly result: WhatIf;
  /** What the recorded run decided after each attempt, by its number: the record must say the same. */
  readonly decisions: ReadonlyMap<number, Decision>;
}

const SAME: WhatIf = { kind: 'same' };
const OTHER_ERROR: WhatIf = { kind: 'other_error' };
const UNDECIDED: WhatIf = { kind: 'undecided' };

/** The options as that table would have given them. */
export function optionsUnder(options: FailoverOptions, { policy, cells }: OtherTable): FailoverOptions {
  const base = policy?.table ?? options.table;
  return { ...options, policy: policy?.name ?? options.policy, table: { ...base, ...cells } };
}

/** Runs a record again, as it was and under the other table, until they part. */
export function whatIf(setup: RunSetup, events: Iterable<EngineEvent>, other: OtherTable): Judged {
  let was = initialState(setup);
  let would = initialState({ ...setup, options: optionsUnder(setup.options, other) });
  let result: WhatIf | null = null;
  const limits = new ShiftedLimits();
  const decisions = new Map<number, Decision>();
  for (const event of events) {
    const step = decide(was, event);
    if (result === null && limits.unsettles(event)) result = UNDECIDED;
    if (result === null) {
      const otherStep = decide(would, event);
      if (!isSame(step.actions, otherStep.actions)) {
        result = divergence({ before: was, after: step.state }, event, step.actions, otherStep.actions);
      }
      limits.compare(event.now, step.actions, otherStep.actions);
      would = otherStep.state;
    }
    was = step.state;
    for (const action of step.actions) if (action.type === 'explain') decisions.set(action.attempt, action.decision);
  }
  return { result: result ?? (errorOf(was) === errorOf(would) ? SAME : OTHER_ERROR), decisions };
}

function isSame(actions: readonly EngineAction[], others: readonly EngineAction[]): boolean {
  const done = actions.flatMap(whatItDoes);
  const otherwise = others.flatMap(whatItDoes);
  return done.length === otherwise.length && done.every((one, index) => one === otherwise[index]);
}

/** What an action does to calls and clients; words and alerts do nothing to them, limits are looked at apart. */
function whatItDoes(action: EngineAction): readonly string[] {
  switch (action.type) {
    case 'explain':
    case 'alert':
      return [];
    case 'finish':
      return [`finish ${action.verdict.kind === 'served'}`];
    case 'admit-attempt':
      return [`admit ${action.attempt} ${action.rank} ${action.role} ${action.insist} ${action.extendTo}`];
    case 'start-attempt':
      return [`start ${action.attempt} ${action.rank} ${action.extendTo} ${action.bare}`];
    case 'wait':
    case 'arm-hedge':
      return [`${action.type} ${action.ms}`];
    default:
      return [`${action.type} ${action.attempt}`];
  }
}

function divergence(
  { before, after }: { readonly before: FailoverState; readonly after: FailoverState },
  event: EngineEvent,
  actions: readonly EngineAction[],
  others: readonly EngineAction[],
): Divergence {
  const isHedge = event.type === 'hedge-due';
  const failure = isHedge ? NO_TOKEN : (after.history.findLast(({ result }) => result === 'failed')?.failure ?? null);
  return {
    kind: 'changed',
    class: failure?.class ?? null,
    row: failure === null ? null : readRow(before, failure).row,
    was: courseOf(actions, isHedge),
    would: courseOf(others, isHedge),
    nextAttempt: before.nextAttemptNo,
  };
}

/** What was decided: the first explanation is that of the attempt in question; where none is, what was done tells. */
function courseOf(actions: readonly EngineAction[], isHedge: boolean): Course {
  if (isHedge) return actions.some(({ type }) => type === 'admit-attempt') ? 'hedge' : 'no_hedge';
  const said = actions.find((action) => action.type === 'explain')?.decision;
  if (said !== undefined && said !== 'serve') return said;
  return actions.some(({ type }) => type === 'finish') ? 'stop' : 'next_model';
}

/** The code of the error its client got; null = none, or the run has no end. */
function errorOf(state: FailoverState): string | null {
  const { verdict } = state;
  if (verdict === null || verdict.kind === 'served' || verdict.kind === 'client_closed') return null;
  const { code, status } = finalError(state, { wallNow: state.at.wall });
  return `${status} ${code}`;
}
