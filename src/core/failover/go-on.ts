/** Going on: the next step after the begin, a failure or a refusal, told in the trace and turned into actions. */
import { afterFailure, type Chosen, enterModels } from './after-failure.ts';
import { affordable, budgetSpent } from './budget.ts';
import { cancelOthers, finish } from './ending.ts';
import { sameEndpoint } from './endpoint.ts';
import { nextWords, sentence, whatFailed } from './explain.ts';
import type {
  AttemptRole,
  Decision,
  EngineAction,
  EngineEvent,
  FailoverState,
  LiveAttempt,
  PastAttempt,
  RefusalReason,
  Step,
  Verdict,
} from './machine.ts';
import { type Place, placeOf } from './open-targets.ts';
import type { PlannedTarget } from './plan-types.ts';
import { mayLeaveModel } from './trigger.ts';

/** First phase of a start: asks for permits. */
export function admit(state: FailoverState, place: Place, role: AttemptRole, insist = false): Step {
  const { target, modelPos } = place;
  const attempt = state.nextAttemptNo;
  const live: LiveAttempt = {
    no: attempt,
    rank: target.rank,
    modelPos,
    state: 'admitting',
    startedAt: state.at.now,
    role,
    reserved: null,
  };
  const draws = drawsOnBudget(state, place);
  // What runs beside another attempt leaves the model in hand to it; everything else takes its model along.
  const stays = role === 'hedge' || modelPos === state.modelPos || (role === 'bare' && state.live.length > 0);
  return {
    state: {
      ...state,
      phase: 'running',
      live: [...state.live, live],
      pending: null,
      modelPos: stays ? state.modelPos : modelPos,
      cause: stays ? state.cause : null,
    },
    actions: [{ type: 'admit-attempt', attempt, rank: target.rank, role, draws, insist }],
  };
}

/** D-6: a repeat into a channel that just failed by its own fault. */
function drawsOnBudget(state: FailoverState, place: Place): boolean {
  const { cause } = state;
  if (cause?.failure?.scope !== 'channel') return false;
  const failed = placeOf(state, cause.rank);
  return failed !== null && sameEndpoint(failed.target, place.target);
}

/** How a target lies to the one that failed. */
export function relation(state: FailoverState, past: PastAttempt, to: Place): Decision {
  const from = placeOf(state, past.rank);
  if (from === null || from.modelPos !== to.modelPos) return 'next_model';
  return from.target.target.channel === to.target.target.channel ? 'next_credential' : 'next_channel';
}

/** The next step after a failure, a refusal or the begin. `note`: what was refused meanwhile. */
export function goOn(state: FailoverState, event: EngineEvent, note: string | null): Step {
  const chosen = state.cause === null ? enterModels(state, event) : afterFailure(state, state.cause, event);
  return insistOn(chosen, event) ?? carryOut(chosen, note);
}

function carryOut({ state, choice }: Chosen, note: string | null): Step {
  if (choice.kind === 'end') return finishAfter(state, choice.verdict, noteFirst(note, choice.words));
  if (choice.kind === 'repeat') {
    const explain = explainLast(state, 'retry', noteFirst(note, choice.words));
    const waiting: FailoverState = {
      ...state,
      phase: 'waiting',
      pending: { rank: choice.place.target.rank, role: 'retry' },
    };
    return { state: waiting, actions: [...explain, { type: 'wait', ms: choice.waitMs }] };
  }
  const last = lastFailed(state);
  if (last === undefined) return admit(state, choice.place, 'first');
  const decision = relation(state, last, choice.place);
  const words = choice.words.length > 0 ? choice.words : [nextWords(decision, null)];
  const explain = explainLast(state, decision, noteFirst(note, words));
  const step = admit(state, choice.place, 'failover');
  return { state: step.state, actions: [...explain, ...step.actions] };
}

function noteFirst(note: string | null, words: readonly string[]): string[] {
  return note === null ? [...words] : [note, ...words];
}

/** Refused by an open circuit, or because its one probe is out (P-5). */
export function isHealth(reason: RefusalReason | 'tried' | undefined): boolean {
  return reason === 'circuit_open' || reason === 'probe_in_flight';
}

/**
 * P-5: health alone never refuses everything. When nothing is left but targets that an open circuit or a busy probe
 * refused at their turn, the first untried one of them is let through, each once.
 */
function insistOn({ state, choice }: Chosen, event: EngineEvent): Step | null {
  if (choice.kind !== 'end') return null;
  const { kind } = choice.verdict;
  if ((kind !== 'all_resting' && kind !== 'exhausted') || budgetSpent(state, event.now) !== null) return null;
  const last = lastFailed(state);
  const place = refusedByHealth(state, last);
  if (place === null) return null;
  if (last === undefined) return admit(withoutSkip(state, place.modelPos), place, 'first', true);
  const decision = relation(state, last, place);
  const explain = explainLast(state, decision, [nextWords(decision, null), 'nothing else is left']);
  const step = admit(withoutSkip(state, place.modelPos), place, 'failover', true);
  return { state: step.state, actions: [...explain, ...step.actions] };
}

/** The first target that only its health has refused so far; its latest reason tells. */
function refusedByHealth(state: FailoverState, last: PastAttempt | undefined): Place | null {
  const faulty = faultyChannels(state);
  const refusal = state.refusals.find(({ rank, modelPos }) => {
    if (!isHealth(state.spent.get(rank)) || !mayGoTo(state, modelPos, last)) return false;
    const place = placeOf(state, rank);
    // Health alone is set aside here; the cost budget is not (D-4).
    if (place === null || !affordable(state, place.target)) return false;
    return !faulty.some((failed) => sameEndpoint(failed, place.target));
  });
  return refusal === undefined ? null : placeOf(state, refusal.rank);
}

/** The chain goes forward: a model that was left stays left; another one needs what D-1 says. */
function mayGoTo({ options }: FailoverState, modelPos: number, last: PastAttempt | undefined): boolean {
  if (last?.failure == null || modelPos === last.modelPos) return true;
  return modelPos > last.modelPos && mayLeaveModel(options, last.failure);
}

/** D-2: targets whose channel has shown its own fault in this request, whatever its circuit says. */
function faultyChannels(state: FailoverState): readonly PlannedTarget[] {
  return state.history.flatMap(({ failure, rank }) => {
    const place = failure?.scope === 'channel' ? placeOf(state, rank) : null;
    return place === null ? [] : [place.target];
  });
}

/** The model is not skipped after all. */
function withoutSkip(state: FailoverState, modelPos: number): FailoverState {
  return { ...state, skippedModels: state.skippedModels.filter((skipped) => skipped.modelPos !== modelPos) };
}

function lastFailed(state: FailoverState): PastAttempt | undefined {
  return state.history.findLast((past) => past.result === 'failed');
}

/** The last failed attempt's decision, said (again) with what has come of it. */
function explainLast(state: FailoverState, decision: Decision, words: readonly string[]): EngineAction[] {
  const last = lastFailed(state);
  if (last?.failure == null) return [];
  return [{ type: 'explain', attempt: last.no, decision, reason: sentence([whatFailed(last.failure), ...words]) }];
}

/** Ends the request after the last failed attempt was explained and whatever still runs was cancelled. */
export function finishAfter(state: FailoverState, verdict: Verdict, words: readonly string[]): Step {
  const explain = explainLast(state, 'stop', words);
  const rivals = cancelOthers(state, null, 'lost_hedge', 'cancelled: the request ended');
  const end = finish(rivals.state, verdict);
  return { state: end.state, actions: [...explain, ...rivals.actions, ...end.actions] };
}
