/** Starting an attempt: the timeouts it gets (T-3, D-4) and what the state remembers of it. */
import { makeFailure } from '../failure.ts';
import { attemptsUsed, attemptTimeLimit, costHeld, timeLeft } from './budget.ts';
import type { EngineAction, FailoverState, LiveAttempt } from './machine.ts';
import { sameTarget, searchModel, searchModels } from './next-target.ts';
import { markSpent, type Place } from './open-targets.ts';
import { readRow } from './row.ts';
import { mayLeaveModel } from './trigger.ts';

/** The failure a first-token timeout would be: sent, not answered. */
const NO_FIRST_TOKEN = makeFailure({ class: 'timeout', message: '', maybeExecuted: true, phase: 'sent' });

/** Where a request would go if `from` did not answer in time; null = `from` is the last target. Repeats don't count. */
function afterTimeout(state: FailoverState, from: Place): Place | null {
  for (const step of readRow(state, NO_FIRST_TOKEN).steps) {
    if (step === 'next_credential' || step === 'next_channel' || step === 'next_channel_larger') {
      const { found } = searchModel(state, from, step);
      if (found !== null) return found;
    }
    if ((step === 'next_model' || step === 'next_model_larger') && mayLeaveModel(state.options, NO_FIRST_TOKEN)) {
      const { found } = searchModels(state, from.modelPos + 1, step === 'next_model_larger');
      if (found !== null) return found;
    }
  }
  return null;
}

function isLastTarget(state: FailoverState, place: Place): boolean {
  return attemptsUsed(state) >= state.budgets.maxAttempts || afterTimeout(state, place) === null;
}

/** `timeout_ms` is what a model that reasons has anyway, so no second timer is named for it (T-3). */
function firstTokenTimeout(state: FailoverState, place: Place, timeoutMs: number): number | null {
  const { options } = state;
  const model = state.plan.models[place.modelPos];
  const asked = model?.firstTokenTimeoutMs ?? (options.firstTokenTimeoutAsked ? options.firstTokenTimeoutMs : null);
  if (asked !== null) return asked < timeoutMs ? asked : null;
  if (model?.reasons === true || isLastTarget(state, place)) return null;
  return options.firstTokenTimeoutMs < timeoutMs ? options.firstTokenTimeoutMs : null;
}

function oneMore(repeats: ReadonlyMap<number, number>, rank: number): ReadonlyMap<number, number> {
  return new Map(repeats).set(rank, (repeats.get(rank) ?? 0) + 1);
}

/** Turns an admitted attempt into a running one. */
export function startAttempt(
  before: FailoverState,
  admitted: LiveAttempt,
  place: Place,
  now: number,
): { state: FailoverState; actions: EngineAction[] } {
  const { target, modelPos } = place;
  const { options, budgets } = before;
  const twins = (before.plan.models[modelPos]?.targets ?? []).filter((other) => sameTarget(other, target));
  const longer = admitted.role === 'extend' ? admitted.cut : undefined;
  const reserved = costHeld(before, longer === undefined ? target : { ...target, worstCost: longer.worstCost ?? null });
  const running: LiveAttempt = { ...admitted, state: 'running', startedAt: now, reserved };
  const repeats = admitted.role === 'retry' ? oneMore(before.repeats, target.rank) : before.repeats;
  const state: FailoverState = {
    ...markSpent(before, modelPos, twins, 'tried'),
    live: before.live.map((live) => (live.no === admitted.no ? running : live)),
    nextAttemptNo: before.nextAttemptNo + 1,
    repeats,
    budgets: reserved === null ? budgets : { ...budgets, costLeft: (budgets.costLeft ?? 0n) - reserved },
  };
  const asked = before.plan.models[modelPos]?.timeoutMs ?? options.timeoutMs;
  // A longer answer is the last call of its request: no time is kept for others (D-5).
  const limit = longer === undefined ? attemptTimeLimit(state, modelPos, target, now) : timeLeft(state, now);
  const timeoutMs = Math.max(1, Math.floor(Math.min(asked, limit)));
  const actions: EngineAction[] = [
    {
      type: 'start-attempt',
      attempt: admitted.no,
      rank: target.rank,
      timeoutMs,
      firstTokenTimeoutMs: longer === undefined ? firstTokenTimeout(state, place, timeoutMs) : null,
      ...(longer?.extendTo == null ? {} : { extendTo: longer.extendTo }),
      ...(before.bared.has(target.rank) ? { bare: true } : {}),
    },
  ];
  const mayHedge = admitted.role !== 'hedge' && admitted.role !== 'extend' && admitted.role !== 'bare';
  if (options.hedgeAfterMs !== null && !before.actsUpstream && mayHedge) {
    actions.push({ type: 'arm-hedge', ms: options.hedgeAfterMs });
  }
  return { state, actions };
}
