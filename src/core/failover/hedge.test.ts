import { describe, expect, it } from 'vitest';
import { layout, optionsOf } from '../../../sim/virtual/layout.ts';
import { failing, OUTCOMES, type Outcome } from '../../../sim/virtual/outcome.ts';
import { traceOf } from '../../../sim/virtual/trace.ts';
import { makeFailure } from '../failure.ts';
import { decide, initialState } from './decide.ts';
import type { EngineAction, EngineEvent, FailoverState } from './machine.ts';

const OK = OUTCOMES.ok;
const DOWN = OUTCOMES.server_error;
const refused = (
  reason: Extract<Outcome, { kind: 'refuse' }>['reason'],
  failure: Extract<Outcome, { kind: 'refuse' }>['failure'] = null,
): Outcome => ({ kind: 'refuse', reason, failure });

describe('D-8: hedging', () => {
  const options = optionsOf({ hedgeAfterMs: 500 });
  const slow: Outcome = { kind: 'answer', afterMs: 5000, restMs: 10 };

  it('no first token in time: the next target starts in parallel, the first to answer wins', () => {
    const run = traceOf({ targets: 'a:A1,A2,B1', options, script: [slow, OK] });
    expect([run.route, run.verdict]).toEqual(['A1 B1', { kind: 'served', attempt: 2 }]);
    expect(run.state.history.map(({ no, result, role }) => [no, result, role])).toEqual([
      [1, 'cancelled', 'first'],
      [2, 'served', 'hedge'],
    ]);
    expect(run.actions).toContainEqual({ type: 'abort-attempt', attempt: 1, why: 'lost_hedge' });
  });

  it('a hedge that is refused is none: the first one runs on alone', () => {
    const run = traceOf({ targets: 'a:A1,B1,C1', options, script: [slow, refused('limit'), OK] });
    expect([run.route, run.verdict]).toEqual(['A1', { kind: 'served', attempt: 1 }]);
  });

  it('a hedge that fails leaves the first one running', () => {
    const run = traceOf({ targets: 'a:A1,B1', options, script: [slow, DOWN] });
    expect([run.route, run.verdict]).toEqual(['A1 B1', { kind: 'served', attempt: 1 }]);
  });

  it('when both failed the request goes on', () => {
    const late = failing({ class: 'server_error', status: 500 }, 2000);
    const run = traceOf({ targets: 'a:A1,B1 b:C1', options, script: [late, DOWN, OK] });
    expect([run.route, run.verdict]).toEqual(['A1 B1 C1', { kind: 'served', attempt: 3 }]);
  });

  it('another model only if `on` names timeout, none for calls that act upstream, none beyond max_attempts', () => {
    const route = (changes: Parameters<typeof optionsOf>[0], actsUpstream = false) =>
      traceOf({
        targets: 'a:A1 b:B1',
        options: optionsOf({ hedgeAfterMs: 500, ...changes }),
        actsUpstream,
        script: [slow],
      }).route;
    expect(route({})).toBe('A1 B1');
    expect(route({ on: ['server_error'] })).toBe('A1');
    expect(route({}, true)).toBe('A1');
    expect(route({ maxAttempts: 1 })).toBe('A1');
  });

  it('room for later models is kept', () => {
    const few = optionsOf({ hedgeAfterMs: 500, maxAttempts: 2 });
    expect(traceOf({ targets: 'a:A1,B1 b:C1', options: few, script: [slow] }).route).toBe('A1');
  });

  it('a model tried by a hedge is over, not skipped', () => {
    const late = failing({ class: 'server_error', status: 500 }, 2000);
    const run = traceOf({ targets: 'a:A1 b:B1 c:C1', options, script: [late, DOWN, OK] });
    expect([run.route, run.state.skippedModels]).toEqual(['A1 B1 C1', []]);
  });

  it('is armed once per primary attempt, never for calls that act upstream', () => {
    const armed = (actsUpstream: boolean) =>
      traceOf({ targets: 'a:A1,B1', options, actsUpstream, keyed: true, script: [slow] }).actions.filter(
        ({ type }) => type === 'arm-hedge',
      ).length;
    expect([armed(false), armed(true)]).toEqual([1, 0]);
  });

  it('a stop row of one ends both', () => {
    const run = traceOf({ targets: 'a:A1,B1', options, script: [slow, OUTCOMES.invalid_request] });
    expect([run.verdict.kind, run.state.history.map(({ result }) => result)]).toEqual([
      'stopped',
      ['failed', 'cancelled'],
    ]);
  });
});

