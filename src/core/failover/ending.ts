/** How attempts and requests end: history, explanations, the verdict. */
import type { Failure } from '../failure.ts';
import type { NanoUsd } from '../usage/usage.ts';
import { settledCost } from './budget.ts';
import type { EngineAction, FailoverState, LiveAttempt, PastAttempt, Step, Verdict } from './machine.ts';

export interface Ended {
  readonly result: PastAttempt['result'];
  readonly failure: Failure | null;
  readonly cost: NanoUsd | undefined;
}

/** Moves a live attempt into the history: exactly one record per started attempt. */
export function endAttempt(
  state: FailoverState,
  live: LiveAttempt,
  ended: Ended,
): { state: FailoverState; past: PastAttempt } {
  const past: PastAttempt = {
    no: live.no,
    rank: live.rank,
    modelPos: live.modelPos,
    role: live.role,
    result: ended.result,
    failure: ended.failure,
    startedAt: live.startedAt,
    endedAt: state.at.now,
  };
  const mayHaveRun = ended.failure === null || ended.failure.maybeExecuted || ended.failure.phase === 'committed';
  const costLeft = settledCost(state, live, ended.cost, mayHaveRun);
  return {
    past,
    state: {
      ...state,
      live: state.live.filter((other) => other.no !== live.no),
      history: [...state.history, past],
      budgets: { ...state.budgets, costLeft },
    },
  };
}

type WhyCancelled = 'client_closed' | 'lost_hedge' | 'not_served';

/** Cancels every live attempt but `keep`. One that was only asking for admission leaves no record. */
export function cancelOthers(start: FailoverState, keep: number | null, why: WhyCancelled, reason: string): Step {
  let state = start;
  const actions: EngineAction[] = [];
  for (const live of start.live) {
    if (live.no === keep) continue;
    if (live.state === 'admitting') {
      state = { ...state, live: state.live.filter((other) => other !== live) };
      continue;
    }
    state = endAttempt(state, live, { result: 'cancelled', failure: null, cost: undefined }).state;
    actions.push({ type: 'abort-attempt', attempt: live.no, why });
    actions.push({ type: 'explain', attempt: live.no, decision: 'stop', reason });
  }
  return { state, actions };
}

/** The answer of attempt `no` flows to the client; every other attempt is cancelled, with these words. */
export function commit(before: FailoverState, no: number, why: WhyCancelled = 'lost_hedge', words?: string): Step {
  const reason = words ?? `cancelled: attempt ${no} answered first`;
  const { state, actions } = cancelOthers(before, no, why, reason);
  const [winner] = state.live;
  return {
    state: {
      ...state,
      phase: 'committed',
      modelPos: winner?.modelPos ?? state.modelPos,
      live: state.live.map((live) => ({ ...live, state: 'committed' })),
    },
    actions: [{ type: 'commit-attempt', attempt: no }, ...actions],
  };
}

/** The request is over; nothing is listened to any more. */
export function finish(state: FailoverState, verdict: Verdict): Step {
  const done: FailoverState = { ...state, phase: 'done', live: [], pending: null, verdict };
  return { state: done, actions: [{ type: 'finish', verdict }] };
}
