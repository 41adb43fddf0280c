/** failures made on purpose, over the wire: as real to their client as any, and nowhere else. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../src/core/record.ts';
import { errorStep, okBody } from '../faults/answers.ts';
import { waitFor } from '../faults/gateway.ts';
import { errorOf } from '../faults/invariants.ts';
import type { RawAnswer } from '../faults/raw-client.ts';
import { JumpingClock } from '../support/jumping-clock.ts';
import { jsonOf, MESSAGES, type RulesRig, type RulesSettings, startRules } from './rules-rig.ts';

type Json = Record<string, unknown>;

const KEY = 'rehearsing-key-0123456789';
const KEYS = [{ name: 'rehearser', workspace: 'main', secret: KEY, allow_rehearse: true }];
const fine = [okBody('fine')];

let rig: RulesRig;
let clock: JumpingClock;

async function start(settings: RulesSettings = {}): Promise<void> {
  clock = new JumpingClock();
  const routes = {
    one: { up: { A: fine } },
    two: { up: { A: fine, B: fine } },
    backup: { up: { C: fine } },
  };
  rig = await startRules(routes, { keys: KEYS, clock, ...settings });
}

beforeEach(() => start());
afterEach(() => rig.close());

function rehearse(header: string, model = 'one', fields: Json = {}): Promise<RawAnswer> {
  return rig.ask(model, fields, { key: KEY, headers: { 'x-understudy-rehearse': header } });
}

async function restart(settings: RulesSettings): Promise<void> {
  await rig.close();
  await start(settings);
}

const STATUSES = [400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 524, 529];

/** What a client goes by; the words of the message aside. */
const told = ({ status, headers, text }: RawAnswer) => {
  const { code, param, attempts } = (JSON.parse(text) as { error: Json }).error;
  return [status, code, param, attempts, headers['x-should-retry'], headers['x-understudy-attempts']];
};

const judged = ({ outcome, ending, attempts }: RequestRecord) => [
  [outcome, ending],
  ...attempts.map((one) => [one.status, one.class, one.triggers, one.maybe_executed, one.decision, one.reason]),
];

const path = (record: RequestRecord) =>
  record.attempts.map(({ no, channel, result, rehearsed, decision }) =>
    [no, channel, rehearsed === true ? 'rehearsed' : 'called', result, decision].join(' '),
  );

