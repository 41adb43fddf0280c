/**
 * The failover engine: `decide(state, event) → { state, actions }`. Pure and total: time and chance come inside the
 * events, an event that means nothing in a state changes nothing. Every start is two-phase: `admit-attempt`, then
 * `admitted` or `refused`, then `start-attempt`.
 */
import { type Failure, makeFailure } from '../failure.ts';
import type { NanoUsd } from '../usage/usage.ts';
import { budgetSpent, roomUsedUp } from './budget.ts';
import { cancelOthers, endAttempt, finish } from './ending.ts';
import { budgetWords, refusedWith, sentence, whatFailed } from './explain.ts';
import { admit, finishAfter, goOn, relation } from './go-on.ts';
import type {
  EngineAction,
  EngineEvent,
  FailoverState,
  LiveAttempt,
  PastAttempt,
  RefusalReason,
  Step,
} from './machine.ts';
import { markSpent, placeOf } from './next-target.ts';
import { readRow } from './row.ts';
import { afterTimeout, startAttempt } from './start.ts';

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
  if (live === undefined || live.state === 'admitting') return null;
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
    if (without.live.length > 0) return { state: without, actions: [] };
    return finishAfter(without, { kind: 'retry_exhausted', budget: 'deadline' }, [budgetWords(state, 'deadline')]);
  }
  return startAttempt(state, live, place, event.now);
}

function repeatNow(state: FailoverState, event: EngineEvent): Step {
  const place = state.pending === null ? null : placeOf(state, state.pending.rank);
  const budget = budgetSpent(state, event.now);
  if (place !== null && budget === null) return admit(state, place, 'retry');
  const spent = budget ?? 'deadline';
  return finishAfter(state, { kind: 'retry_exhausted', budget: spent }, [budgetWords(state, spent)]);
}

/** D-8: no first token yet, so the next target starts in parallel. Never under D-11. */
function hedge(state: FailoverState, event: EngineEvent): Step | null {
  const primary = state.live[0];
  const alone = state.phase === 'running' && state.live.length === 1 && primary?.state === 'running';
  if (!alone || primary === undefined || state.actsUpstream || state.options.hedgeAfterMs === null) return null;
  if (primary.role === 'hedge' || budgetSpent(state, event.now) !== null) return null;
  if (roomUsedUp(state, primary.modelPos)) return null;
  const from = placeOf(state, primary.rank);
  const beside = from === null ? null : afterTimeout(state, from);
  return beside === null ? null : admit(state, beside, 'hedge');
}

/** A refused admission counts as no attempt: the same row goes on without that target. */
function refused(before: FailoverState, live: LiveAttempt, event: EventOf<'refused'>): Step {
  const { reason, availableAt } = event;
  const noted: FailoverState = {
    ...before,
    live: before.live.filter((other) => other !== live),
    refusals: [...before.refusals, { rank: live.rank, modelPos: live.modelPos, reason, availableAt }],
    retryBudgetRefused: before.retryBudgetRefused || reason === 'retry_budget',
  };
  if (event.failure !== null) {
    const stop = { kind: 'stopped', failure: event.failure, attempt: null } as const;
    return finishAfter(withoutTarget(noted, live, reason), stop, [`stop: ${whatFailed(event.failure)}`]);
  }
  const state = withoutTarget(noted, live, reason);
  const place = placeOf(state, live.rank);
  if (state.live.length > 0) return { state, actions: [] };
  return goOn(state, event, place === null ? null : refusedWith(place.target, reason));
}

function withoutTarget(state: FailoverState, live: LiveAttempt, reason: RefusalReason): FailoverState {
  if (live.role === 'retry') return { ...state, barred: new Set([...state.barred, live.rank]) };
  const place = placeOf(state, live.rank);
  if (place === null) return state;
  // The budget speaks of the channel that just failed.
  return markSpent(state, [place.target], reason === 'retry_budget' ? 'channel_fault' : reason);
}

// --- ending ---

/** F-5: a refusal, a filtered or an empty answer is served unless `on` names its class. */
function ready(state: FailoverState, live: LiveAttempt, event: EventOf<'attempt-ready'>): Step {
  const { on } = state.options;
  const unwanted = event.content === 'empty' ? 'empty' : 'content_policy';
  if (event.content === 'content' || !on.has(unwanted)) return commit(state, live);
  const failure = event.failure ?? makeFailure({ class: unwanted, status: 200, message: '', phase: 'body' });
  const step = failed(state, live, failure, undefined, event);
  return { ...step, actions: [{ type: 'abort-attempt', attempt: live.no, why: 'rejected' }, ...step.actions] };
}

function commit(before: FailoverState, live: LiveAttempt): Step {
  const reason = `cancelled: attempt ${live.no} answered first`;
  const { state, actions } = cancelOthers(before, live.no, 'lost_hedge', reason);
  return {
    state: {
      ...state,
      phase: 'committed',
      modelPos: live.modelPos,
      live: state.live.map((winner) => ({ ...winner, state: 'committed' })),
    },
    actions: [{ type: 'commit-attempt', attempt: live.no }, ...actions],
  };
}

function completed(before: FailoverState, live: LiveAttempt, cost: NanoUsd | undefined): Step {
  const { state } = endAttempt(before, live, { result: 'served', failure: null, cost });
  const explain: EngineAction = { type: 'explain', attempt: live.no, decision: 'serve', reason: 'answer complete' };
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
  const ended = endAttempt(before, live, { result: 'failed', failure, cost });
  const reading = readRow(ended.state, failure);
  const alert: EngineAction[] = reading.alert ? [{ type: 'alert', attempt: live.no, failure }] : [];
  const state: FailoverState = { ...ended.state, cause: ended.past };
  const rival = state.live[0];
  if (rival !== undefined && reading.steps[0] !== 'stop') {
    return { state, actions: [besides(state, ended.past, rival), ...alert] };
  }
  const rivals = cancelOthers(state, null, 'lost_hedge', `cancelled: attempt ${live.no} ended the request`);
  const step = goOn(rivals.state, event, null);
  return { state: step.state, actions: afterFirst(step.actions, [...alert, ...rivals.actions]) };
}

/** The explanation first, the alert and the cancelled rivals after it, then what is to be done. */
function afterFirst(actions: readonly EngineAction[], between: readonly EngineAction[]): EngineAction[] {
  return [...actions.slice(0, 1), ...between, ...actions.slice(1)];
}

/** A failure beside a running rival needs no next step: the rival is it. */
function besides(state: FailoverState, past: PastAttempt, rival: LiveAttempt): EngineAction {
  const place = placeOf(state, rival.rank);
  const decision = place === null ? 'next_channel' : relation(state, past, place);
  const reason = sentence([whatFailed(past.failure!), `attempt ${rival.no} is still running`]);
  return { type: 'explain', attempt: past.no, decision, reason };
}
