import { describe, expect, it } from 'vitest';
import { layout, optionsOf } from '../../../sim/virtual/layout.ts';
import { failing, OUTCOMES, type Outcome } from '../../../sim/virtual/outcome.ts';
import { traceOf } from '../../../sim/virtual/trace.ts';
import { type FailureClass, makeFailure } from '../failure.ts';
import { decide, initialState } from './decide.ts';
import type { EngineAction, EngineEvent, FailoverState } from './machine.ts';
import { policyTable } from './policy.ts';

const OK = OUTCOMES.ok;
const DOWN = OUTCOMES.server_error;
const CUT = OUTCOMES.cut;
const LIMITED = failing({ class: 'rate_limit', status: 429 });
const REJECTED = OUTCOMES.auth;
const refused = (reason: Extract<Outcome, { kind: 'refuse' }>['reason']): Outcome => ({
  kind: 'refuse',
  reason,
  failure: null,
});
const hinted = (ms: number, failureClass: FailureClass = 'rate_limit'): Outcome =>
  failing({ class: failureClass, status: 429, hint: { ms, source: 'header:retry-after' } });

describe('D-1: leaving the model', () => {
  it('cross_model: false keeps the request on its first model (C-8)', () => {
    const run = traceOf({ targets: 'a:A1,B1 b:C1', options: optionsOf({ crossModel: false }), script: [DOWN] });
    expect([run.route, run.verdict.kind]).toEqual(['A1 B1', 'exhausted']);
    expect(run.reasons.at(-1)).toContain('cross_model is off');
  });

  it('on: [] is never another model, inside the model it plays no part', () => {
    const run = traceOf({ targets: 'a:A1,B1 b:C1', options: optionsOf({ on: [] }), script: [DOWN] });
    expect(run.route).toBe('A1 B1');
  });

  it.each([
    ['overloaded sent as 429', failing({ class: 'overloaded', status: 429 }), 'rate_limit', true],
    ['a timeout sent as 504', failing({ class: 'timeout', status: 504 }), 'server_error', true],
    ['a lost connection', CUT, 'connection_error', true],
    ['quota', OUTCOMES.quota, 'rate_limit', true],
    ['a connect timeout', failing({ class: 'timeout', connectTimeout: true }), 'connection_error', true],
    ['a 500', DOWN, 'rate_limit', false],
    ['a 429', LIMITED, 'timeout', false],
  ] as const)('F-4: %s by on: [trigger] %s', (_name, outcome, trigger, moves) => {
    const run = traceOf({ targets: 'a:A1 b:B1', options: optionsOf({ on: [trigger] }), script: [outcome, OK] });
    expect(run.route).toBe(moves ? 'A1 B1' : 'A1');
  });

  it('a literal trigger opens no stop cell: a bad request sent as 500 stays where it is', () => {
    const bad = failing({ class: 'invalid_request', status: 500 });
    const run = traceOf({ targets: 'a:A1 b:B1', options: optionsOf({ on: ['server_error'] }), script: [bad] });
    expect([run.route, run.verdict.kind]).toEqual(['A1', 'stopped']);
  });

  it('permissive: a class without trigger moves only if the request sent no `on`', () => {
    const bad = OUTCOMES.invalid_request;
    const route = (options: Parameters<typeof optionsOf>[0]) =>
      traceOf({ targets: 'a:A1 b:B1', options: optionsOf({ policy: 'permissive', ...options }), script: [bad] }).route;
    expect(route({})).toBe('A1 B1');
    expect(route({ on: ['server_error', 'rate_limit', 'timeout', 'connection_error'] })).toBe('A1');
  });

  it.each([
    ['request', 'A1 B1'],
    ['virtual', 'A1 B1'],
    ['failover_defaults', 'A1'],
    ['default_model', 'A1'],
  ] as const)('strict goes to a model named by %s: %s', (origin, route) => {
    const options = optionsOf({ policy: 'strict', retries: 0 });
    expect(traceOf({ targets: 'a:A1 b:B1', models: { b: { origin } }, options, script: [DOWN] }).route).toBe(route);
    const standard = traceOf({ targets: 'a:A1 b:B1', models: { b: { origin } }, script: [DOWN] });
    expect(standard.route).toBe('A1 B1');
  });
});

describe('context_length: larger windows', () => {
  const long = OUTCOMES.context_length;
  it('goes only to a channel with a larger known window', () => {
    const windows = { A: 32_000, B: 8000, D: 128_000 };
    const run = traceOf({ targets: 'a:A1,A2,B1,C1,D1', windows, script: [long] });
    expect([run.route, run.verdict.kind]).toEqual(['A1 D1', 'stopped']);
    expect([2, 3, 4].map((rank) => run.state.spent.get(rank))).toEqual([
      'channel_fault',
      'no_larger_window',
      'no_larger_window',
    ]);
  });

  it('an unknown failed window: any known one may be the larger', () => {
    expect(traceOf({ targets: 'a:A1,B1,C1', windows: { C: 8000 }, script: [long] }).route).toBe('A1 C1');
  });

  it('a channel left for a smaller window is not come back to after another fault', () => {
    const windows = { A: 32_000, B: 8000, C: 64_000, D: 128_000 };
    const run = traceOf({ targets: 'a:A1,B1,C1,D1', windows, script: [long, DOWN, OK] });
    expect(run.route).toBe('A1 C1 D1');
  });

  it('D-1: by opt-in the next model that is not known to be too small', () => {
    const options = optionsOf({ on: ['context_length'] });
    const run = traceOf({
      targets: 'a:A1 b:B1 c:C1',
      windows: { A: 32_000, B: 8000, C: 128_000 },
      options,
      script: [long, OK],
    });
    expect(run.route).toBe('A1 C1');
    expect(run.state.skippedModels).toEqual([{ modelPos: 1, reason: 'no_larger_window', availableAt: null }]);
    const inside = traceOf({
      targets: 'a:A1 b:B1,C1',
      windows: { A: 32_000, B: 8000, C: 128_000 },
      options,
      script: [long, OK],
    });
    expect([inside.route, inside.state.spent.get(2)]).toEqual(['A1 C1', 'no_larger_window']);
    const unknown = traceOf({ targets: 'a:A1 b:B1', windows: { A: 32_000 }, options, script: [long, OK] });
    expect(unknown.route).toBe('A1 B1');
  });
});

