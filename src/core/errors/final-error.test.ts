import { describe, expect, it } from 'vitest';
import { optionsOf } from '../../../sim/virtual/layout.ts';
import { failing, OUTCOMES, type Outcome } from '../../../sim/virtual/outcome.ts';
import { type TraceInput, traceOf } from '../../../sim/virtual/trace.ts';
import type { FailoverState } from '../failover/machine.ts';
import type { SkipReason } from '../failover/plan-types.ts';
import { replayRun } from '../failover/replay.ts';
import { type FailureInit, makeFailure } from '../failure.ts';
import { attemptSummaries, finalError } from './final-error.ts';
import type { GatewayError } from './gateway-error.ts';

function errorOf(input: TraceInput, soonestReturn: number | null = null): GatewayError {
  const { state } = traceOf(input);
  return finalError(state, { wallNow: state.at.wall, soonestReturn });
}

function direct(init: Partial<FailureInit> & Pick<FailureInit, 'class'>): GatewayError {
  return errorOf({ targets: 'a:A1', options: optionsOf({ retries: 0 }), script: [failing(init)] });
}

const LIMITED = failing({ class: 'rate_limit', status: 429 });
const DOWN = OUTCOMES.server_error;
const refused = (reason: SkipReason): Outcome => ({ kind: 'refuse', reason, failure: null });
const limitedFor = (ms: number): Outcome =>
  failing({ class: 'rate_limit', status: 429, hint: { ms, source: 'header:retry-after' } });

describe("E-1: the last attempt's own status and words", () => {
  it('message, type, code and param are passed on, ids masked', () => {
    const error = direct({
      class: 'invalid_request',
      status: 422,
      code: 'bad_value',
      type: 'invalid_request_error',
      param: 'top_p',
      message: 'top_p is too high for org-AbC123',
    });
    expect(error).toMatchObject({
      status: 422,
      code: 'bad_value',
      type: 'invalid_request_error',
      param: 'top_p',
      message: 'top_p is too high for org-***',
      attempts: null,
      budget: null,
      maybeExecuted: null,
    });
  });

  it('of several attempts the last one speaks', () => {
    const script = [
      failing({ class: 'server_error', status: 500 }),
      failing({ class: 'overloaded', status: 529, code: 'overloaded' }),
    ];
    const error = errorOf({ targets: 'a:A1,B1', script });
    expect([error.status, error.code]).toEqual([529, 'overloaded']);
  });

  it.each([
    ['connection_error', null, 502, 'upstream_connection_error'],
    ['timeout', null, 504, 'upstream_timeout'],
    ['timeout', 524, 524, 'upstream_timeout'],
    ['server_error', null, 502, 'upstream_connection_error'],
    ['server_error', 500, 500, 'upstream_error'],
    ['server_error', 200, 502, 'upstream_error'],
    ['rate_limit', 200, 429, 'rate_limited'],
    ['rate_limit', 503, 503, 'rate_limited'],
    ['overloaded', 200, 503, 'upstream_overloaded'],
    ['timeout', 200, 504, 'upstream_timeout'],
    ['content_policy', 200, 400, 'content_policy_violation'],
    ['context_length', 200, 400, 'context_length_exceeded'],
    ['invalid_request', 200, 400, 'invalid_parameter'],
    ['model_not_found', 200, 404, 'model_not_found'],
    ['model_not_found', 404, 404, 'model_not_found'],
    ['malformed', 200, 502, 'upstream_malformed'],
    ['malformed', 302, 502, 'upstream_malformed'],
    ['empty', 200, 502, 'empty_completion'],
    ['quota_exhausted', 402, 429, 'insufficient_quota'],
    ['auth', 401, 502, 'upstream_credentials_rejected'],
    ['permission', 403, 502, 'upstream_credentials_rejected'],
    ['payload_too_large', 413, 413, 'request_too_large'],
  ] as const)('%s under %s: %i %s', (failureClass, upstream, status, code) => {
    const error = direct({ class: failureClass, status: upstream });
    expect([error.status, error.code]).toEqual([status, code]);
  });

  it("the upstream's words about its credential stay in the log", () => {
    const error = direct({ class: 'auth', status: 401, code: 'invalid_api_key', message: 'Incorrect key sk-abc' });
    expect(error.message).not.toContain('sk-abc');
    expect(error.code).toBe('upstream_credentials_rejected');
  });

  it('E-5: markup never reaches a client', () => {
    const error = direct({ class: 'server_error', status: 502, message: '<html><body>Bad Gateway</body></html>' });
    expect(error.message).toBe('the upstream failed; try again later');
  });

  it('a virtual model or a default model ends the same way, unwrapped', () => {
    const error = errorOf({ targets: 'a:A1 b:B1', explicit: false, script: [LIMITED, DOWN] });
    expect([error.status, error.code, error.attempts]).toEqual([500, 'upstream_error', null]);
  });

  it('a stop at a later model of a chain nobody spelled out speaks for itself', () => {
    const script = [DOWN, OUTCOMES.invalid_request];
    expect(errorOf({ targets: 'a:A1 b:B1', explicit: false, script }).status).toBe(400);
  });
});

