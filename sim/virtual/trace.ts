/** Scripted runs told in short hand: which targets were called, what came of it. For tests of the core. */
import type { EngineAction, Verdict } from '../../src/core/failover/machine.ts';
import type { FailoverOptions } from '../../src/core/failover/options.ts';
import { type LayoutExtras, layout, optionsOf } from './layout.ts';
import type { Outcome } from './outcome.ts';
import { type RunResult, runVirtually } from './virtual-run.ts';

export interface TraceInput extends LayoutExtras {
  /** As in `layout`. */
  readonly targets: string;
  readonly options?: FailoverOptions;
  readonly keyed?: boolean;
  readonly actsUpstream?: boolean;
  readonly attemptOffset?: number;
  /** Outcomes of the calls in order, refusals included; the last one repeats. A function gets the target's word. */
  readonly script: readonly Outcome[] | ((target: string, call: number) => Outcome);
  readonly random?: number;
}

export interface Trace extends RunResult {
  /** Words of the called targets: `A1 A2 B1`. */
  readonly route: string;
  readonly verdict: Verdict;
  /** The last decision said of each attempt, in order. */
  readonly decisions: readonly string[];
  /** The last reason said of each attempt. */
  readonly reasons: readonly string[];
  readonly waits: readonly number[];
  readonly alerts: number;
}

type Explain = Extract<EngineAction, { type: 'explain' }>;

function lastExplanations(actions: readonly EngineAction[]): Explain[] {
  const byAttempt = new Map<number, Explain>();
  for (const action of actions) if (action.type === 'explain') byAttempt.set(action.attempt, action);
  return [...byAttempt.values()].sort((a, b) => a.attempt - b.attempt);
}

/** Runs one scripted request and tells it in words. */
export function traceOf(input: TraceInput): Trace {
  const words = input.targets
    .split(' ')
    .flatMap((model) => (model.split(':')[1] ?? '').split(',').filter((w) => w !== ''));
  const { script } = input;
  let call = 0;
  const result = runVirtually({
    plan: layout(input.targets, input),
    options: input.options ?? optionsOf(),
    keyed: input.keyed ?? false,
    actsUpstream: input.actsUpstream ?? false,
    attemptOffset: input.attemptOffset ?? 0,
    random: () => input.random ?? 0,
    script: (rank) => {
      call += 1;
      if (typeof script === 'function') return script(words[rank - 1]!, call);
      return script[Math.min(call, script.length) - 1]!;
    },
  });
  const explained = lastExplanations(result.actions);
  return {
    ...result,
    route: result.calls.map((rank) => words[rank - 1]).join(' '),
    verdict: result.state.verdict!,
    decisions: explained.map(({ decision }) => decision),
    reasons: explained.map(({ reason }) => reason),
    waits: result.actions.flatMap((action) => (action.type === 'wait' ? [action.ms] : [])),
    alerts: result.actions.filter(({ type }) => type === 'alert').length,
  };
}
