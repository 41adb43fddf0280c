/**
 * a target rejected reasoning that only its maker can read. It is asked once more without it, whatever its row and the
 * upstream's advice say: what is sent is another request. Only if that fails too, the row decides.
 */
import type { Failure } from '../failure.ts';
import type { NanoUsd } from '../usage/usage.ts';
import { affordable, budgetSpent } from './budget.ts';
import { endAttempt } from './ending.ts';
import { sentence, whatFailed } from './explain.ts';
import { admit } from './go-on.ts';
import type { EngineAction, EngineEvent, FailoverState, LiveAttempt, Step } from './machine.ts';
import { placeOf } from './open-targets.ts';

/** Null = the failure's row decides: it was asked so before, or a budget is used up (D-4). */
export function bareAgain(
  before: FailoverState,
  live: LiveAttempt,
  { failure, cost }: { readonly failure: Failure; readonly cost: NanoUsd | undefined },
  event: EngineEvent,
): Step | null {
  const place = placeOf(before, live.rank);
  if (place === null || before.bared.has(live.rank) || budgetSpent(before, event.now) !== null) return null;
  const ended = endAttempt(before, live, { result: 'failed', failure, cost });
  if (!affordable(ended.state, place.target)) return null;
  const state: FailoverState = { ...ended.state, cause: ended.past, bared: new Set([...before.bared, live.rank]) };
  const words = 'once more without the reasoning that it rejects';
  const reason = sentence([whatFailed(failure), words]);
  const explain: EngineAction = { type: 'explain', attempt: live.no, decision: 'retry', reason };
  // Nothing of the channel failed, so nothing is drawn from its retry budget (D-6). Whoever runs beside it runs on.
  const step = admit(state, place, 'bare');
  return { state: step.state, actions: [explain, ...step.actions] };
}