describe('E-2: a chain of several models', () => {
  it('502 with every attempt in order', () => {
    const error = errorOf({ targets: 'a:A1,A2 b:B1', script: [LIMITED, LIMITED, DOWN] });
    expect(error).toMatchObject({
      status: 502,
      code: 'all_models_failed',
      type: 'upstream_error',
      message: 'All 3 model attempt(s) failed (last: b — server_error)',
      attempts: [
        { model: 'a', status: 'failed', reason: 'rate_limit', class: 'rate_limit', latency_ms: 100 },
        { model: 'a', status: 'failed', reason: 'rate_limit', class: 'rate_limit', latency_ms: 100 },
        { model: 'b', status: 'failed', reason: 'server_error', class: 'server_error', latency_ms: 100 },
      ],
    });
  });

  it('429 if every failure was a rate limit, by trigger', () => {
    const script = [OUTCOMES.quota, failing({ class: 'overloaded', status: 429 })];
    const error = errorOf({ targets: 'a:A1 b:B1', script });
    expect([error.status, error.type]).toEqual([429, 'rate_limit_error']);
    expect(error.message).toBe('All 2 model attempt(s) failed (last: b — server_error)');
  });

  it('P-4: a skipped model is a rate limit and no attempt', () => {
    const error = errorOf({ targets: 'a: b:B1 c:', options: optionsOf({ retries: 0 }), script: [LIMITED] });
    expect([error.status, error.message]).toEqual([429, 'All 1 model attempt(s) failed (last: b — rate_limit)']);
    expect(error.attempts).toEqual([
      { model: 'a', status: 'skipped', reason: 'rate_limit', class: 'rate_limit', latency_ms: 0 },
      { model: 'b', status: 'failed', reason: 'rate_limit', class: 'rate_limit', latency_ms: 100 },
      { model: 'c', status: 'skipped', reason: 'rate_limit', class: 'rate_limit', latency_ms: 0 },
    ]);
    expect(errorOf({ targets: 'a: b:B1', script: [OUTCOMES.connection_error] }).status).toBe(502);
  });

  it('the reason is the class where there is no trigger', () => {
    const error = errorOf({ targets: 'a:A1 b:B1', options: optionsOf({ on: ['auth'] }), script: [OUTCOMES.auth] });
    expect(error.message).toBe('All 2 model attempt(s) failed (last: b — auth)');
    expect(error.status).toBe(502);
  });

  it('a chain of one is a direct model', () => {
    expect(
      errorOf({ targets: 'a:A1', explicit: true, options: optionsOf({ retries: 0 }), script: [DOWN] }).status,
    ).toBe(500);
  });
});