describe('permissive and context_length', () => {
  it('goes anywhere, smaller windows too', () => {
    const options = optionsOf({ policy: 'permissive' });
    const windows = { A: 32_000, B: 8000 };
    expect(traceOf({ targets: 'a:A1 b:B1', windows, options, script: [OUTCOMES.context_length] }).route).toBe('A1 B1');
  });
});

describe('D-2: whose fault it is', () => {
  it("a channel's own fault skips its other credentials", () => {
    const run = traceOf({ targets: 'a:A1,A2,B1', script: [DOWN, OK] });
    expect([run.route, run.state.spent.get(2)]).toEqual(['A1 B1', 'channel_fault']);
  });

  it("a credential's fault goes to the next credential of the same channel first", () => {
    expect(traceOf({ targets: 'a:A1,B1,A2', script: [REJECTED, OK] }).route).toBe('A1 A2');
  });

  it('a skipped credential stays skipped when a later channel fails by its credential', () => {
    expect(traceOf({ targets: 'a:A1,A2,B1 b:C1', script: [DOWN, LIMITED, OK] }).route).toBe('A1 B1 C1');
  });

  it('a channel at fault stays skipped when its repeat fails by the credential', () => {
    const options = optionsOf({ policy: 'strict' });
    expect(traceOf({ targets: 'a:A1,A2,B1', options, script: [DOWN, OUTCOMES.quota, OK] }).route).toBe('A1 A1 B1');
  });

  it('one and the same target twice in a plan is called once', () => {
    const plan = layout('a:A1,A1,B1');
    expect(plan.models[0]!.targets[0]!.target).toEqual(plan.models[0]!.targets[1]!.target);
    expect(traceOf({ targets: 'a:A1,A1,B1', script: [REJECTED] }).route).toBe('A1 B1');
  });
});

describe('D-3: waits', () => {
  const lone = (options: Parameters<typeof optionsOf>[0], ...script: Outcome[]) =>
    traceOf({ targets: 'a:A1', options: optionsOf(options), script, random: 0.5 });

  it('a stated wait plus jitter is waited out, then the target is asked again', () => {
    const run = lone({}, hinted(2000), OK);
    expect([run.route, run.waits, run.decisions]).toEqual(['A1 A1', [2200], ['retry', 'serve']]);
  });

  it('a wait over max_wait_ms leaves the target at once', () => {
    const run = lone({}, hinted(30_000));
    expect([run.route, run.waits, run.verdict.kind]).toEqual(['A1', [], 'exhausted']);
    expect(run.reasons).toEqual(['rate limited; wait 30 s does not fit max_wait_ms 5 s; nothing left to try']);
  });

  it('a stated wait counts for server-side faults as well', () => {
    const overloaded = failing({ class: 'overloaded', status: 503, hint: { ms: 9000, source: 'header:retry-after' } });
    expect(lone({}, overloaded).route).toBe('A1');
    expect(lone({ maxWaitMs: 10_000 }, overloaded, OK).waits).toEqual([9900]);
  });

  it('without one the backoff grows with the repeats of that target', () => {
    const run = lone({ retries: 3 }, DOWN);
    expect(run.waits).toEqual([375, 750, 1500]);
  });

  it("an upstream's x-should-retry: false forbids a repeat of that target, not another one", () => {
    const never = failing({ class: 'server_error', status: 503, shouldRetry: false });
    expect(lone({ retries: 2 }, never).route).toBe('A1');
    expect(traceOf({ targets: 'a:A1,B1', script: [never, OK] }).route).toBe('A1 B1');
  });

  it('strict waits as the provider says before it goes anywhere else', () => {
    const options = optionsOf({ policy: 'strict' });
    const run = traceOf({ targets: 'a:A1,A2', options, script: [hinted(1000), hinted(60_000), OK] });
    expect([run.route, run.waits]).toEqual(['A1 A1 A2', [1000]]);
    expect(run.reasons[1]).toBe('rate limited; wait 60 s does not fit max_wait_ms 5 s; next credential of the channel');
  });
});