describe('what its client sees', () => {
  it('X-4: the first attempt fails on purpose and the next target answers: nobody else was called', async () => {
    const answer = await rehearse('status=503;times=1', 'two');
    expect(answer.status).toBe(200);
    expect(answer.headers['x-understudy-attempts']).toBe('2');
    expect(rig.called()).toEqual(['B:two']);
    const record = await rig.record(answer);
    expect(path(record)).toEqual(['1 a0 rehearsed failed next_channel', '2 b1 called served serve']);
    expect(record.attempts[0]).toMatchObject({
      status: 503,
      class: 'overloaded',
      trigger: 'server_error',
      provider_message: 'rehearsed by X-Understudy-Rehearse',
      sent_at: null,
      usage: null,
      cost_nano_usd: 0,
    });
    expect(record.attempts[1]).not.toHaveProperty('rehearsed');
    expect(record).toMatchObject({ outcome: 'success', waste_nano_usd: 0 });
  });

  it('X-4, R-2: a stream goes on to the next model, and its report tells of it as of a real failure', async () => {
    const answer = await rehearse('status=500;times=2', 'two', { fallback_models: ['backup'], stream: true });
    expect(answer.text).toContain('[DONE]');
    expect(answer.text).toContain('"served_model":"backup"');
    expect(answer.text).toContain('"reason":"server_error"');
    expect(rig.called()).toEqual(['C:backup']);
  });

  it('X-4, E-2: with all attempts failing nothing leaves the gateway, and the error is that of a real outage', async () => {
    const answer = await rehearse('status=429;times=20', 'two', { fallback_models: ['backup'] });
    expect(answer.status).toBe(429);
    expect(errorOf(answer)).toMatchObject({
      code: 'all_models_failed',
      message: 'All 3 model attempt(s) failed (last: backup — rate_limit)',
    });
    expect(rig.called()).toEqual([]);
  });

  it('X-4, F-6: a rehearsed status is read, decided and told like a real one', async () => {
    const real = await startRules(
      Object.fromEntries(
        STATUSES.map((status) => [`s${status}`, { up: { A: [errorStep(status, { message: 'no' })] } }]),
      ),
    );
    try {
      for (const status of STATUSES) {
        const rehearsed = await rehearse(`status=${status}`, 'one', { redundancy: { retries: 0 } });
        const answer = await real.ask(`s${status}`, { redundancy: { retries: 0 } });
        expect(told(rehearsed)).toEqual(told(answer));
        const [one, other] = [await rig.record(rehearsed), await real.record(answer)];
        expect(judged(one)).toEqual(judged(other));
        expect(one.attempts.map(({ rehearsed: on }) => on)).toEqual([true]);
      }
    } finally {
      await real.close();
    }
    expect(rig.called()).toEqual([]);
  });

  it.each([
    ['fault=refused', 'connection_error', 502, 'upstream_connection_error', false],
    ['fault=connect_timeout', 'timeout', 504, 'upstream_timeout', false],
    ['fault=reset', 'server_error', 502, 'upstream_connection_error', true],
    ['fault=timeout', 'timeout', 504, 'upstream_timeout', true],
    ['fault=malformed', 'malformed', 502, 'upstream_malformed', false],
    ['status=429;code=insufficient_quota', 'quota_exhausted', 429, 'insufficient_quota', false],
  ])('X-4: %s', async (header, failureClass, status, code, maybeExecuted) => {
    await restart({ redundancy: { timeout_ms: 150 } });
    const answer = await rehearse(header, 'one', { redundancy: { retries: 0 } });
    expect([answer.status, errorOf(answer)['code']]).toEqual([status, code]);
    const record = await rig.record(answer);
    expect(record.attempts).toHaveLength(1);
    expect(record.attempts[0]).toMatchObject({ class: failureClass, maybe_executed: maybeExecuted, cost_nano_usd: 0 });
    expect(record.attempts[0]?.rehearsed).toBe(true);
    expect(rig.called()).toEqual([]);
  });

  it('X-4, D-3: a stated wait is obeyed and told', async () => {
    const answer = await rehearse('status=429;retry_after=30', 'one');
    expect(answer.status).toBe(429);
    expect(answer.headers['retry-after']).toBe('30');
    expect(answer.headers['x-should-retry']).toBe('true');
    expect((await rig.record(answer)).attempts[0]).toMatchObject({ retry_after_ms: 30_000 });
  });

  it('X-4: a failure takes its time to come', async () => {
    const answer = await rehearse('status=503;delay_ms=80', 'two');
    expect((await rig.record(answer)).attempts[0]?.latency_ms).toBeGreaterThanOrEqual(75);
  });

  it('X-4, D-3: a repeat of the same target after a rehearsed failure is a call', async () => {
    const answer = await rehearse('status=503;times=2', 'one', { redundancy: { retries: 3 } });
    expect(path(await rig.record(answer))).toEqual([
      '1 a0 rehearsed failed retry',
      '2 a0 rehearsed failed retry',
      '3 a0 called served serve',
    ]);
    expect(rig.called()).toEqual(['A:one']);
  });

  it('T-6: a client that leaves ends a rehearsed silence at once', async () => {
    const headers = { 'x-understudy-rehearse': 'fault=timeout' };
    await rig.ask('one', {}, { key: KEY, headers, leaveAfterMs: 60 });
    const newest = await waitFor(async () => (await rig.gateway.records(1))[0] ?? null, 'the record');
    const record = await rig.gateway.record(newest.id);
    expect(record).toMatchObject({ ending: 'client_closed', status: 499 });
    expect(record.attempts[0]).toMatchObject({ result: 'cancelled', rehearsed: true });
    expect(rig.gateway.inside.live.size).toBe(0);
  });

  it('G-10: the header goes to no upstream', async () => {
    await rehearse('status=503;times=1', 'two');
    expect(rig.headersSent()).toHaveLength(1);
    expect(Object.keys(rig.headersSent()[0]!)).not.toContain('x-understudy-rehearse');
  });
});