describe('E-3: a stop', () => {
  it('at the first model: its own status and code, unwrapped', () => {
    const bad = failing({ class: 'invalid_request', status: 400, code: 'bad' });
    const error = errorOf({ targets: 'a:A1 b:B1', script: [bad] });
    expect([error.status, error.code, error.attempts]).toEqual([400, 'bad', null]);
    expect(errorOf({ targets: 'a:A1 b:B1', script: [OUTCOMES.auth] }).code).toBe('upstream_credentials_rejected');
  });

  it.each([
    ['rate limits before it', LIMITED, 429],
    ['another failure before it', DOWN, 502],
  ])("at a later model: E-2 over %s, not the fallback's own", (_name, first, status) => {
    const error = errorOf({ targets: 'a:A1 b:B1', script: [first, OUTCOMES.context_length] });
    expect([error.status, error.code]).toEqual([status, 'all_models_failed']);
    expect(error.message).toBe('All 2 model attempt(s) failed (last: b — context_length)');
    expect(error.attempts?.length).toBe(2);
  });

  it('after a skipped first model it is a later model', () => {
    expect(errorOf({ targets: 'a: b:B1', script: [OUTCOMES.invalid_request] }).status).toBe(429);
  });

  it('with no failure before it, none was a rate limit', () => {
    const models = { a: { skipped: { reason: 'incapable', availableAt: null } } } as const;
    const error = errorOf({ targets: 'a: b:B1', models, script: [OUTCOMES.invalid_request] });
    expect([error.status, error.code]).toEqual([502, 'all_models_failed']);
    expect(error.attempts?.[0]).toEqual({ model: 'a', status: 'skipped', reason: 'incapable', latency_ms: 0 });
  });

  it("the gateway's own rejection keeps its status and carries the attempts", () => {
    const error = errorOf({ targets: 'a:A1 b:B1', script: [DOWN, OUTCOMES.refused_for_good] });
    expect([error.status, error.code, error.attempts?.length]).toEqual([402, 'insufficient_balance', 2]);
    const first = errorOf({ targets: 'a:A1', script: [OUTCOMES.refused_for_good] });
    expect([first.status, first.attempts]).toEqual([402, null]);
  });

  describe('E-3: capabilities, guardrails and money carry attempts alike', () => {
    const rejected = (status: number, code: string) =>
      makeFailure({ class: 'gateway_rejected', status, code, message: code, phase: 'unsent' });
    const refusing = (reason: SkipReason, status: number): Outcome => ({
      kind: 'refuse',
      reason,
      failure: rejected(status, reason),
    });
    const denied = { b: { skipped: { reason: 'guardrail', availableAt: null } } } as const;
    const line = (reason: string) => ({
      model: 'b',
      status: 'skipped',
      reason,
      class: 'gateway_rejected',
      latency_ms: 0,
    });
    const CASES = [
      ['incapable', { targets: 'b:B1', script: [refusing('incapable', 400)] }],
      ['balance', { targets: 'b:B1', script: [refusing('balance', 402)] }],
      ['guardrail', { targets: 'b:', models: denied, script: [] }],
    ] as const;

    it.each(CASES)('%s: what was tried before, then the refused model', (reason, { targets, ...rest }) => {
      const error = errorOf({
        ...rest,
        options: optionsOf({ retries: 0 }),
        targets: `a:A1 ${targets}`,
        script: [DOWN, ...rest.script],
      });
      expect(error.attempts).toEqual([
        { model: 'a', status: 'failed', reason: 'server_error', class: 'server_error', latency_ms: 100 },
        line(reason),
      ]);
    });

    it.each(CASES)('%s: what was skipped before counts as well', (reason, { targets, ...rest }) => {
      const error = errorOf({ ...rest, targets: `a: ${targets}` });
      expect(error.attempts).toMatchObject([{ model: 'a', status: 'skipped' }, line(reason)]);
    });

    it.each(CASES)('%s: with nothing before it there are none', (_reason, input) => {
      expect(errorOf(input).attempts).toBeNull();
      expect(errorOf({ ...input, targets: `${input.targets} c:C1` }).attempts).toBeNull();
    });
  });

  it('G-2: a denied model, in the exact words', () => {
    const models = { a: { skipped: { reason: 'guardrail', availableAt: null } } } as const;
    const error = errorOf({ targets: 'a:', models, script: [] });
    expect([error.status, error.code, error.message]).toEqual([
      403,
      'guardrail_blocked',
      'Request blocked by guardrail policy',
    ]);
  });
});

