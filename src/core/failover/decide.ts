/**
 * The failover engine: `decide(state, event) → { state, actions }`. Pure and total: time and chance come inside the
 * events, an event that means nothing in a state changes nothing. Every start is two-phase: `admit-attempt`, then
 * `admitted` or `refused`, then `start-attempt`.
 */
import { type Failure, makeFailure } from '../failure.ts';
import type { NanoUsd } from '../usage/usage.ts';
import { bareAgain } from './bare.ts';
import { budgetSpent } from './budget.ts';
import { cancelOthers, commit, endAttempt, finish } from './ending.ts';
import { budgetWords, refusedWith, sentence, whatFailed } from './explain.ts';
import { extend, heldAnswer, serveHeld, serveOneOf } from './extend.ts';
import { admit, finishAfter, goOn, isHealth } from './go-on.ts';
import { besides, hedge, hedgeRefused } from './hedge.ts';
import type {
  EngineAction,
  EngineEvent,
  FailoverState,
  LiveAttempt,
  PastAttempt,
  RefusalReason,
  Step,
} from './machine.ts';
import { skipSiblings } from './next-target.ts';
import { markSpent, placeOf } from './open-targets.ts';
import type { SkipReason } from './plan-types.ts';
import type { Step as PolicyStep } from './policy.ts';
import { readRow } from './row.ts';
import { startAttempt } from './start.ts';

export { initialState, type RunSetup } from './begin.ts';

type EventOf<T extends EngineEvent['type']> = Extract<EngineEvent, { readonly type: T }>;

/** One event in, what to do about it out. */
export function decide(before: FailoverState, event: EngineEvent): Step {
  const ignored: Step = { state: before, actions: [] };
  if (before.phase === 'done') return ignored;
  const state: FailoverState = { ...before, at: { now: event.now, wall: event.wall } };
  switch (event.type) {
    case 'begin':
      return before.phase === 'planned' ? goOn(state, event, null) : ignored;
    case 'client-gone':
      return event.detach ? ignored : clientGone(state);
    case 'wait-elapsed':
      return before.phase === 'waiting' ? repeatNow(state, event) : ignored;
    case 'hedge-due':
      return hedge(state, event) ?? ignored;
    case 'admitted':
    case 'refused':
      return answered(state, event) ?? ignored;
    default:
      return reported(state, event) ?? ignored;
  }
}

function liveOf(state: FailoverState, attempt: number): LiveAttempt | undefined {
  return state.live.find((live) => live.no === attempt);
}

/** What became of an admission. */
function answered(state: FailoverState, event: EventOf<'admitted' | 'refused'>): Step | null {
  const live = liveOf(state, event.attempt);
  if (live?.state !== 'admitting') return null;
  return event.type === 'admitted' ? admitted(state, live, event) : refused(state, live, event);
}

/** What an attempt reports of itself. */
function reported(
  state: FailoverState,
  event: EventOf<'attempt-ready' | 'attempt-failed' | 'attempt-completed' | 'attempt-interrupted'>,
): Step | null {
  const live = liveOf(state, event.attempt);
  if (live === undefined || live.state === 'admitting' || live.state === 'held') return null;
  const committed = live.state === 'committed';
  switch (event.type) {
    case 'attempt-ready':
      return committed ? null : ready(state, live, event);
    case 'attempt-completed':
      return committed ? completed(state, live, event.cost) : null;
    case 'attempt-failed':
    case 'attempt-interrupted':
      return committed
        ? interrupted(state, live, event.failure, event.cost)
        : failed(state, live, event.failure, event.cost, event);
  }
}

// --- starting ---

function admitted(state: FailoverState, live: LiveAttempt, event: EngineEvent): Step {
  const place = placeOf(state, live.rank);
  if (place === null || budgetSpent(state, event.now) === 'deadline') {
    const without = { ...state, live: state.live.filter((other) => other !== live) };
    const held = heldAnswer(without);
    if (held !== undefined) return commit(without, held.no);
    if (without.live.length > 0) return { state: without, actions: [] };
    return finishAfter(without, { kind: 'retry_exhausted', budget: 'deadline' }, [budgetWords(state, 'deadline')]);
  }
  // What it was to run beside has failed meanwhile: that one's row says what comes next, this target or another.
  if (live.role === 'hedge' && state.live.length === 1) return goOn({ ...state, live: [] }, event, null);
  return startAttempt(state, live, place, event.now);
}

function repeatNow(state: FailoverState, event: EngineEvent): Step {
  const place = state.pending === null ? null : placeOf(state, state.pending.rank);
  const budget = budgetSpent(state, event.now);
  if (place !== null && budget === null) return admit(state, place, 'retry');
  const spent = budget ?? 'deadline';
  return finishAfter(state, { kind: 'retry_exhausted', budget: spent }, [budgetWords(state, spent)]);
}

/** A refused admission counts as no attempt: the same row goes on without that target. */
function refused(before: FailoverState, live: LiveAttempt, event: EventOf<'refused'>): Step {
  const { reason, availableAt } = event;
  const noted: FailoverState = {
    ...before,
    live: before.live.filter((other) => other !== live),
    refusals: before.refusals.with({ rank: live.rank, modelPos: live.modelPos, reason, availableAt }),
    retryBudgetRefused: before.retryBudgetRefused || reason === 'retry_budget',
  };
  const held = heldAnswer(noted);
  if (held !== undefined) return commit(noted, held.no);
  // Made again beside another attempt: that one runs on.
  if (live.role === 'bare' && noted.live.length > 0) return { state: noted, actions: [] };
  const place = placeOf(noted, live.rank);
  const note = place === null ? '' : refusedWith(place.target, reason);
  // Refused for good beside a running attempt: at its own turn it may be told so, now it is only not tried.
  if (live.role === 'hedge' && event.failure !== null) return hedgeRefused(noted, event, note);
  if (event.failure !== null) {
    const stop = { kind: 'stopped', failure: event.failure, attempt: null } as const;
    return finishAfter(withoutTarget(noted, live, reason), stop, [`stop: ${whatFailed(event.failure)}`]);
  }
  const state = withoutTarget(noted, live, reason);
  return live.role === 'hedge' ? hedgeRefused(state, event, note) : goOn(state, event, note);
}