describe('D-4: budgets', () => {
  it('max_attempts stops with something left to try', () => {
    const run = traceOf({ targets: 'a:A1,B1,C1', options: optionsOf({ maxAttempts: 2 }), script: [DOWN] });
    expect([run.route, run.verdict]).toEqual(['A1 B1', { kind: 'retry_exhausted', budget: 'attempts' }]);
    expect(run.reasons.at(-1)).toBe('server error; stop: max_attempts 2 used up');
  });

  it('with nothing left the same count is simply exhausted', () => {
    const run = traceOf({ targets: 'a:A1,B1', options: optionsOf({ maxAttempts: 2 }), script: [DOWN] });
    expect(run.verdict.kind).toBe('exhausted');
  });

  it('a stop row stops, whatever the budget', () => {
    const run = traceOf({
      targets: 'a:A1,B1',
      options: optionsOf({ maxAttempts: 1 }),
      script: [OUTCOMES.invalid_request],
    });
    expect(run.verdict.kind).toBe('stopped');
  });

  it('a row that would go on before its stop is ended by the budget', () => {
    const run = traceOf({ targets: 'a:A1,A2', options: optionsOf({ maxAttempts: 1 }), script: [REJECTED] });
    expect(run.verdict).toEqual({ kind: 'retry_exhausted', budget: 'attempts' });
  });

  it('the deadline stops attempts and the waits that would reach past it', () => {
    const slow = failing({ class: 'rate_limit', status: 429 }, 2999.5);
    const late = traceOf({ targets: 'a:A1,A2', options: optionsOf({ deadlineMs: 3000 }), script: [slow] });
    expect([late.route, late.verdict]).toEqual(['A1', { kind: 'retry_exhausted', budget: 'deadline' }]);
    const wait = traceOf({ targets: 'a:A1', options: optionsOf({ deadlineMs: 4000 }), script: [hinted(4000)] });
    expect([wait.waits, wait.verdict]).toEqual([[], { kind: 'retry_exhausted', budget: 'deadline' }]);
    expect(wait.reasons[0]).toContain('wait 4 s reaches past the deadline');
  });

  it('a wait past the deadline is not started, another target is', () => {
    const options = optionsOf({ policy: 'strict', deadlineMs: 4000 });
    expect(traceOf({ targets: 'a:A1,A2', options, script: [hinted(4000), OK] }).route).toBe('A1 A2');
  });

  it('room is kept: a model uses at most max_attempts − models still reachable after it', () => {
    const run = traceOf({ targets: 'a:A1,B1,C1,D1 b:E1 c:F1', options: optionsOf({ maxAttempts: 4 }), script: [DOWN] });
    expect([run.route, run.verdict.kind]).toEqual(['A1 B1 E1 F1', 'exhausted']);
    expect(run.reasons[1]).toBe('server error; the attempts left are kept for later models; next model in chain');
    expect(run.state.spent.get(3)).toBe('model_over');
  });

  it('room: each model gets one attempt even where there are more models than attempts', () => {
    const run = traceOf({ targets: 'a:A1,B1 b:C1 c:D1', options: optionsOf({ maxAttempts: 2 }), script: [DOWN] });
    expect(run.route).toBe('A1 C1');
  });

  it('no room is kept for models this failure may not go to', () => {
    const options = optionsOf({ maxAttempts: 3, on: ['timeout'] });
    const run = traceOf({ targets: 'a:A1,B1,C1 b:D1', options, script: [DOWN] });
    expect(run.route).toBe('A1 B1 C1');
    expect(run.reasons[1]).toBe('server error; next channel of the model');
  });

  it('room that no later model takes up stays with this one, first step first', () => {
    const options = optionsOf({ maxAttempts: 2, on: ['timeout'] });
    expect(traceOf({ targets: 'a:A1,A2,B1 b:C1', options, script: [LIMITED] }).route).toBe('A1 A2');
  });

  it('a target left for the sake of later models is not come back to when those refuse', () => {
    const options = optionsOf({ policy: 'strict', maxAttempts: 3 });
    const run = traceOf({ targets: 'a:A1 b:B1', options, script: [DOWN, DOWN, refused('limit'), OK] });
    expect([run.route, run.verdict.kind]).toEqual(['A1 A1', 'exhausted']);
  });

  it('repeats count: strict leaves a target early so that the next model is reached', () => {
    const options = optionsOf({ policy: 'strict', maxAttempts: 3 });
    expect(traceOf({ targets: 'a:A1 b:B1', options, script: [DOWN] }).route).toBe('A1 A1 B1');
  });

  it('max_cost_usd: the worst case of the next attempt must fit; unknown prices are left out', () => {
    const costs = { A: 60n, B: 60n, C: 30n, D: null };
    const options = optionsOf({ maxCostNanoUsd: 100n });
    const run = traceOf({ targets: 'a:A1,D1,B1,C1', costs, options, script: [CUT, OK] });
    expect([run.route, run.state.spent.get(2)]).toEqual(['A1 C1', 'price_unknown']);
    const unpaid = traceOf({ targets: 'a:A1,B1', costs, options, script: [CUT] });
    expect([unpaid.route, unpaid.verdict]).toEqual(['A1', { kind: 'retry_exhausted', budget: 'cost' }]);
    const unspent = traceOf({ targets: 'a:A1,B1', costs, options, script: [DOWN, OK] });
    expect(unspent.route).toBe('A1 B1');
    const never = traceOf({ targets: 'a:A1', costs, options: optionsOf({ maxCostNanoUsd: 59n }), script: [OK] });
    expect([never.route, never.verdict]).toEqual(['', { kind: 'retry_exhausted', budget: 'cost' }]);
  });

  it('too dear at the start: a cheaper model of the chain, if the request may leave its model', () => {
    const costs = { A: 60n, B: 5n, C: null };
    const run = (changes: Parameters<typeof optionsOf>[0], targets: string) =>
      traceOf({ targets, costs, options: optionsOf({ maxCostNanoUsd: 50n, ...changes }), script: [OK] });
    expect(run({}, 'a:A1 b:B1').route).toBe('B1');
    expect(run({ crossModel: false }, 'a:A1 b:B1').verdict).toEqual({ kind: 'retry_exhausted', budget: 'cost' });
    expect(run({}, 'a:C1,B1').state.spent.get(1)).toBe('price_unknown');
  });

  it('a repeat is paid for like any attempt', () => {
    const options = optionsOf({ maxCostNanoUsd: 100n, retries: 3 });
    const run = traceOf({ targets: 'a:A1', costs: { A: 60n }, options, script: [CUT] });
    expect([run.route, run.verdict]).toEqual(['A1', { kind: 'retry_exhausted', budget: 'cost' }]);
  });
});