describe('P-4: everything rests', () => {
  const resting = (...reasons: SkipReason[]) =>
    errorOf({ targets: `a:${reasons.map((_reason, ix) => `A${ix}`).join(',')}`, script: reasons.map(refused) });

  it.each([
    [['cooling_rate_limit', 'limit'], 429, 'rate_limited'],
    [['cooling_auth', 'cooling_permission'], 502, 'upstream_credentials_rejected'],
    [['cooling_quota'], 429, 'insufficient_quota'],
    [['cooling_model_not_found'], 404, 'model_not_found'],
    [['cooling_auth', 'cooling_quota'], 429, 'rate_limited'],
    [['guardrail', 'limit'], 429, 'rate_limited'],
    [['guardrail', 'cooling_auth'], 502, 'upstream_credentials_rejected'],
    [['incapable'], 400, 'unsupported_model_input'],
  ] as const)('%s: %i %s', (reasons, status, code) => {
    const error = resting(...reasons);
    expect([error.status, error.code]).toEqual([status, code]);
  });

  it("S0's message, exactly; Retry-After by the soonest return", () => {
    const state = traceOf({ targets: 'a:A1', script: [refused('limit')] }).state;
    const error = finalError(state, { wallNow: state.at.wall, soonestReturn: state.at.wall + 7000 });
    expect(error.message).toBe('all upstream credentials for this model are rate limited');
    expect(error.retryAt).toBe(state.at.wall + 7000);
    expect(error.shouldRetry).toBe(true);
  });

  it('Retry-After in a second where running calls take all the room: nobody knows when they end', () => {
    const models = { a: { skipped: { reason: 'limit', availableAt: null } } } as const;
    const { state } = traceOf({ targets: 'a:', models, script: [] });
    const error = finalError(state, { wallNow: state.at.wall });
    expect([error.code, error.retryAt, error.shouldRetry]).toEqual(['rate_limited', state.at.wall + 1000, false]);
  });

  it('also for a chain: no upstream call, no wrapping', () => {
    expect(errorOf({ targets: 'a: b:', script: [] }).code).toBe('rate_limited');
  });

  it("the plan's own reasons count: all candidates of the skipped model", () => {
    const { state } = traceOf({ targets: 'a:', script: [] });
    const target = { model: 0, channel: 0, credential: 0 };
    const withCandidates = (...reasons: SkipReason[]): FailoverState => ({
      ...state,
      plan: {
        ...state.plan,
        candidates: reasons.map((reason, ix) => ({ rank: ix + 1, target, skip: { reason, availableAt: null } })),
      },
    });
    const { candidates } = withCandidates('cooling_rate_limit').plan;
    const other = candidates.map((candidate) => ({ ...candidate, target: { ...target, model: 1 } }));
    const auth = withCandidates('cooling_auth');
    const both = { ...auth, plan: { ...auth.plan, candidates: [...auth.plan.candidates, ...other] } };
    expect(finalError(both, { wallNow: 0 }).code).toBe('upstream_credentials_rejected');
    const code = (...reasons: SkipReason[]) => finalError(withCandidates(...reasons), { wallNow: 0 }).code;
    expect(code('cooling_auth', 'cooling_auth')).toBe('upstream_credentials_rejected');
    expect(code('cooling_auth', 'cooling_rate_limit')).toBe('rate_limited');
  });

  it('no Retry-After where waiting does not help', () => {
    const state = traceOf({ targets: 'a:A1', script: [refused('cooling_auth')] }).state;
    const error = finalError(state, { wallNow: state.at.wall, soonestReturn: state.at.wall + 1000 });
    expect([error.retryAt, error.shouldRetry]).toEqual([null, false]);
  });
});

describe('D-4: a budget ended it', () => {
  it.each([
    ['attempts', { maxAttempts: 1 }, OUTCOMES.auth, 502],
    ['attempts', { maxAttempts: 1 }, LIMITED, 429],
    ['deadline', { deadlineMs: 1000 }, failing({ class: 'rate_limit', status: 429 }, 999.5), 504],
  ] as const)('%s %o: %#', (budget, changes, outcome, status) => {
    const error = errorOf({ targets: 'a:A1,A2', options: optionsOf(changes), script: [outcome] });
    expect([error.status, error.code, error.budget, error.attempts?.length]).toEqual([
      status,
      'retry_exhausted',
      budget,
      1,
    ]);
    expect(error.message).toContain('Gave up after 1 attempt(s)');
  });

  it('cost, before the first attempt', () => {
    const options = optionsOf({ maxCostNanoUsd: 1n });
    const error = errorOf({ targets: 'a:A1', costs: { A: 2n }, options, script: [] });
    expect([error.status, error.budget, error.attempts]).toEqual([502, 'cost', []]);
  });

  it('cost, where no price is known: with attempts as well', () => {
    const models = { a: { skipped: { reason: 'price_unknown', availableAt: null } } } as const;
    const error = errorOf({ targets: 'a:', models, options: optionsOf({ maxCostNanoUsd: 1n }), script: [] });
    expect([error.status, error.code, error.budget]).toEqual([502, 'retry_exhausted', 'cost']);
    expect(error.attempts).toEqual([{ model: 'a', status: 'skipped', reason: 'price_unknown', latency_ms: 0 }]);
  });
});