function withoutTarget(state: FailoverState, live: LiveAttempt, reason: RefusalReason): FailoverState {
  // It has been tried: refused once more it stays so, and the row of what it had failed by decides.
  if (live.role === 'bare') return state;
  if (live.role === 'retry') return { ...state, barred: new Set([...state.barred, live.rank]) };
  const place = placeOf(state, live.rank);
  if (place === null) return state;
  return markSpent(state, place.modelPos, [place.target], whyOut(state, live.rank, reason));
}

/** The reason that goes into the trace. */
function whyOut({ spent }: FailoverState, rank: number, reason: RefusalReason): SkipReason {
  // The budget speaks of the channel that just failed.
  if (reason === 'retry_budget') return 'channel_fault';
  // Health was set aside for it already (P-5): it is not asked a third time.
  return isHealth(spent.get(rank)) && isHealth(reason) ? 'limit' : reason;
}

// --- ending ---

/** F-5: a refusal, a filtered or an empty answer is served unless `on` names its class. */
function ready(state: FailoverState, live: LiveAttempt, event: EventOf<'attempt-ready'>): Step {
  const { on } = state.options;
  const unwanted = event.content === 'empty' ? 'empty' : 'content_policy';
  if (event.content === 'content' || !on.has(unwanted)) return answers(state, live, event);
  const failure = event.failure ?? makeFailure({ class: unwanted, status: 200, message: '', phase: 'body' });
  const step = failed(state, live, failure, undefined, event);
  return { ...step, actions: [{ type: 'abort-attempt', attempt: live.no, why: 'rejected' }, ...step.actions] };
}

/** The answer will do: it is served, unless a longer one is asked for or waits for it (D-5). */
function answers(state: FailoverState, live: LiveAttempt, event: EventOf<'attempt-ready'>): Step {
  const held = heldAnswer(state);
  if (held !== undefined) return serveOneOf(state, held, live, event.cut);
  return extend(state, live, event.cut, event) ?? commit(state, live.no);
}

function completed(before: FailoverState, live: LiveAttempt, cost: NanoUsd | undefined): Step {
  const { state } = endAttempt(before, live, { result: 'served', failure: null, cost });
  const reason = live.cut === undefined || live.role === 'extend' ? 'answer complete' : 'answer cut by its length';
  const explain: EngineAction = { type: 'explain', attempt: live.no, decision: 'serve', reason };
  const end = finish(state, { kind: 'served', attempt: live.no });
  return { state: end.state, actions: [explain, ...end.actions] };
}

/** T-4: after commit nothing may follow. */
function interrupted(before: FailoverState, live: LiveAttempt, failure: Failure, cost: NanoUsd | undefined): Step {
  const { state } = endAttempt(before, live, { result: 'interrupted', failure, cost });
  const reason = sentence([whatFailed(failure), 'stop: content was already sent']);
  const explain: EngineAction = { type: 'explain', attempt: live.no, decision: 'stop', reason };
  const end = finish(state, { kind: 'interrupted', attempt: live.no, failure });
  return { state: end.state, actions: [explain, ...end.actions] };
}

function clientGone(before: FailoverState): Step {
  const { state, actions } = cancelOthers(before, null, 'client_closed', 'client went away; stop');
  const end = finish(state, { kind: 'client_closed' });
  return { state: end.state, actions: [...actions, ...end.actions] };
}

function failed(
  before: FailoverState,
  live: LiveAttempt,
  failure: Failure,
  cost: NanoUsd | undefined,
  event: EngineEvent,
): Step {
  const held = heldAnswer(before);
  if (held !== undefined) return serveHeld(before, held, live, failure, cost);
  if (event.type === 'attempt-failed' && event.bare === true) {
    const again = bareAgain(before, live, { failure, cost }, event);
    if (again !== null) return again;
  }
  const ended = endAttempt(before, live, { result: 'failed', failure, cost });
  const reading = readRow(ended.state, failure);
  const alert: EngineAction[] = reading.alert ? [{ type: 'alert', attempt: live.no, failure }] : [];
  const state: FailoverState = { ...ended.state, cause: ended.past };
  const rival = state.live[0];
  if (rival !== undefined && reading.steps[0] !== 'stop') {
    const left = channelLeft(state, ended.past, reading.steps);
    return { state: left, actions: [besides(left, ended.past, rival), ...alert] };
  }
  const rivals = cancelOthers(state, null, 'lost_hedge', `cancelled: attempt ${live.no} ended the request`);
  const step = goOn(rivals.state, event, null);
  return { state: step.state, actions: afterFirst(step.actions, [...alert, ...rivals.actions]) };
}

/** D-2, while a rival runs on: should that fail otherwise, the other keys at the faulty endpoint are skipped all the same. */
function channelLeft(state: FailoverState, past: PastAttempt, steps: readonly PolicyStep[]): FailoverState {
  const place = past.failure?.scope === 'channel' ? placeOf(state, past.rank) : null;
  return place === null ? state : skipSiblings(state, place, steps);
}

/** The explanation first, the alert and the cancelled rivals after it, then what is to be done. */
function afterFirst(actions: readonly EngineAction[], between: readonly EngineAction[]): EngineAction[] {
  return [...actions.slice(0, 1), ...between, ...actions.slice(1)];
}