describe('T-3, D-4: timeouts of an attempt', () => {
  type Start = Extract<EngineAction, { type: 'start-attempt' }>;
  const starts = (targets: string, options: Parameters<typeof optionsOf>[0], models = {}, script: Outcome[] = [DOWN]) =>
    traceOf({ targets, models, options: optionsOf(options), script })
      .actions.filter((action): action is Start => action.type === 'start-attempt')
      .map(({ timeoutMs, firstTokenTimeoutMs }) => [timeoutMs, firstTokenTimeoutMs]);

  it('time left ÷ models left, half of that while another channel of the model is left', () => {
    const got = starts('a:A1,A2,B1 b:C1', { deadlineMs: 12_000, timeoutMs: 300_000 });
    expect(got.map(([timeout]) => timeout)).toEqual([3000, 5950, 11_800]);
  });

  it('models that may never be reached take no share', () => {
    expect(starts('a:A1 b:B1', { deadlineMs: 12_000, crossModel: false })[0]![0]).toBe(12_000);
    expect(starts('a:A1 b:B1', { deadlineMs: 12_000, on: [] })[0]![0]).toBe(12_000);
    const strict = { deadlineMs: 12_000, policy: 'strict', retries: 0 } as const;
    expect(starts('a:A1 b:B1', strict, { b: { origin: 'default_model' } })[0]![0]).toBe(12_000);
    expect(starts('a:A1 b:B1', strict)[0]![0]).toBe(6000);
  });

  it("an entry's timeout beats the request's", () => {
    const models = { a: { timeoutMs: 1500, firstTokenTimeoutMs: 700 } };
    expect(starts('a:A1 b:B1', { timeoutMs: 9000 }, models)).toEqual([
      [1500, 700],
      [9000, null],
    ]);
  });

  it('a first-token timeout nobody asked for does not apply at the last target', () => {
    expect(starts('a:A1,B1 b:C1', {}).map(([, first]) => first)).toEqual([60_000, 60_000, null]);
    expect(starts('a:A1', {}).map(([, first]) => first)).toEqual([null, null]);
  });

  it('one that was asked for does', () => {
    expect(starts('a:A1', { firstTokenTimeoutMs: 5000, firstTokenTimeoutAsked: true })[0]).toEqual([300_000, 5000]);
  });

  it('the last target is the one a timeout could not leave', () => {
    expect(starts('a:A1 b:B1', { on: ['rate_limit'] })[0]![1]).toBeNull();
    expect(starts('a:A1,A2', {})[0]![1]).toBeNull();
    expect(starts('a:A1,A2', { policy: 'permissive' })[0]![1]).toBe(60_000);
    expect(starts('a:A1,B1', { policy: 'strict' })[0]![1]).toBeNull();
    expect(starts('a:A1,B1', { maxAttempts: 1 })[0]![1]).toBeNull();
  });

  it('a model that reasons has timeout_ms instead, unless one was asked for', () => {
    const models = { a: { reasons: true } };
    expect(starts('a:A1,B1', {}, models)[0]![1]).toBeNull();
    expect(starts('a:A1,B1', { firstTokenTimeoutMs: 900, firstTokenTimeoutAsked: true }, models)[0]![1]).toBe(900);
  });

  it('one as long as the whole timeout is none', () => {
    expect(starts('a:A1,B1', { timeoutMs: 2000 })[0]).toEqual([2000, null]);
  });
});