describe('strict: outcome unknown', () => {
  it('504 with maybe_executed, not to be repeated', () => {
    const error = errorOf({ targets: 'a:A1,B1', options: optionsOf({ policy: 'strict' }), script: [OUTCOMES.cut] });
    expect(error).toMatchObject({
      status: 504,
      code: 'upstream_outcome_unknown',
      maybeExecuted: true,
      shouldRetry: false,
      retryAt: null,
    });
  });
});

describe('D-7, D-3: x-should-retry and the instant', () => {
  const verdict = (...script: Outcome[]) => {
    const { state } = traceOf({ targets: 'a:A1 b:B1', options: optionsOf({ maxWaitMs: 0 }), script });
    const error = finalError(state, { wallNow: state.at.wall });
    return [error.status, error.shouldRetry, error.retryAt === null ? null : error.retryAt - state.at.wall];
  };

  it('true only if all failures heal by a known wait of at most a minute', () => {
    expect(verdict(limitedFor(20_000), limitedFor(60_000))).toEqual([429, true, 19_900]);
    expect(verdict(limitedFor(20_000), limitedFor(60_001))).toEqual([429, false, 19_900]);
    expect(verdict(limitedFor(20_000), LIMITED)).toEqual([429, false, 19_900]);
    expect(verdict(LIMITED, LIMITED)).toEqual([429, false, null]);
    expect(verdict(limitedFor(20_000), DOWN)).toEqual([502, false, null]);
  });

  it('an overload that states its wait heals as well', () => {
    const busy = failing({ class: 'overloaded', status: 503, hint: { ms: 9000, source: 'header:retry-after' } });
    expect(verdict(busy)).toEqual([502, true, 8900]);
  });

  it('a wait beside a class that no wait heals is none', () => {
    const bad = failing({ class: 'auth', status: 401, hint: { ms: 1000, source: 'header:retry-after' } });
    expect(verdict(bad)).toEqual([502, false, null]);
  });

  it("the upstream's own x-should-retry: false is passed on", () => {
    const never = failing({
      class: 'rate_limit',
      status: 429,
      shouldRetry: false,
      hint: { ms: 1000, source: 'header:retry-after' },
    });
    expect(verdict(never)[1]).toBe(false);
  });

  it('a wait longer than SDKs can bear is told truly, not as an invitation', () => {
    const { state } = traceOf({ targets: 'a:A1', script: [limitedFor(4_236_000)] });
    const error = finalError(state, { wallNow: state.at.wall });
    expect([error.status, error.shouldRetry, error.retryAt! - state.at.wall]).toEqual([429, false, 4_236_000]);
  });

  it('the clocks are not mixed: an instant is wall time', () => {
    const { state } = traceOf({ targets: 'a:A1', script: [limitedFor(30_000)] });
    expect(finalError(state, { wallNow: state.at.wall }).retryAt).toBe(1_796_000_000_000 + 1100 + 30_000);
  });
});

describe('R-2: attempts of a served request', () => {
  it('the committed attempt counts as served before its end', () => {
    const { state, initial, events } = traceOf({ targets: 'a:A1 b: c:C1', script: [DOWN, OUTCOMES.ok] });
    expect(attemptSummaries(state)).toEqual([
      { model: 'a', status: 'failed', reason: 'server_error', class: 'server_error', latency_ms: 100 },
      { model: 'b', status: 'skipped', reason: 'rate_limit', class: 'rate_limit', latency_ms: 0 },
      { model: 'c', status: 'served', latency_ms: 500 },
    ]);
    expect(events.at(-1)?.type).toBe('attempt-completed');
    const committed = replayRun(initial, events.slice(0, -1)).state;
    expect(attemptSummaries(committed).at(-1)).toEqual({ model: 'c', status: 'served', latency_ms: 200 });
  });

  it('a lost hedge is cancelled', () => {
    const slow: Outcome = { kind: 'answer', afterMs: 5000, restMs: 1 };
    const { state } = traceOf({
      targets: 'a:A1,B1',
      options: optionsOf({ hedgeAfterMs: 100 }),
      script: [slow, OUTCOMES.ok],
    });
    expect(attemptSummaries(state).map(({ status }) => status)).toEqual(['cancelled', 'served']);
  });
});