describe('D-8: where a hedge goes', () => {
  const options = optionsOf({ hedgeAfterMs: 500 });
  const slow: Outcome = { kind: 'answer', afterMs: 5000, restMs: 10 };
  const route = (targets: string, changes: Parameters<typeof optionsOf>[0] = {}, keyed = false) =>
    traceOf({ targets, keyed, options: optionsOf({ hedgeAfterMs: 500, ...changes }), script: [slow] }).route;

  it.each([
    ['another channel first', 'a:A1,A2,B1 b:C1', 'A1 B1'],
    ['then another credential', 'a:A1,A2 b:C1', 'A1 A2'],
    ['then another model', 'a:A1 b:C1', 'A1 C1'],
    ['nowhere else', 'a:A1', 'A1'],
  ])('D-8: %s', (_name, targets, expected) => {
    expect(route(targets)).toBe(expected);
  });

  it('D-8, D-10: under strict only with a key; C-8: never another model where that is off', () => {
    expect(route('a:A1,B1', { policy: 'strict' })).toBe('A1');
    expect(route('a:A1,B1', { policy: 'strict' }, true)).toBe('A1 B1');
    expect(route('a:A1 b:B1', { crossModel: false })).toBe('A1');
  });

  it('D-2: a channel’s fault beside a hedge to its other key spares the third, however that one fails', () => {
    const late = failing({ class: 'server_error', status: 500 }, 600);
    const rejected = failing({ class: 'auth', status: 401 }, 700);
    expect(traceOf({ targets: 'a:A1,A2,A3', options, script: [late, rejected] }).route).toBe('A1 A2');
  });

  it('G-4: a refusal that would end the request does not end the attempt that runs', () => {
    const empty = makeFailure({
      class: 'gateway_rejected',
      status: 402,
      code: 'insufficient_balance',
      message: 'empty',
    });
    const run = traceOf({ targets: 'a:A1,B1', options, script: [slow, refused('balance', empty)] });
    expect(run.verdict).toEqual({ kind: 'served', attempt: 1 });
    // At its own turn it does, and is asked anew.
    const late = failing({ class: 'server_error', status: 500 }, 900);
    const turn = traceOf({ targets: 'a:A1,B1', options, script: [late, refused('balance', empty)] });
    expect(turn.verdict).toMatchObject({ kind: 'stopped', failure: { code: 'insufficient_balance' } });
    expect(traceOf({ targets: 'a:A1,B1', options, script: [late, refused('balance', empty), OK] }).route).toBe('A1 B1');
  });
});

describe('D-8: a hedge whose admission takes its time', () => {
  const stamp = { now: 5, wall: 5, random: 0 };
  const failure = (failureClass: 'auth' | 'server_error') =>
    makeFailure({ class: failureClass, status: 500, message: '' });
  function play(targets: string, last: EngineEvent): EngineAction[] {
    const options = optionsOf({ hedgeAfterMs: 100, on: ['timeout'] });
    const setup = { plan: layout(targets), options, keyed: false, actsUpstream: false, attemptOffset: 0, now: 0 };
    let state: FailoverState = initialState(setup);
    const before: EngineEvent[] = [
      { ...stamp, type: 'begin' },
      { ...stamp, type: 'admitted', attempt: 1, permits: 1 },
      { ...stamp, type: 'hedge-due' },
      last,
    ];
    for (const event of before) state = decide(state, event).state;
    return [...decide(state, { ...stamp, type: 'admitted', attempt: 2, permits: 1 }).actions];
  }

  it('D-1: after a failure that opens no other model it is not started there', () => {
    const actions = play('a:A1 b:B1', {
      ...stamp,
      type: 'attempt-failed',
      attempt: 1,
      failure: failure('server_error'),
    });
    expect(actions.map(({ type }) => type)).toEqual(['explain', 'finish']);
  });

  it('D-8: where the failure leads there as well it is asked for in its own right', () => {
    const actions = play('a:A1,B1', { ...stamp, type: 'attempt-failed', attempt: 1, failure: failure('server_error') });
    expect(actions).toMatchObject([
      { type: 'explain', attempt: 1, decision: 'next_channel' },
      { type: 'admit-attempt', attempt: 2, rank: 2, role: 'failover' },
    ]);
  });
});