describe('D-6: draws', () => {
  const admits = (targets: string, options: Parameters<typeof optionsOf>[0], ...script: Outcome[]) =>
    traceOf({ targets, options: optionsOf(options), script }).actions.flatMap((action) =>
      action.type === 'admit-attempt' ? [[action.rank, action.role, action.draws]] : [],
    );

  it('a repeat after a server-side fault draws, after a rate limit it does not', () => {
    expect(admits('a:A1', {}, DOWN, OK)).toEqual([
      [1, 'first', false],
      [1, 'retry', true],
    ]);
    expect(admits('a:A1', {}, LIMITED, OK)[1]).toEqual([1, 'retry', false]);
  });

  it('another channel or model never draws', () => {
    expect(admits('a:A1,B1 b:C1', {}, DOWN, DOWN, OK)).toEqual([
      [1, 'first', false],
      [2, 'failover', false],
      [3, 'failover', false],
    ]);
  });

  it('permissive: the next credential of a channel at fault draws, after its own fault it does not', () => {
    expect(admits('a:A1,A2', { policy: 'permissive' }, DOWN, OK)[1]).toEqual([2, 'failover', true]);
    expect(admits('a:A1,A2', { policy: 'permissive' }, REJECTED, OK)[1]).toEqual([2, 'failover', false]);
  });

  it('a refused repeat goes to the next target, or ends with the budget in the verdict', () => {
    const strict = optionsOf({ policy: 'strict' });
    const next = traceOf({ targets: 'a:A1,B1', options: strict, script: [DOWN, refused('retry_budget'), OK] });
    expect([next.route, next.decisions]).toEqual(['A1 B1', ['next_channel', 'serve']]);
    expect(next.reasons[0]).toBe('server error; retry_budget_exhausted; next channel of the model');
    const over = traceOf({ targets: 'a:A1', script: [DOWN, refused('retry_budget')] });
    expect(over.verdict).toEqual({ kind: 'exhausted', retryBudgetExhausted: true });
  });
});

describe('D-9: retries', () => {
  const HEALING: readonly Outcome[] = [
    LIMITED,
    DOWN,
    CUT,
    OUTCOMES.connection_error,
    OUTCOMES.hang,
    failing({ class: 'overloaded', status: 529 }),
    failing({ class: 'malformed', status: 200, maybeExecuted: true }),
    failing({ class: 'timeout', connectTimeout: true }),
  ];

  it.each([0, 1, 3])('N = %i: exactly N + 1 calls of a lone target, for every failure a repeat may heal', (retries) => {
    for (const policy of ['standard', 'permissive', 'strict'] as const) {
      for (const outcome of HEALING) {
        const options = optionsOf({ policy, retries, timeoutMs: 1000 });
        const run = traceOf({ targets: 'a:A1', options, keyed: true, script: [outcome] });
        expect(run.calls.length).toBe(retries + 1);
      }
    }
  });

  it('standard and permissive repeat the last target left, strict each', () => {
    const route = (policy: 'standard' | 'permissive' | 'strict') =>
      traceOf({ targets: 'a:A1,B1', options: optionsOf({ policy, retries: 1 }), script: [DOWN] }).route;
    expect(route('standard')).toBe('A1 B1 B1');
    expect(route('permissive')).toBe('A1 B1 B1');
    expect(route('strict')).toBe('A1 A1 B1 B1');
  });

  it('strict repeats each target also where its row names no repeat, but a stop row never', () => {
    const options = optionsOf({ policy: 'strict', retries: 1, on: ['empty'] });
    expect(traceOf({ targets: 'a:A1,B1', options, script: [OUTCOMES.empty] }).route).toBe('A1 A1 B1 B1');
    expect(traceOf({ targets: 'a:A1,B1', options, script: [CUT] }).route).toBe('A1');
  });

  it('the last target left is the one this failure can not leave', () => {
    const options = optionsOf({ retries: 1, on: ['timeout'] });
    expect(traceOf({ targets: 'a:A1 b:B1', options, script: [DOWN] }).route).toBe('A1 A1');
  });

  it('rows that stop stay at one call, and so does what a repeat can not heal', () => {
    for (const outcome of [REJECTED, OUTCOMES.quota, OUTCOMES.invalid_request, OUTCOMES.context_length]) {
      for (const policy of ['standard', 'strict', 'permissive'] as const) {
        const run = traceOf({ targets: 'a:A1', options: optionsOf({ policy, retries: 3 }), script: [outcome] });
        expect(run.route).toBe('A1');
      }
    }
  });

  it('by default only a plan with a single target repeats; models out of reach do not count', () => {
    expect(traceOf({ targets: 'a:A1 b:B1', script: [DOWN] }).route).toBe('A1 B1');
    expect(traceOf({ targets: 'a:A1 b:B1', options: optionsOf({ crossModel: false }), script: [DOWN] }).route).toBe(
      'A1 A1',
    );
  });

  it('repeats of one target are counted together, whatever fails', () => {
    const options = optionsOf({ policy: 'strict' });
    const run = traceOf({ targets: 'a:A1', options, script: [LIMITED, OUTCOMES.connection_error, DOWN, DOWN] });
    expect(run.route).toBe('A1 A1');
    expect(traceOf({ targets: 'a:A1', options, script: [OUTCOMES.connection_error, DOWN, DOWN] }).route).toBe(
      'A1 A1 A1',
    );
  });
});

