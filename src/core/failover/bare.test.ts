import { describe, expect, it } from 'vitest';
import { optionsOf } from '../../../sim/virtual/layout.ts';
import { OUTCOMES, type Outcome } from '../../../sim/virtual/outcome.ts';
import { traceOf } from '../../../sim/virtual/trace.ts';

const { ok: OK, rejects_opaque: REJECTS, invalid_request: INVALID, server_error: BROKEN } = OUTCOMES;
const run = (script: Outcome[], more: Partial<Parameters<typeof traceOf>[0]> = {}) =>
  traceOf({ targets: 'a:A1,B1', script, ...more });
const roles = ({ state }: ReturnType<typeof run>) => state.history.map(({ role, result }) => [role, result]);
const bared = ({ actions }: ReturnType<typeof run>) =>
  actions.flatMap((action) => (action.type === 'start-attempt' ? [action.bare === true] : []));

describe('R-5: a target that rejects opaque reasoning', () => {
  it('R-5: is asked once more without it, at once, as an attempt of its own that draws on nothing', () => {
    const trace = run([REJECTS, OK]);
    expect([trace.route, trace.verdict]).toEqual(['A1 A1', { kind: 'served', attempt: 2 }]);
    expect(roles(trace)).toEqual([
      ['first', 'failed'],
      ['bare', 'served'],
    ]);
    expect([bared(trace), trace.decisions, trace.waits]).toEqual([[false, true], ['retry', 'serve'], []]);
    expect(trace.reasons[0]).toContain('without the reasoning that it rejects');
    expect(trace.actions).toContainEqual(
      expect.objectContaining({ type: 'admit-attempt', role: 'bare', draws: false }),
    );
  });

  it('R-5: once: what rejects the bare request too ends as its row says', () => {
    const trace = run([REJECTS, REJECTS, OK]);
    expect([trace.route, trace.verdict]).toMatchObject(['A1 A1', { kind: 'stopped', attempt: 2 }]);
    expect(run([REJECTS, INVALID, OK]).verdict).toMatchObject({ kind: 'stopped', attempt: 2 });
  });

  it('R-5, D-9: a repeat of the bare call stays bare; the next target gets everything, and its own second chance', () => {
    const again = run([REJECTS, BROKEN, OK], { targets: 'a:A1' });
    expect([again.route, bared(again)]).toEqual(['A1 A1 A1', [false, true, true]]);
    const moved = run([REJECTS, BROKEN, REJECTS, OK]);
    expect([moved.route, bared(moved)]).toEqual(['A1 A1 B1 B1', [false, true, false, true]]);
  });

  it.each(['standard', 'strict', 'permissive'] as const)(
    'R-5: under %s alike, and where it acts upstream',
    (policy) => {
      const trace = run([REJECTS, OK], { options: optionsOf({ policy }), actsUpstream: true });
      expect([trace.route, trace.verdict.kind, trace.alerts]).toEqual(['A1 A1', 'served', 0]);
    },
  );

  it('D-4: counts in max_attempts and costs; without room the row decides', () => {
    const few = run([REJECTS, OK], { options: optionsOf({ maxAttempts: 1 }) });
    expect([few.route, few.verdict]).toMatchObject(['A1', { kind: 'stopped', attempt: 1 }]);
    const options = optionsOf({ deadlineMs: 1000 });
    const late = run([{ ...REJECTS, afterMs: 999.5 }, OK], { targets: 'a:A1', options });
    expect([late.route, late.verdict]).toMatchObject(['A1', { kind: 'stopped', attempt: 1 }]);
    const costs = { A: 60n, B: 60n };
    const capped = (left: bigint) => run([REJECTS, OK], { options: optionsOf({ maxCostNanoUsd: left }), costs });
    expect(capped(60n).route).toBe('A1 A1');
    expect(capped(59n).route).toBe('');
  });

  it('D-8: is asked again beside a hedge, which runs on, and is not hedged itself', () => {
    const options = optionsOf({ hedgeAfterMs: 50 });
    const soon = { ...REJECTS, afterMs: 100 };
    const slow = { kind: 'answer', afterMs: 900, restMs: 0 } as const;
    const bare = run([soon, { kind: 'hang' }, slow], { options });
    expect([bare.route, bare.verdict]).toEqual(['A1 B1 A1', { kind: 'served', attempt: 3 }]);
    expect(roles(bare)).toEqual([
      ['first', 'failed'],
      ['hedge', 'cancelled'],
      ['bare', 'served'],
    ]);
    const rival = run([soon, OK, slow], { options });
    expect([rival.route, rival.verdict]).toEqual(['A1 B1 A1', { kind: 'served', attempt: 2 }]);
  });

  it('D-8: a hedge that rejects what the first call may not costs that one nothing', () => {
    const options = optionsOf({ hedgeAfterMs: 50 });
    const slow = { kind: 'answer', afterMs: 400, restMs: 0 } as const;
    const refused = run([slow, REJECTS, OUTCOMES.refused_for_good], { options });
    expect([refused.route, refused.verdict]).toEqual(['A1 B1', { kind: 'served', attempt: 1 }]);
    const again = run([slow, REJECTS, { kind: 'hang' }], { options });
    expect([again.route, again.verdict]).toEqual(['A1 B1 B1', { kind: 'served', attempt: 1 }]);
  });

  it('P-4: refused at its turn, the request ends by what it had failed by', () => {
    const trace = run([REJECTS, OUTCOMES.refused_limit, OK]);
    expect([trace.route, trace.verdict]).toMatchObject(['A1', { kind: 'stopped', attempt: 1 }]);
    expect(trace.decisions).toEqual(['stop']);
  });
});