describe('who may', () => {
  it('X-4: a key without `allow_rehearse` gets 403 and no call is made', async () => {
    const answer = await rig.ask('one', {}, { headers: { 'x-understudy-rehearse': 'status=503' } });
    expect(answer.status).toBe(403);
    expect(errorOf(answer)).toMatchObject({ code: 'permission_denied', param: 'X-Understudy-Rehearse' });
    expect(rig.called()).toEqual([]);
  });

  it('X-4: what can not be read is 400, never ignored', async () => {
    const answer = await rehearse('status=200');
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ code: 'invalid_parameter', param: 'X-Understudy-Rehearse' });
    expect(rig.called()).toEqual([]);
  });
});

describe('H-2: it counts for nothing but its own request', () => {
  it('H-2, H-1: no cooldown, no circuit, no count on the health board', async () => {
    for (const header of ['status=503', 'status=429;retry_after=60', 'status=401', 'status=404', 'fault=reset']) {
      for (let i = 0; i < 8; i += 1) await rehearse(`${header};times=20`, 'one', { redundancy: { retries: 0 } });
    }
    expect(rig.called()).toEqual([]);
    const targets = (await rig.admin('/v1/health/targets'))['data'] as Json[];
    expect(targets.map(({ state, calls, failures, level }) => [state, calls, failures, level])).toEqual(
      targets.map(() => ['ok', 0, 0, 0]),
    );
    expect((await rig.ask('one')).status).toBe(200);
  });

  it('D-6: neither a rehearsed repeat nor the call that follows one draws on the retry budget', async () => {
    await restart({ over: { retry_budget: { ratio: 0, window_ms: 60_000, min: 1 } } });
    for (let i = 0; i < 5; i += 1) {
      const answer = await rehearse('status=503;times=2', 'one', { redundancy: { retries: 5 } });
      expect([answer.status, answer.headers['x-understudy-attempts']]).toEqual([200, '3']);
    }
    expect(rig.gateway.inside.retryBudget.mayRepeat('one#a0', clock.now())).toBe(true);
  });

  it('P-2: nothing of it is measured', async () => {
    await rehearse('status=503;times=20', 'one', { redundancy: { retries: 0 } });
    const { measurements } = rig.gateway.inside;
    expect(measurements.inFlight('one#a0')).toBe(0);
    expect(measurements.timeToFirstToken('one#a0', false, clock.now())).toBeNull();
  });

  it('G-6: a key is not suspended for what it rehearses', async () => {
    for (let i = 0; i < 120; i += 1) await rehearse('status=500', 'one', { redundancy: { retries: 0 } });
    expect((await rehearse('status=500', 'two')).status).toBe(200);
    expect(rig.gateway.inside.keyBreaker.rest('rehearser', clock.now(), clock.wall())).toBeNull();
  });

  it('P-4, G-4: limits of credentials and a prepaid balance are left as they are', async () => {
    const credentials = { c: { provider: 'p-one-a', secret: 'sk-one-a', limits: { rpm: 1, rpd: 1, concurrent: 1 } } };
    const workspaces = { main: { balance_usd: 1 } };
    const price = { input: 1, output: 2 };
    const models = {
      one: { price, channels: [{ id: 'a0', provider: 'p-one-a', model: 'one', max_output_tokens: 50 }] },
    };
    await restart({ over: { credentials, workspaces, models } });
    const { accounts, limits } = rig.gateway.inside;
    for (const header of ['status=503', 'fault=reset', 'status=504']) {
      expect((await rehearse(header, 'one', { redundancy: { retries: 0 } })).status).toBeGreaterThan(499);
    }
    expect(limits.usage({ kind: 'credential', id: 'c' }, clock.now(), clock.wall()).day.requests).toBe(0);
    expect([accounts.balance('main'), accounts.available('main')]).toEqual([1_000_000_000n, 1_000_000_000n]);
    expect((await accounts.entries('main', 10)).data.map(({ kind }) => kind)).toEqual(['grant']);
    expect((await rig.ask('one')).status).toBe(200);
  });

  it('D-4: it costs nothing of `max_cost_usd`, however it failed', async () => {
    const price = { input: 1, output: 2 };
    const channels = ['a', 'b'].map((up) => ({
      id: up,
      provider: `p-two-${up}`,
      model: 'two',
      max_output_tokens: 1000,
    }));
    await restart({ over: { models: { two: { price, channels } } } });
    // Room for one call in the worst case, not for two.
    const answer = await rehearse('fault=reset', 'two', { max_tokens: 1000, redundancy: { max_cost_usd: 0.003 } });
    expect([answer.status, rig.called()]).toEqual([200, ['B:two']]);
  });

  it('O-3: metrics count no upstream call, and no call that may have been executed', async () => {
    await rehearse('fault=reset', 'one', { redundancy: { retries: 0 } });
    const page = (await rig.get('/metrics')).text;
    expect(page).toMatch(/^understudy_requests_total\{endpoint="chat",model="one".*\} 1$/m);
    expect(page).not.toMatch(/^understudy_attempts_total\{/m);
    expect(page).not.toMatch(/^understudy_maybe_executed_total\{/m);
  });

  it('H-2: no alert says that a credential was refused', async () => {
    const raised: unknown[] = [];
    const { alerts } = rig.gateway.inside;
    const { raise } = alerts;
    Object.assign(alerts, { raise: (alert: unknown) => raised.push(alert) });
    await rehearse('status=401', 'one');
    Object.assign(alerts, { raise });
    expect(raised).toEqual([]);
  });

  it('G-11: the request itself counts for its key', async () => {
    await rehearse('status=503', 'two');
    const key = jsonOf(await rig.get('/v1/key', { authorization: `Bearer ${KEY}` }));
    expect(key['usage']).toMatchObject({ day: { requests: 1 } });
  });
});

describe('what a real failure would have met as well', () => {
  it('P-4, G-2, P-6: refusals come before any rehearsed failure', async () => {
    await restart({ over: { workspaces: { main: { guardrails: { deny_models: ['two'] } } } } });
    expect(errorOf(await rehearse('status=503', 'two'))['code']).toBe('guardrail_blocked');
    for (const { id } of rig.gateway.inside.board.list(clock.now(), clock.wall()))
      rig.gateway.inside.board.drain(id, clock.now());
    expect(errorOf(await rehearse('status=503', 'one'))['code']).toBe('rate_limited');
  });

  it('G-4: with an empty balance it is 402', async () => {
    const models = {
      one: { price: { input: 1, output: 2 }, channels: [{ id: 'a0', provider: 'p-one-a', model: 'one' }] },
    };
    await restart({ over: { models, workspaces: { main: { balance_usd: 0 } } } });
    expect((await rehearse('status=503', 'one', { max_tokens: 10 })).status).toBe(402);
  });

  it('O-5: the trace says that it was on purpose', async () => {
    const answer = await rig.post(
      { model: 'two', messages: MESSAGES },
      {
        key: KEY,
        headers: { 'x-understudy-rehearse': 'status=503' },
      },
    );
    const shown = await rig.admin(`/v1/requests/${answer.headers['x-request-id']}`);
    expect((shown['attempts'] as Json[]).map(({ rehearsed }) => rehearsed)).toEqual([true, undefined]);
  });
});
