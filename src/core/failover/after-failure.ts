/** What comes after a failed attempt or a refused target: follow the row's steps, within D-1 and the budgets. */
import type { Failure } from '../failure.ts';
import { repeatWait, statedWait } from './backoff.ts';
import { affordable, type BudgetName, budgetSpent, roomUsedUp, waitFitsDeadline } from './budget.ts';
import { budgetWords, nextWords, pastDeadline, repeatsMade, staysOnModel, tooLongWait } from './explain.ts';
import { guardrailFailure } from './guardrail-failure.ts';
import type { Decision, EngineEvent, FailoverState, PastAttempt, Verdict } from './machine.ts';
import { leaveModel, leaveTarget, type Search, searchModel, searchModels, skipSiblings } from './next-target.ts';
import { type Place, placeOf } from './open-targets.ts';
import type { Step } from './policy.ts';
import { type Reading, readRow } from './row.ts';
import { mayLeaveModel } from './trigger.ts';

/** What to do next; `words` are the parts of the explanation after what failed. */
export type Choice = { readonly words: readonly string[] } & (
  | { readonly kind: 'repeat'; readonly place: Place; readonly waitMs: number }
  | { readonly kind: 'move'; readonly place: Place }
  | { readonly kind: 'end'; readonly verdict: Verdict }
);

export interface Chosen {
  readonly state: FailoverState;
  readonly choice: Choice;
}

/** One failure with its place and row, while its steps are walked. */
interface Walk {
  readonly event: EngineEvent;
  readonly failure: Failure;
  readonly failed: Place;
  readonly reading: Reading;
}

/** One step's answer: a way on, or why not. */
interface Tried {
  readonly state: FailoverState;
  readonly choice: Choice | null;
  readonly note: string;
  /** The budget without which there would have been a way. */
  readonly budget: BudgetName | null;
}

const REST = { note: '', budget: null } as const;

function tryRepeat(state: FailoverState, walk: Walk): Tried {
  const { failure, failed, reading, event } = walk;
  const rank = failed.target.rank;
  const made = state.repeats.get(rank) ?? 0;
  const no = (note: string, budget: BudgetName | null = null): Tried => ({ state, choice: null, note, budget });
  if (state.barred.has(rank)) return no('');
  if (failure.shouldRetry === false) return no('the upstream forbids a retry');
  if (made >= reading.repeatLimit) return no(repeatsMade(made));
  if (!affordable(state, failed.target)) return no('', 'cost');
  const { options } = state;
  const limits = { maxWaitMs: options.maxWaitMs, repeatsMade: made, random: event.random };
  const waitMs = repeatWait(failure, options.backoff, limits);
  if (waitMs === null) return no(tooLongWait(statedWait(failure) ?? 0, options));
  if (!waitFitsDeadline(state, event.now, waitMs)) return no(pastDeadline(waitMs), 'deadline');
  const words = [nextWords('retry', waitMs)];
  return { ...REST, state, choice: { kind: 'repeat', place: failed, waitMs, words } };
}

function moved(search: Search, decision: Decision): Tried {
  const { state, found, tooDear } = search;
  if (found === null) return { ...REST, state, choice: null, budget: tooDear ? 'cost' : null };
  return { ...REST, state, choice: { kind: 'move', place: found, words: [nextWords(decision, null)] } };
}

function tryInModel(state: FailoverState, walk: Walk, step: Step): Tried {
  const { failed, reading } = walk;
  const search = searchModel(state, failed, step);
  if (search.found === null && step !== 'next_channel_larger') return moved(search, 'stop');
  const left = leaveTarget(search.state, failed, step, reading.steps);
  return moved({ ...search, state: left }, step === 'next_credential' ? 'next_credential' : 'next_channel');
}

function tryNextModel(state: FailoverState, walk: Walk, step: Step): Tried {
  const { failure, failed } = walk;
  const from = failed.modelPos + 1;
  if (!mayLeaveModel(state.options, failure)) {
    const note = from < state.plan.models.length ? staysOnModel(state.options, failure) : '';
    return { state, choice: null, note, budget: null };
  }
  const search = searchModels(state, from, step === 'next_model_larger');
  if (search.found === null) return moved(search, 'stop');
  const left = leaveModel(search.state, failed.modelPos, search.found.modelPos);
  return moved({ ...search, state: left }, 'next_model');
}

function tryStep(state: FailoverState, walk: Walk, step: Step): Tried {
  switch (step) {
    case 'retry':
    case 'wait_retry':
      return tryRepeat(state, walk);
    case 'next_credential':
    case 'next_channel':
    case 'next_channel_larger':
      return tryInModel(state, walk, step);
    case 'next_model':
    case 'next_model_larger':
      return tryNextModel(state, walk, step);
    case 'alert':
    case 'stop':
      return { ...REST, state, choice: null };
  }
}