describe('D-10, D-11: may have been executed', () => {
  const strict = optionsOf({ policy: 'strict' });
  it('strict without a key: stop, outcome unknown', () => {
    const run = traceOf({ targets: 'a:A1,B1', options: strict, script: [CUT] });
    expect([run.route, run.verdict.kind, run.decisions]).toEqual(['A1', 'outcome_unknown', ['stop']]);
  });

  it("strict under a key: as the class's row", () => {
    expect(traceOf({ targets: 'a:A1,B1', options: strict, keyed: true, script: [CUT] }).route).toBe(
      'A1 A1 A1 B1 B1 B1',
    );
  });

  it('standard: next channel → model, never the same target by itself', () => {
    expect(traceOf({ targets: 'a:A1', script: [CUT] }).route).toBe('A1');
    expect(traceOf({ targets: 'a:A1,A2,B1 b:C1', script: [CUT] }).route).toBe('A1 B1 C1');
  });

  it("D-11: calls that act upstream follow strict's row under standard", () => {
    const acts = { targets: 'a:A1,B1', actsUpstream: true, script: [CUT] };
    expect(traceOf(acts).verdict.kind).toBe('outcome_unknown');
    expect(traceOf({ ...acts, keyed: true }).route).toBe('A1 B1');
    expect(traceOf({ ...acts, script: [DOWN] }).route).toBe('A1 B1');
    expect(traceOf({ ...acts, options: optionsOf({ policy: 'permissive' }) }).route).toBe('A1 B1');
  });

  it('an answer that is known to be none is not "unknown"', () => {
    const empty = failing({ class: 'empty', status: 200, maybeExecuted: true });
    const options = optionsOf({ policy: 'strict', on: ['empty'] });
    expect(traceOf({ targets: 'a:A1,B1', options, script: [empty] }).route).toBe('A1 B1');
  });

  it('D-10: an opt-in does not reach past the stop of the maybe_executed row', () => {
    const options = optionsOf({ policy: 'strict', on: ['model_not_found'] });
    const odd = failing({ class: 'model_not_found', status: 404, maybeExecuted: true });
    expect(traceOf({ targets: 'a:A1 b:B1', options, script: [odd] }).verdict.kind).toBe('outcome_unknown');
  });

  it("a connect timeout reads connection_error's row", () => {
    const run = traceOf({
      targets: 'a:A1,B1',
      options: strict,
      script: [failing({ class: 'timeout', connectTimeout: true })],
    });
    expect(run.route).toBe('A1 A1 B1 B1');
  });
});

describe('P-4, P-5: refusals and resting models', () => {
  it('a refused target is passed over without counting an attempt', () => {
    const run = traceOf({ targets: 'a:A1,A2,B1', script: [refused('cooling_rate_limit'), refused('limit'), OK] });
    expect([run.route, run.verdict]).toEqual(['B1', { kind: 'served', attempt: 1 }]);
    expect([run.state.spent.get(1), run.state.spent.get(2)]).toEqual(['cooling_rate_limit', 'limit']);
  });

  it('after a failure the row goes on without the refused target, and the explanation says so', () => {
    const run = traceOf({ targets: 'a:A1,B1 b:C1', script: [DOWN, refused('limit'), OK] });
    expect([run.route, run.decisions[0]]).toEqual(['A1 C1', 'next_model']);
    expect(run.reasons[0]).toBe('server error; target 2 refused: limit; next model in chain');
  });

  it('everything refused: nothing was called, everything rests', () => {
    const run = traceOf({ targets: 'a:A1,A2 b:B1', script: [refused('limit')] });
    expect([run.route, run.verdict.kind]).toEqual(['', 'all_resting']);
    expect(run.state.skippedModels.map(({ modelPos, reason }) => [modelPos, reason])).toEqual([
      [0, 'limit'],
      [1, 'limit'],
    ]);
  });

  it('everything else refused after a failure: exhausted', () => {
    expect(traceOf({ targets: 'a:A1,A2', script: [LIMITED, refused('limit')] }).verdict.kind).toBe('exhausted');
  });

  it('a refusal with a failure ends the request: the gateway itself says no', () => {
    const run = traceOf({ targets: 'a:A1,B1', script: [DOWN, OUTCOMES.refused_for_good] });
    expect(run.verdict).toMatchObject({ kind: 'stopped', attempt: null, failure: { class: 'gateway_rejected' } });
    expect([run.route, run.decisions]).toEqual(['A1', ['stop']]);
  });

  it('a model without targets is skipped, if `on` names rate_limit', () => {
    const run = traceOf({ targets: 'a: b:B1', script: [OK] });
    expect([run.route, run.state.skippedModels[0]?.reason]).toEqual(['B1', 'cooling_rate_limit']);
    const not = traceOf({ targets: 'a: b:B1', options: optionsOf({ on: ['timeout'] }), script: [OK] });
    expect([not.route, not.verdict.kind]).toEqual(['', 'all_resting']);
    const off = traceOf({ targets: 'a: b:B1', options: optionsOf({ crossModel: false }), script: [OK] });
    expect(off.verdict.kind).toBe('all_resting');
  });

  it('nor past one where the rate_limit cell leads to no model', () => {
    const table = policyTable('standard', { rate_limit: ['next_channel', 'stop'] });
    expect(traceOf({ targets: 'a: b:B1', options: optionsOf({ table }), script: [OK] }).verdict.kind).toBe(
      'all_resting',
    );
  });

  it('the same in the middle of a chain', () => {
    expect(traceOf({ targets: 'a:A1 b: c:C1', script: [DOWN, OK] }).route).toBe('A1 C1');
    const options = optionsOf({ on: ['server_error'] });
    expect(traceOf({ targets: 'a:A1 b: c:C1', options, script: [DOWN, OK] }).route).toBe('A1');
  });

  it('P-6: an incapable model that may be skipped is, whatever `on` names', () => {
    const models = { b: { skipped: { reason: 'incapable', availableAt: null } } } as const;
    const options = optionsOf({ on: ['server_error'] });
    expect(traceOf({ targets: 'a:A1 b: c:C1', models, options, script: [DOWN, OK] }).route).toBe('A1 C1');
  });

  it('G-2: a model that a guardrail denies stops the request at its turn', () => {
    const models = { b: { skipped: { reason: 'guardrail', availableAt: null } } } as const;
    const run = traceOf({ targets: 'a:A1 b: c:C1', models, script: [DOWN, OK] });
    expect(run.route).toBe('A1');
    expect(run.verdict).toMatchObject({
      kind: 'stopped',
      failure: { code: 'guardrail_blocked', message: 'Request blocked by guardrail policy' },
    });
  });

  it('P-5: health alone never refuses everything: one is let through', () => {
    let asked = 0;
    const run = traceOf({
      targets: 'a:A1,B1 b:C1',
      script: () => {
        asked += 1;
        return asked <= 3 ? refused('circuit_open') : OK;
      },
    });
    const insisted = run.actions.filter((action) => action.type === 'admit-attempt' && action.insist);
    expect([run.route, run.verdict.kind, insisted.length]).toEqual(['A1', 'served', 1]);
    expect(run.state.skippedModels.map(({ modelPos }) => modelPos)).toEqual([1]);
  });

  it('P-5: after a failure, an untried target that health alone refused is let through', () => {
    const run = traceOf({ targets: 'a:A1,B1', script: [DOWN, refused('circuit_open'), OK] });
    expect([run.route, run.verdict.kind]).toEqual(['A1 B1', 'served']);
  });

  it('P-5, D-4: what health alone refused is let through only as far as the money goes', () => {
    const costs = { A: 60n, B: 60n };
    const run = (maxCostNanoUsd: bigint) =>
      traceOf({
        targets: 'a:A1,B1',
        costs,
        options: optionsOf({ maxCostNanoUsd }),
        script: [refused('circuit_open'), CUT, OK],
      }).route;
    expect([run(120n), run(119n)]).toEqual(['B1 A1', 'B1']);
  });

  it('P-5: not past a cooldown, not twice, not for a repeat, not for another key of a channel at fault (D-2)', () => {
    const cooling = traceOf({ targets: 'a:A1,B1', script: [DOWN, refused('cooling_rate_limit'), OK] });
    expect([cooling.route, cooling.verdict.kind]).toEqual(['A1', 'exhausted']);
    const twice = traceOf({ targets: 'a:A1,B1', script: [DOWN, refused('circuit_open'), refused('circuit_open')] });
    expect([twice.route, twice.verdict.kind]).toEqual(['A1', 'exhausted']);
    const otherKey = traceOf({ targets: 'a:A1,A2', script: [refused('circuit_open'), DOWN, OK] });
    expect([otherKey.route, otherKey.verdict.kind]).toEqual(['A2', 'exhausted']);
  });

  it('P-5: what is refused even then rests', () => {
    const run = traceOf({ targets: 'a:A1', script: [refused('circuit_open')] });
    expect([run.route, run.verdict.kind]).toEqual(['', 'all_resting']);
  });
});

