import { describe, expect, it } from 'vitest';
import { layout, optionsOf } from '../../../sim/virtual/layout.ts';
import { failing, OUTCOMES, type Outcome } from '../../../sim/virtual/outcome.ts';
import { traceOf } from '../../../sim/virtual/trace.ts';
import { decide, initialState } from './decide.ts';
import type { CutAnswer, EngineEvent, FailoverState } from './machine.ts';

const OK = OUTCOMES.ok;
const options = optionsOf({ onTruncated: 'extend' });
const cut = (length: number, extendTo: number | null = 200, afterMs = 100): Outcome => ({
  kind: 'truncated',
  afterMs,
  length,
  extendTo,
});
const run = (script: Outcome[], more: Partial<Parameters<typeof traceOf>[0]> = {}) =>
  traceOf({ targets: 'a:A1,B1 b:C1', options, script, ...more });
const ends = ({ state }: ReturnType<typeof run>) => state.history.map(({ no, role, result }) => [no, role, result]);

describe('D-5: on_truncated: extend', () => {
  it('D-5: the same target is asked once more and the second is served if it finished otherwise', () => {
    const trace = run([cut(400), OK]);
    expect([trace.route, trace.verdict]).toEqual(['A1 A1', { kind: 'served', attempt: 2 }]);
    expect(ends(trace)).toEqual([
      [1, 'first', 'cancelled'],
      [2, 'extend', 'served'],
    ]);
    expect(trace.actions).toContainEqual(expect.objectContaining({ type: 'start-attempt', attempt: 2, extendTo: 200 }));
    expect(trace.actions).toContainEqual({ type: 'hold-attempt', attempt: 1 });
    expect(trace.actions).toContainEqual({ type: 'abort-attempt', attempt: 1, why: 'not_served' });
  });

  it.each([
    [300, 400, 2],
    [400, 300, 1],
    [400, 400, 1],
  ])(
    'D-5: both cut, %i and %i bytes long: attempt %i is served, and no third is asked for',
    (first, second, served) => {
      const trace = run([cut(first), cut(second), OK]);
      expect([trace.route, trace.verdict]).toEqual(['A1 A1', { kind: 'served', attempt: served }]);
      expect(trace.reasons.join()).toContain(`the longer answer, of attempt ${served}, is served instead`);
    },
  );

  it.each([
    ['fails', failing({ class: 'server_error', status: 500 })],
    ['is refused as invalid', OUTCOMES.invalid_request],
    ['never answers', { kind: 'hang' }],
    ['is empty where `on` rejects that', OUTCOMES.empty],
  ] as const)('D-5: a second call that %s leaves the first answer to be served', (_name, outcome) => {
    const trace = run([cut(400), outcome], { options: optionsOf({ onTruncated: 'extend', on: ['empty', 'timeout'] }) });
    expect([trace.route, trace.verdict]).toEqual(['A1 A1', { kind: 'served', attempt: 1 }]);
    expect(ends(trace)).toEqual([
      [2, 'extend', 'failed'],
      [1, 'first', 'served'],
    ]);
  });

  it.each(['limit', 'balance', 'circuit_open'] as const)('D-5: refused for %s, the first is served', (reason) => {
    const trace = run([cut(400), { kind: 'refuse', reason, failure: null }]);
    expect([trace.route, trace.verdict]).toEqual(['A1', { kind: 'served', attempt: 1 }]);
  });

  it('D-5: opt-in; not past the model’s limit; never for what acts upstream (D-11)', () => {
    expect(run([cut(400), OK], { options: optionsOf() }).route).toBe('A1');
    expect(run([cut(400, null), OK]).route).toBe('A1');
    expect(run([cut(400), OK], { actsUpstream: true, keyed: true }).route).toBe('A1');
  });

  it('D-4: attempts and the deadline forbid it; then the first is served', () => {
    const few = optionsOf({ onTruncated: 'extend', maxAttempts: 1 });
    expect(run([cut(400), OK], { options: few }).verdict).toEqual({ kind: 'served', attempt: 1 });
    const late = optionsOf({ onTruncated: 'extend', deadlineMs: 1000 });
    const trace = run([cut(400, 200, 900), { kind: 'hang' }], { options: late, targets: 'a:A1' });
    expect([trace.route, trace.verdict]).toEqual(['A1 A1', { kind: 'served', attempt: 1 }]);
  });

  it('D-5: after a failover, at the target that answered', () => {
    const trace = run([OUTCOMES.server_error, cut(400), OK]);
    expect([trace.route, trace.verdict]).toEqual(['A1 B1 B1', { kind: 'served', attempt: 3 }]);
  });

  it('T-6: a client that leaves meanwhile cancels both', () => {
    const trace = run([cut(400), { kind: 'leave', afterMs: 50, detach: false }]);
    expect(trace.verdict).toEqual({ kind: 'client_closed' });
    expect(ends(trace).map(([, , result]) => result)).toEqual(['cancelled', 'cancelled']);
  });

  it('D-8: a hedge that runs beside the answer has lost before a longer one is asked for', () => {
    const both = optionsOf({ onTruncated: 'extend', hedgeAfterMs: 50 });
    const trace = run([cut(400, 200, 300), { kind: 'hang' }, OK], { options: both });
    expect([trace.route, trace.verdict]).toEqual(['A1 B1 A1', { kind: 'served', attempt: 3 }]);
    expect(ends(trace)).toEqual([
      [2, 'hedge', 'cancelled'],
      [1, 'first', 'cancelled'],
      [3, 'extend', 'served'],
    ]);
  });
});

describe('D-4: what a longer answer may cost', () => {
  const stamp = { now: 5, wall: 5, random: 0 };
  const reached = (left: bigint, answer: CutAnswer): FailoverState => {
    const plan = layout('a:A1', { costs: { A: 30n } });
    const capped = optionsOf({ onTruncated: 'extend', maxCostNanoUsd: left });
    const setup = { plan, options: capped, keyed: false, actsUpstream: false, attemptOffset: 0, now: 0 };
    const events: EngineEvent[] = [
      { ...stamp, type: 'begin' },
      { ...stamp, type: 'admitted', attempt: 1, permits: 1 },
      { ...stamp, type: 'attempt-ready', attempt: 1, content: 'content', failure: null, cut: answer },
      { ...stamp, type: 'admitted', attempt: 2, permits: 1 },
    ];
    return events.reduce((state, event) => decide(state, event).state, initialState(setup));
  };
  const phases = (state: FailoverState) => [state.phase, state.live.length, state.budgets.costLeft];

  it('D-4: the worst case of the longer answer is held back beside that of the first', () => {
    expect(phases(reached(100n, { length: 1, extendTo: 20, worstCost: 60n }))).toEqual(['running', 2, 10n]);
  });

  it('D-4: what max_cost_usd does not pay for, or at an unknown price, is not asked', () => {
    expect(phases(reached(80n, { length: 1, extendTo: 20, worstCost: 60n }))).toEqual(['committed', 1, 50n]);
    expect(phases(reached(80n, { length: 1, extendTo: 20, worstCost: null }))).toEqual(['committed', 1, 50n]);
  });
});
