import { describe, expect, it } from 'vitest';
import { layout, optionsOf } from '../../../sim/virtual/layout.ts';
import { OUTCOMES, type Outcome } from '../../../sim/virtual/outcome.ts';
import { type TraceInput, traceOf } from '../../../sim/virtual/trace.ts';
import type { RunSetup } from './begin.ts';
import { type PolicyCell, type PolicyName, type PolicyRow, policyTable, type Step } from './policy.ts';
import { type OtherTable, type WhatIf, whatIf } from './what-if.ts';

const { ok, server_error: down, rate_limit_long: limited, context_length: tooLong } = OUTCOMES;
const SLOW: Outcome = { kind: 'answer', afterMs: 5000, restMs: 10 };

/** Runs a script as it was, and judges it. */
function judged(input: TraceInput, other: OtherTable): WhatIf {
  const run = traceOf(input);
  const setup: RunSetup = {
    plan: layout(input.targets, input),
    options: input.options ?? optionsOf(),
    keyed: input.keyed ?? false,
    actsUpstream: input.actsUpstream ?? false,
    attemptOffset: 0,
    now: run.initial.at.now,
  };
  const { result, decisions } = whatIf(setup, run.events, other);
  expect([...decisions].sort(([a], [b]) => a - b).map(([, decision]) => decision)).toEqual(run.decisions);
  return result;
}

function policy(name: PolicyName): OtherTable {
  return { policy: { name, table: policyTable(name) }, cells: {} };
}

function cells(rows: Partial<Record<PolicyRow, readonly Step[]>>): OtherTable {
  const given = Object.entries(rows).map(([row, steps]): [string, PolicyCell] => [
    row,
    { steps, repeatOnlyIfSingle: false, repeats: null, keyedReadsClass: false },
  ]);
  return { policy: null, cells: Object.fromEntries(given) };
}

describe('D-12: what a recorded run would have done under another table', () => {
  const saved: TraceInput = { targets: 'a:A1,B1 b:C1', script: [down, down, ok] };

  it('nothing else under the table it ran under', () => {
    expect(judged(saved, policy('standard'))).toEqual({ kind: 'same' });
    expect(judged(saved, { policy: null, cells: {} })).toEqual({ kind: 'same' });
  });

  it('the first decision that differs is told: what failed, what was done, what would have been', () => {
    expect(judged(saved, cells({ server_error: ['next_channel', 'stop'] }))).toEqual({
      kind: 'changed',
      class: 'server_error',
      row: 'server_error',
      was: 'next_model',
      would: 'stop',
      nextAttempt: 3,
    });
    expect(judged(saved, cells({ server_error: ['retry', 'next_channel'] }))).toMatchObject({
      was: 'next_channel',
      would: 'retry',
      nextAttempt: 2,
    });
  });

  it('a named policy counts whole, what it says beside its table too (D-9)', () => {
    expect(judged(saved, policy('strict'))).toMatchObject({ was: 'next_channel', would: 'retry' });
    const strict = { ...saved, options: optionsOf({ policy: 'strict' }), script: [down, down, down, ok] };
    expect(judged(strict, policy('standard'))).toMatchObject({ was: 'retry', would: 'next_channel', nextAttempt: 2 });
  });

  it('rows that nothing of the run reads change nothing', () => {
    expect(judged(saved, cells({ auth: ['stop'], rate_limit: ['stop'] }))).toEqual({ kind: 'same' });
    expect(judged({ targets: 'a:A1 b:B1', script: [ok] }, policy('strict'))).toEqual({ kind: 'same' });
  });

  it('another target by the same decision is a difference', () => {
    const run = { targets: 'a:A1,B1,C1', windows: { A: 8000, B: 8000, C: 32_000 }, script: [tooLong, ok] };
    expect(judged(run, cells({ context_length: ['next_channel'] }))).toMatchObject({
      was: 'next_channel',
      would: 'next_channel',
    });
  });

  it('what stops either way, with another error for its client, is no other course', () => {
    const run = { targets: 'a:A1', script: [OUTCOMES.cut] };
    expect(judged(run, cells({ maybe_executed: ['stop'] }))).toEqual({ kind: 'other_error' });
    const all = { targets: 'a:A1 b:B1', script: [down] };
    expect(judged(all, cells({ server_error: ['next_model', 'stop'] }))).toEqual({ kind: 'same' });
  });

  it('P-4: a resting model that would not have been passed', () => {
    const run = { targets: 'a: b:B1', script: [ok] };
    expect(judged(run, cells({ rate_limit: ['stop'] }))).toEqual({
      kind: 'changed',
      class: null,
      row: null,
      was: 'next_model',
      would: 'stop',
      nextAttempt: 1,
    });
  });

  it('D-8: a hedge that would not have been begun', () => {
    const run = { targets: 'a:A1,B1', options: optionsOf({ hedgeAfterMs: 500 }), script: [SLOW, ok] };
    expect(judged(run, cells({ maybe_executed: ['stop'] }))).toMatchObject({
      class: 'timeout',
      row: 'maybe_executed',
      was: 'hedge',
      would: 'no_hedge',
    });
  });

  it('D-10: of what may have been executed the row is told that was read', () => {
    const run = { targets: 'a:A1,B1', script: [OUTCOMES.cut, ok] };
    expect(judged(run, cells({ maybe_executed: ['stop'] }))).toMatchObject({
      class: 'server_error',
      row: 'maybe_executed',
      was: 'next_channel',
      would: 'stop',
    });
  });

  it('a refusal at a target reads the row again', () => {
    const run: TraceInput = {
      targets: 'a:A1,A2 b:B1',
      script: [limited, { kind: 'refuse', reason: 'limit', failure: null }, ok],
    };
    expect(judged(run, cells({ rate_limit: ['next_credential', 'stop'] }))).toMatchObject({
      class: 'rate_limit',
      was: 'next_model',
      would: 'stop',
    });
  });

  describe('D-4: a call that would have had another time limit', () => {
    const origins = { models: { b: { origin: 'default_model' } } } as const;
    const within = (script: readonly Outcome[]): TraceInput => ({
      targets: 'a:A1 b:B1',
      ...origins,
      options: optionsOf({ deadlineMs: 10_000 }),
      script,
    });

    it('and ended long before either: its end is valid', () => {
      expect(judged(within([ok]), policy('strict'))).toEqual({ kind: 'same' });
    });

    it('and was ended by the one it had: nobody knows', () => {
      expect(judged(within([OUTCOMES.hang, ok]), policy('strict'))).toEqual({ kind: 'undecided' });
    });

    it('and answered when the other would have ended it: nobody knows', () => {
      const strict = { ...within([{ kind: 'answer', afterMs: 7000, restMs: 10 }]) };
      const run = { ...strict, options: optionsOf({ deadlineMs: 10_000, policy: 'strict' }) };
      expect(judged(run, policy('standard'))).toEqual({ kind: 'undecided' });
      const early = { ...run, script: [ok] };
      expect(judged(early, policy('standard'))).toEqual({ kind: 'same' });
    });
  });
});