describe('F-5: answers that say nothing or refuse', () => {
  const odd = (content: 'refusal' | 'filtered' | 'empty'): Outcome => ({ kind: 'odd-answer', content, afterMs: 10 });
  it.each(['refusal', 'filtered', 'empty'] as const)('%s is served unless `on` names it', (content) => {
    expect(traceOf({ targets: 'a:A1 b:B1', script: [odd(content)] }).verdict).toEqual({ kind: 'served', attempt: 1 });
    const word = content === 'empty' ? 'empty' : 'content_policy';
    const run = traceOf({ targets: 'a:A1 b:B1', options: optionsOf({ on: [word] }), script: [odd(content), OK] });
    expect(run.route).toBe('A1 B1');
    expect(run.actions).toContainEqual({ type: 'abort-attempt', attempt: 1, why: 'rejected' });
    expect(run.state.history[0]).toMatchObject({ result: 'failed', failure: { class: word } });
  });

  it('the other word does not reject it', () => {
    const options = optionsOf({ on: ['empty'] });
    expect(traceOf({ targets: 'a:A1 b:B1', options, script: [odd('refusal')] }).verdict.kind).toBe('served');
  });
});

describe('T-2, T-4, T-6: commit, interruption, a client that leaves', () => {
  it('an interruption after commit ends the request, whatever is left', () => {
    const run = traceOf({ targets: 'a:A1,B1', script: [OUTCOMES.broken_stream] });
    expect([run.route, run.verdict.kind, run.decisions]).toEqual(['A1', 'interrupted', ['stop']]);
  });

  it('a client that leaves ends it at once; the call is aborted', () => {
    const run = traceOf({ targets: 'a:A1,B1', script: [OUTCOMES.client_leaves] });
    expect(run.verdict.kind).toBe('client_closed');
    expect(run.actions).toContainEqual({ type: 'abort-attempt', attempt: 1, why: 'client_closed' });
    expect(run.state.history.map(({ result }) => result)).toEqual(['cancelled']);
  });

  it('a run that is detached goes on without its client', () => {
    const run = traceOf({ targets: 'a:A1', script: [{ kind: 'leave', afterMs: 50, detach: true }] });
    expect(run.verdict.kind).toBe('served');
  });
});

