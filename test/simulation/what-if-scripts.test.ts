import { describe, expect, it } from 'vitest';
import type { RunInput, RunResult } from '../../sim/virtual/virtual-run.ts';
import { initialState, type RunSetup } from '../../src/core/failover/decide.ts';
import type { EngineAction } from '../../src/core/failover/machine.ts';
import { POLICY_NAMES, policyTable } from '../../src/core/failover/policy.ts';
import { replay } from '../../src/core/failover/replay.ts';
import { type OtherTable, optionsUnder, whatIf } from '../../src/core/failover/what-if.ts';
import { inputOf } from './random-input.ts';
import { watchedRun } from './watched-run.ts';

const SEEDS = Array.from({ length: 2000 }, (_, seed) => seed + 1);

function setupOf({ plan, options, keyed, actsUpstream, attemptOffset }: RunInput, { initial }: RunResult): RunSetup {
  return { plan, options, keyed, actsUpstream, attemptOffset, now: initial.at.now };
}

function policies(): OtherTable[] {
  return POLICY_NAMES.map((name) => ({ policy: { name, table: policyTable(name) }, cells: {} }));
}

/** Which calls are made, in order. */
function calls(actions: readonly EngineAction[]): string[] {
  return actions.flatMap((action) =>
    action.type === 'start-attempt'
      ? [`${action.attempt} at ${action.rank}${action.bare === true ? ' bare' : ''}`]
      : [],
  );
}

/** Seeds for which it does not hold: one `expect` for all, as thousands take longer than the runs. */
function failing(holds: (input: RunInput, run: RunResult, setup: RunSetup) => boolean): number[] {
  return SEEDS.filter((seed) => {
    const input = inputOf(seed);
    const run = watchedRun(input);
    return !holds(input, run, setupOf(input, run));
  });
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.join() === other.join();
}

describe('D-12: random runs under another table', () => {
  it('under the very table they ran under nothing is different', () => {
    const wrong = failing((_input, { events }, setup) => {
      const { policy: name, table } = setup.options;
      const same: OtherTable[] = [
        { policy: null, cells: {} },
        { policy: { name, table }, cells: {} },
        { policy: null, cells: table },
      ];
      return same.every((other) => whatIf(setup, events, other).result.kind === 'same');
    });
    expect(wrong).toEqual([]);
  });

  it('what is said to be the same makes the same calls; what differs makes them until then, and none after a stop', () => {
    const seen = new Set<string>();
    const wrong = failing((_input, { actions, events }, setup) =>
      policies().every((other) => {
        const { result } = whatIf(setup, events, other);
        seen.add(result.kind);
        if (result.kind === 'undecided') return true;
        const options = optionsUnder(setup.options, other);
        const made = calls(actions);
        const again = calls(replay(initialState({ ...setup, options }), events));
        if (result.kind !== 'changed') return isEqual(again, made);
        const before = result.nextAttempt - (setup.attemptOffset + 1);
        const stops = result.would !== 'stop' || again.length === before;
        return stops && isEqual(again.slice(0, before), made.slice(0, before));
      }),
    );
    expect(wrong).toEqual([]);
    expect([...seen].sort()).toEqual(['changed', 'other_error', 'same', 'undecided']);
  });
});
