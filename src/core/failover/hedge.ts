/** D-8: a second target in parallel when the first has shown no token in time. */
import { makeFailure } from '../failure.ts';
import { budgetSpent, roomUsedUp } from './budget.ts';
import { sentence, whatFailed } from './explain.ts';
import { admit, goOn, relation } from './go-on.ts';
import type { EngineAction, EngineEvent, FailoverState, LiveAttempt, PastAttempt, Step } from './machine.ts';
import { searchModel, searchModels } from './next-target.ts';
import { type Place, placeOf } from './open-targets.ts';
import { readRow } from './row.ts';
import { mayLeaveModel } from './trigger.ts';

/** What a call without a token is so far: sent, not answered. */
export const NO_TOKEN = makeFailure({ class: 'timeout', message: '', maybeExecuted: true, phase: 'sent' });

/** Nothing runs beside a hedge, nor beside a call that says the same again in another way. */
const UNHEDGED: ReadonlySet<LiveAttempt['role']> = new Set(['hedge', 'extend', 'bare']);

/** Starts the hedge that is due; null = there is none to start. One at a time, and none for what acts upstream (D-11). */
export function hedge(state: FailoverState, event: EngineEvent): Step | null {
  const primary = state.live[0];
  const alone = state.phase === 'running' && state.live.length === 1 && primary?.state === 'running';
  if (!alone || primary === undefined || state.actsUpstream || state.options.hedgeAfterMs === null) return null;
  if (UNHEDGED.has(primary.role) || budgetSpent(state, event.now) !== null) return null;
  if (roomUsedUp(state, primary.modelPos)) return null;
  const from = placeOf(state, primary.rank);
  const beside = from === null ? null : besideTarget(state, from);
  return beside === null ? null : admit(state, beside, 'hedge');
}

/**
 * Where the hedge goes: the next target of the same model, another channel before another credential of this one; else
 * another model, as after a timeout. A row that would not go on from a timeout starts no hedge either: under `strict` what
 * may have been executed is not asked twice without a key (D-10).
 */
function besideTarget(state: FailoverState, from: Place): Place | null {
  const { steps } = readRow(state, NO_TOKEN);
  if (steps.some((step) => step === 'next_credential' || step === 'next_channel' || step === 'next_channel_larger')) {
    const { found } = searchModel(state, from, 'next_channel');
    const sibling = found ?? searchModel(state, from, 'next_credential').found;
    if (sibling !== null) return sibling;
  }
  const leaves = steps.some((step) => step === 'next_model' || step === 'next_model_larger');
  if (!leaves || !mayLeaveModel(state.options, NO_TOKEN)) return null;
  return searchModels(state, from.modelPos + 1, false).found;
}

/**
 * A hedge that was refused is none. While another attempt runs that is all; a refusal that would end the request says
 * nothing of the one that runs. If that one has failed meanwhile, its row goes on.
 */
export function hedgeRefused(state: FailoverState, event: EngineEvent, note: string): Step {
  return state.live.length > 0 ? { state, actions: [] } : goOn(state, event, note);
}

/** A failure beside a running rival needs no next step: the rival is it. */
export function besides(state: FailoverState, past: PastAttempt, rival: LiveAttempt): EngineAction {
  const place = placeOf(state, rival.rank);
  const decision = place === null ? 'next_channel' : relation(state, past, place);
  const reason = sentence([whatFailed(past.failure!), `attempt ${rival.no} is still running`]);
  return { type: 'explain', attempt: past.no, decision, reason };
}