describe('I-7: attempts go on counting', () => {
  it('numbers start after the offset; the budget is of this round', () => {
    const run = traceOf({
      targets: 'a:A1,B1',
      attemptOffset: 4,
      options: optionsOf({ maxAttempts: 2 }),
      script: [DOWN],
    });
    expect(run.state.history.map(({ no }) => no)).toEqual([5, 6]);
    expect(run.verdict.kind).toBe('exhausted');
  });
});

describe('total: any event in any state', () => {
  const stamp = { now: 5, wall: 5, random: 0 };
  const failure = makeFailure({ class: 'server_error', message: '' });
  const events: EngineEvent[] = [
    { ...stamp, type: 'begin' },
    { ...stamp, type: 'admitted', attempt: 1, permits: 1 },
    { ...stamp, type: 'refused', attempt: 1, reason: 'limit', availableAt: null, failure: null },
    { ...stamp, type: 'attempt-ready', attempt: 1, content: 'content', failure: null },
    { ...stamp, type: 'attempt-failed', attempt: 1, failure },
    { ...stamp, type: 'attempt-completed', attempt: 1 },
    { ...stamp, type: 'attempt-interrupted', attempt: 1, failure },
    { ...stamp, type: 'wait-elapsed' },
    { ...stamp, type: 'hedge-due' },
    { ...stamp, type: 'client-gone', detach: false },
  ];
  const setup = { options: optionsOf(), keyed: false, actsUpstream: false, attemptOffset: 0, now: 0 };
  const at = (...path: EngineEvent[]): FailoverState =>
    path.reduce((state, event) => decide(state, event).state, initialState({ plan: layout('a:A1'), ...setup }));

  it.each([
    ['planned', at(), ['begin', 'client-gone']],
    ['admitting', at(events[0]!), ['admitted', 'refused', 'client-gone']],
    ['running', at(events[0]!, events[1]!), ['attempt-ready', 'attempt-failed', 'attempt-interrupted', 'client-gone']],
    ['waiting', at(events[0]!, events[1]!, events[4]!), ['wait-elapsed', 'client-gone']],
    [
      'committed',
      at(events[0]!, events[1]!, events[3]!),
      ['attempt-failed', 'attempt-completed', 'attempt-interrupted', 'client-gone'],
    ],
    ['done', at(events[9]!), []],
  ])('%s: listens to what it should, ignores the rest without change', (_name, state, heard) => {
    const changed = events.filter((event) => decide(state, event).state !== state);
    expect(changed.map(({ type }) => type)).toEqual(heard);
    for (const event of events) {
      if (!changed.includes(event)) expect(decide(state, event)).toEqual({ state, actions: [] });
    }
  });

  function play(initial: FailoverState, ...path: EngineEvent[]): { state: FailoverState; actions: EngineAction[] } {
    const actions: EngineAction[] = [];
    let state = initial;
    for (const event of path) {
      const step = decide(state, event);
      state = step.state;
      actions.push(...step.actions);
    }
    return { state, actions };
  }

  it('D-4: an admission that comes after the deadline starts nothing', () => {
    const initial = initialState({ plan: layout('a:A1,B1'), ...setup, options: optionsOf({ deadlineMs: 1000 }) });
    const { state, actions } = play(initial, events[0]!, { ...events[1]!, now: 1000 });
    expect(state.verdict).toEqual({ kind: 'retry_exhausted', budget: 'deadline' });
    expect(actions.map(({ type }) => type)).toEqual(['admit-attempt', 'finish']);
  });

  it('D-8: a hedge still asking for admission when the first one answers leaves no record', () => {
    const initial = initialState({ plan: layout('a:A1,B1'), ...setup, options: optionsOf({ hedgeAfterMs: 100 }) });
    const { state, actions } = play(initial, events[0]!, events[1]!, events[8]!, events[3]!);
    expect(actions.map(({ type }) => type)).toEqual([
      'admit-attempt',
      'start-attempt',
      'arm-hedge',
      'admit-attempt',
      'commit-attempt',
    ]);
    expect([state.live.length, state.history.length]).toEqual([1, 0]);
  });

  it('D-8: what runs on after the first one failed is not hedged again', () => {
    const initial = initialState({ plan: layout('a:A1,B1,C1'), ...setup, options: optionsOf({ hedgeAfterMs: 100 }) });
    const before = play(
      initial,
      events[0]!,
      events[1]!,
      events[8]!,
      { ...events[1]!, attempt: 2 } as EngineEvent,
      events[4]!,
    );
    expect(before.state.live.map(({ no, role }) => [no, role])).toEqual([[2, 'hedge']]);
    expect(decide(before.state, events[8]!)).toEqual({ state: before.state, actions: [] });
  });

  it('D-8, D-11: a hedge that is due all the same starts nothing for a call that acts upstream', () => {
    const options = optionsOf({ hedgeAfterMs: 100 });
    const initial = initialState({ plan: layout('a:A1,B1'), ...setup, options, actsUpstream: true, keyed: true });
    expect(play(initial, events[0]!, events[1]!, events[8]!).actions.map(({ type }) => type)).toEqual([
      'admit-attempt',
      'start-attempt',
    ]);
  });

  it('an empty plan ends', () => {
    const plan = { snapshotVersion: 1, models: [], candidates: [], explicit: false };
    expect(decide(initialState({ plan, ...setup }), events[0]!).state.verdict).toEqual({ kind: 'all_resting' });
  });
});
