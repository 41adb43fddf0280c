/**
 * D-5: an answer cut by its length is held and the same target is asked once more for a longer one. Whatever becomes of
 * that, one of the two is served: the second if it finished otherwise, else the longer, else the first.
 */
import type { Failure } from '../failure.ts';
import type { NanoUsd } from '../usage/usage.ts';
import { budgetSpent } from './budget.ts';
import { cancelOthers, commit, endAttempt } from './ending.ts';
import { sentence, whatFailed } from './explain.ts';
import type { CutAnswer, EngineAction, EngineEvent, FailoverState, LiveAttempt, Step } from './machine.ts';
import { readRow } from './row.ts';

/** The answer that waits for a longer one; at most one. */
export function heldAnswer(state: FailoverState): LiveAttempt | undefined {
  return state.live.find((live) => live.state === 'held');
}

/** Asks for a longer answer than the one that is ready. Null = it is served as it is. */
export function extend(
  before: FailoverState,
  live: LiveAttempt,
  cut: CutAnswer | undefined,
  event: EngineEvent,
): Step | null {
  const { onTruncated } = before.options;
  // What acts upstream would act a second time (D-11).
  if (cut === undefined || cut.extendTo === null || onTruncated !== 'extend' || before.actsUpstream) return null;
  if (budgetSpent(before, event.now) !== null || !pays(before, cut)) return null;
  // An answer is there: whoever still runs beside it has lost.
  const alone = cancelOthers(before, live.no, 'lost_hedge', `cancelled: attempt ${live.no} answered first`);
  const { state } = alone;
  const attempt = state.nextAttemptNo;
  const { rank, modelPos } = live;
  const next: LiveAttempt = {
    no: attempt,
    rank,
    modelPos,
    state: 'admitting',
    startedAt: event.now,
    role: 'extend',
    reserved: null,
    cut,
  };
  const { extendTo } = cut;
  return {
    state: { ...state, live: [{ ...live, state: 'held', cut }, next] },
    actions: [
      ...alone.actions,
      { type: 'hold-attempt', attempt: live.no },
      // Nothing failed, so nothing is drawn from the retry budget (D-6).
      { type: 'admit-attempt', attempt, rank, role: 'extend', draws: false, insist: false, extendTo },
    ],
  };
}

/** Whether `max_cost_usd` leaves enough: what the first answer held back stays held back, it may be served. */
function pays({ budgets: { costLeft } }: FailoverState, { worstCost }: CutAnswer): boolean {
  if (costLeft === null || worstCost === undefined) return true;
  return worstCost !== null && worstCost <= costLeft;
}

/** The second answer is there. `cut`: it is cut as well. */
export function serveOneOf(
  state: FailoverState,
  held: LiveAttempt,
  second: LiveAttempt,
  cut: CutAnswer | undefined,
): Step {
  const secondWins = cut === undefined || cut.length > (held.cut?.length ?? 0);
  const winner = secondWins ? second : held;
  const words = cut === undefined ? 'the whole answer' : 'the longer answer';
  const why = `answer cut by its length; ${words}, of attempt ${winner.no}, is served instead`;
  const marked = cut === undefined ? state : withCut(state, second, cut);
  return commit(marked, winner.no, 'not_served', why);
}

function withCut(state: FailoverState, of: LiveAttempt, cut: CutAnswer): FailoverState {
  return { ...state, live: state.live.map((live) => (live.no === of.no ? { ...live, cut } : live)) };
}

/** No longer answer came: the first is served. */
export function serveHeld(
  before: FailoverState,
  held: LiveAttempt,
  second: LiveAttempt,
  failure: Failure,
  cost: NanoUsd | undefined,
): Step {
  const { state } = endAttempt(before, second, { result: 'failed', failure, cost });
  const reason = sentence([whatFailed(failure), `the answer of attempt ${held.no} is served`]);
  const alert: EngineAction[] = readRow(state, failure).alert ? [{ type: 'alert', attempt: second.no, failure }] : [];
  const step = commit(state, held.no);
  const explain: EngineAction = { type: 'explain', attempt: second.no, decision: 'stop', reason };
  return { state: step.state, actions: [explain, ...alert, ...step.actions] };
}