function end(verdict: Verdict, words: string): Choice {
  return { kind: 'end', verdict, words: [words] };
}

/** The row's last word when no step leads on. A way that only a budget closed comes before the row's "stop" (D-4). */
function endOf(state: FailoverState, walk: Walk, attempt: number, budget: BudgetName | null): Choice {
  const { failure, reading } = walk;
  if (budget !== null) return end({ kind: 'retry_exhausted', budget }, budgetWords(state, budget));
  const forbidden = forbiddenModel(state);
  if (forbidden !== null) return forbidden;
  if (!reading.steps.includes('stop')) return end(exhausted(state), 'nothing left to try');
  if (reading.row !== 'maybe_executed') {
    return end({ kind: 'stopped', failure, attempt }, `stop by policy ${state.options.policy}`);
  }
  return end({ kind: 'outcome_unknown', failure, attempt }, 'stop: not repeated without an idempotency key');
}

function exhausted(state: FailoverState): Verdict {
  return { kind: 'exhausted', retryBudgetExhausted: state.retryBudgetRefused };
}

/** The model whose turn it would be is denied by a guardrail: 403 at its turn, and stop (G-2). */
function forbiddenModel(state: FailoverState): Choice | null {
  if (state.skippedModels.at(-1)?.reason !== 'guardrail') return null;
  const failure = guardrailFailure();
  return end({ kind: 'stopped', failure, attempt: null }, 'stop: the next model is blocked by guardrail policy');
}

/** The steps in order: the first that leads on, unless room must be kept for later models (D-4). */
function walkSteps(start: FailoverState, walk: Walk, attempt: number): Chosen {
  const { failed, reading, event } = walk;
  const over = budgetSpent(start, event.now);
  const notes = hintNote(start, walk.failure);
  let state = start;
  let budget: BudgetName | null = null;
  let kept: Chosen | null = null;
  for (const step of reading.steps) {
    const tried = tryStep(state, walk, step);
    if (tried.note !== '' && !notes.includes(tried.note)) notes.push(tried.note);
    budget ??= tried.budget;
    if (tried.choice === null) {
      state = tried.state;
      continue;
    }
    if (over !== null) return { state, choice: withNotes(notes, endOf(state, walk, attempt, over)) };
    if (!isModelStep(step) && roomUsedUp(state, failed.modelPos)) {
      kept ??= { state: tried.state, choice: withNotes(notes, tried.choice) };
      continue;
    }
    const why = kept === null ? notes : [...notes, 'the attempts left are kept for later models'];
    return { state: tried.state, choice: withNotes(why, tried.choice) };
  }
  return kept ?? { state, choice: withNotes(notes, endOf(state, walk, attempt, budget)) };
}

/** A stated wait that is too long is worth telling whatever comes next. */
function hintNote(state: FailoverState, failure: Failure): string[] {
  const wait = statedWait(failure);
  return wait !== null && wait > state.options.maxWaitMs ? [tooLongWait(wait, state.options)] : [];
}

function withNotes(notes: readonly string[], choice: Choice): Choice {
  return { ...choice, words: [...notes, ...choice.words] };
}

function isModelStep(step: Step): boolean {
  return step === 'next_model' || step === 'next_model_larger';
}

/** What the row of `cause` says, given what has been tried, refused and spent since. */
export function afterFailure(state: FailoverState, cause: PastAttempt, event: EngineEvent): Chosen {
  const failed = placeOf(state, cause.rank);
  const failure = cause.failure;
  if (failed === null || failure === null) return { state, choice: end(exhausted(state), 'nothing left to try') };
  const reading = readRow(state, failure);
  // D-2: the endpoint is at fault, not the key, so even a repeat that fails otherwise finds the other keys skipped.
  const start = failure.scope === 'channel' ? skipSiblings(state, failed, reading.steps) : state;
  return walkSteps(start, { event, failure, failed, reading }, cause.no);
}

/**
 * The first target of a model just entered, at the start of the request or after its first targets were refused.
 * Nothing failed in it, so only places and budgets decide.
 */
export function enterModels(start: FailoverState, event: EngineEvent): Chosen {
  const { state, found, tooDear } = searchModels(start, start.modelPos, false);
  const over = found === null ? null : budgetSpent(state, event.now);
  const budget = over ?? (found === null && tooDear ? 'cost' : null);
  if (budget !== null) return { state, choice: end({ kind: 'retry_exhausted', budget }, budgetWords(state, budget)) };
  if (found !== null) {
    const left = leaveModel(state, start.modelPos, found.modelPos);
    return { state: left, choice: { kind: 'move', place: found, words: [] } };
  }
  const verdict: Verdict = state.history.length === 0 ? { kind: 'all_resting' } : exhausted(state);
  return { state, choice: forbiddenModel(state) ?? end(verdict, 'nothing left to try') };
}
