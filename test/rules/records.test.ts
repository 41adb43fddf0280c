/** Sections 7 and 12 over the wire: what is written down of a request, and of the health of its targets. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from '../../src/assemble.ts';
import { errorStep, okBody, okStream } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { sendRaw } from '../faults/raw-client.ts';
import { until } from '../faults/rig.ts';
import { ADMIN_TOKEN, MESSAGES, type RulesRig, startRules, withRules } from './rules-rig.ts';

type Json = Record<string, unknown>;

const LIMITED = errorStep(
  429,
  { message: 'slow down', code: 'rate_limit_exceeded' },
  { 'retry-after': '30', 'x-request-id': 'up-1' },
);
const DOWN = errorStep(500, { message: 'down', code: 'server_error' });

let rig: RulesRig;
beforeAll(async () => {
  rig = await startRules({
    a: { up: { A: [LIMITED], B: [DOWN] } },
    b: { up: { A: [okBody('b'), okStream('b'), okBody('b')] } },
    c: { up: { A: [okBody('c')] } },
    bad: { up: { A: [errorStep(400, { message: 'bad', type: 'invalid_request_error' })] } },
    late: { up: { A: [errorStep(504, { message: 'late' })] } },
    denied: { up: { A: [errorStep(401, { message: 'no' })] } },
    refusing: { up: { A: [errorStep(400, { message: 'no', code: 'content_policy_violation' })] } },
  });
});
afterAll(() => rig.close());

const FIELDS = [
  'id',
  'client_request_id',
  'at',
  'workspace',
  'key',
  'endpoint',
  'stream',
  'requested_model',
  'served_model',
  'chain',
  'policy',
  'status',
  'outcome',
  'ending',
  'error_code',
  'degraded',
  'degraded_reasons',
  'idempotency',
  'client_retry',
  'upstream_calls',
  'latency_ms',
  'ttft_ms',
  'usage',
  'cost_nano_usd',
  'waste_nano_usd',
  'virtual_model',
];
const TRACE = ['stages', 'candidates', 'attempts'];
const ATTEMPT = [
  'no',
  'id',
  'model',
  'channel',
  'credential',
  'provider',
  'upstream_model',
  'started_at',
  'sent_at',
  'latency_ms',
  'ttft_ms',
  'status',
  'result',
  'class',
  'trigger',
  'triggers',
  'provider_code',
  'provider_message',
  'provider_request_id',
  'retry_after_ms',
  'retry_after_source',
  'maybe_executed',
  'suspicious',
  'hedge',
  'decision',
  'reason',
  'changes',
  'usage',
  'cost_nano_usd',
];
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('the record', () => {
  it('O-1: every field of the interface, with what happened', async () => {
    const headers = { 'x-request-id': 'client-1' };
    const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES }, { headers });
    expect(answer.status).toBe(200);
    await rig.record(answer);
    const record = await rig.admin(`/v1/requests/${String(answer.headers['x-request-id'])}`);
    expect(Object.keys(record).sort()).toEqual([...FIELDS, ...TRACE].sort());
    expect(record).toMatchObject({
      id: answer.headers['x-request-id'],
      client_request_id: 'client-1',
      at: expect.stringMatching(ISO),
      workspace: 'main',
      key: 'test',
      endpoint: 'chat',
      stream: false,
      requested_model: 'a',
      served_model: 'b',
      chain: ['a', 'b'],
      policy: 'standard',
      status: 200,
      outcome: 'success',
      ending: 'served',
      error_code: null,
      degraded: true,
      degraded_reasons: ['model'],
      idempotency: null,
      client_retry: { count: 0, how: null, upstream_calls: 3 },
      upstream_calls: 3,
      usage: { input_tokens: 3, output_tokens: 2 },
    });
    expect((record['stages'] as Json[]).map(({ name, ms }) => [name, typeof ms])).toEqual(
      ['receive', 'plan', 'admit', 'upstream', 'deliver'].map((name) => [name, 'number']),
    );
    expect((record['stages'] as Json[])[3]).toMatchObject({ name: 'upstream', attempts: 3 });
    const sum = (record['stages'] as { ms: number }[]).reduce((total, { ms }) => total + ms, 0);
    expect(Math.abs(sum - Number(record['latency_ms']))).toBeLessThan(1);
  });

  it('O-1, F-2, F-4: every field of every attempt', async () => {
    const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES, stream: true });
    await rig.record(answer);
    const record = await rig.admin(`/v1/requests/${String(answer.headers['x-request-id'])}`);
    const attempts = record['attempts'] as Json[];
    for (const attempt of attempts) {
      expect(Object.keys(attempt).sort()).toEqual([...ATTEMPT].sort());
      expect(attempt).toMatchObject({
        id: expect.stringMatching(/^att_/),
        started_at: expect.stringMatching(ISO),
        sent_at: expect.stringMatching(ISO),
        hedge: false,
        suspicious: false,
        changes: [],
      });
    }
    // The first channel rests since the request before.
    expect(attempts[0]).toMatchObject({
      no: 1,
      model: 'a',
      channel: 'b1',
      credential: 'c-a-b-0',
      provider: 'p-a-b',
      upstream_model: 'a',
      status: 500,
      result: 'failed',
      class: 'server_error',
      trigger: 'server_error',
      triggers: ['server_error'],
      provider_code: 'server_error',
      provider_message: 'down',
      retry_after_ms: null,
      retry_after_source: null,
      maybe_executed: false,
      decision: 'next_model',
      usage: null,
    });
    expect(String(attempts[0]?.['reason'])).toContain('next model');
    expect(attempts[1]).toMatchObject({
      no: 2,
      model: 'b',
      status: 200,
      result: 'served',
      decision: 'serve',
      class: null,
    });
    expect(attempts[1]?.['ttft_ms']).toBeTypeOf('number');
    expect(record['candidates']).toEqual([
      {
        rank: 1,
        model: 'a',
        channel: 'a0',
        credential: 'c-a-a-0',
        tried: false,
        skip_reason: 'cooling_rate_limit',
        available_at: expect.stringMatching(ISO),
      },
      { rank: 2, model: 'a', channel: 'b1', credential: 'c-a-b-0', tried: true, skip_reason: null, available_at: null },
      { rank: 3, model: 'b', channel: 'a0', credential: 'c-b-a-0', tried: true, skip_reason: null, available_at: null },
    ]);
  });

  it('F-2: what a provider said of waiting is kept, with its source', async () => {
    const { data } = (await rig.admin('/v1/requests?limit=500')) as { data: Json[] };
    const first = await rig.gateway.record(String(data.at(-1)?.['id']));
    expect(first.attempts[0]).toMatchObject({
      class: 'rate_limit',
      provider_code: 'rate_limit_exceeded',
      provider_request_id: 'up-1',
      retry_after_ms: 30_000,
      retry_after_source: 'header:retry-after',
      decision: 'next_channel',
    });
    expect(first.attempts[0]?.reason).toContain('wait 30 s does not fit max_wait_ms 5 s');
  });

  it.each([
    ['b', 'success', 200],
    ['bad', 'client_error', 400],
    ['a', 'upstream_unavailable', 500],
    ['late', 'network_unknown', 504],
    ['denied', 'upstream_unavailable', 502],
    ['refusing', 'safety_refusal', 400],
    ['nowhere', 'client_error', 404],
  ] as const)('O-1: a request for %s ends as %s', async (model, outcome, status) => {
    const answer = await rig.ask(model);
    expect(answer.status).toBe(status);
    expect((await rig.record(answer)).outcome).toBe(outcome);
  });
});

describe('a log that can not be written', () => {
  it('H-5, O-2: plain requests are answered all the same, whole and streamed', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'understudy-rules-'));
    const configText = JSON.stringify({
      version: 1,
      providers: { s: { type: 'sim' } },
      models: { 's/*': {} },
      keys: [{ name: 'k', secret: 'no-log-key-0123456789' }],
    });
    const running = await startGateway({ configText, port: 0, dataDir, env: {}, log: 'silent' });
    try {
      const { records } = running.gateway as { records: { append: unknown } };
      records.append = () => {
        throw new Error('the log is gone');
      };
      for (const [model, stream, status] of [
        ['s/ok', false, 200],
        ['s/ok', true, 200],
        ['s/fail-503', false, 503],
        ['s/ok', false, 200],
      ] as const) {
        const answer = await sendRaw({
          url: `${running.url}/v1/chat/completions`,
          headers: { authorization: 'Bearer no-log-key-0123456789' },
          body: { model, messages: MESSAGES, stream },
        });
        expect([answer.status, answer.end]).toEqual([status, 'complete']);
        if (stream) expect(answer.text).toContain('[DONE]');
      }
      expect(running.gateway.live.size).toBe(0);
    } finally {
      await running.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

describe('a failure', () => {
  it('F-3: a huge error body is cut and classified from its beginning', async () => {
    const huge = errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded', padding: 'x'.repeat(2_000_000) });
    await withRules({ m: { up: { A: [huge], B: [okBody('b')] } } }, async (rules) => {
      const answer = await rules.ask('m');
      expect(answer.status).toBe(200);
      const record = await rules.record(answer);
      expect(record.attempts[0]).toMatchObject({ class: 'rate_limit', status: 429 });
      expect(JSON.stringify(record).length).toBeLessThan(20_000);
    });
  });

  it('F-2: a provider’s message is kept up to 2 KiB', async () => {
    const long = errorStep(400, { message: 'y'.repeat(5000), type: 'invalid_request_error' });
    await withRules({ m: { up: { A: [long] } } }, async (rules) => {
      const record = await rules.record(await rules.ask('m'));
      const message = String(record.attempts[0]?.provider_message);
      expect(message.length).toBeGreaterThan(1900);
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2048);
    });
  });

  it('P-7, O-1: a client that leaves leaves a record with its plan', async () => {
    const silent = { socket: 'accept_then_silence' } as const;
    await withRules({ m: { up: { A: [silent], B: [okBody('never')] } } }, async (rules) => {
      await rules.ask('m', {}, { leaveAfterMs: 150 });
      await until(() => rules.aborted().length === 1, 'the call broken off');
      const [last] = await rules.gateway.records(1);
      expect(last).toMatchObject({
        ending: 'client_closed',
        status: 499,
        outcome: 'network_unknown',
        served_model: null,
      });
      const record = await rules.gateway.record(last!.id);
      expect(record.attempts).toMatchObject([{ result: 'cancelled', class: 'client_closed', decision: 'stop' }]);
      expect(record.candidates).toHaveLength(2);
    });
  });
});

describe('the list', () => {
  it('O-5: the same without stages, candidates and attempts, newest first, paged', async () => {
    const whole = (await rig.admin('/v1/requests?limit=500')) as { data: Json[]; next_cursor: unknown };
    expect(whole.next_cursor).toBeNull();
    for (const row of whole.data) expect(Object.keys(row).sort()).toEqual([...FIELDS].sort());
    const times = whole.data.map(({ at }) => String(at));
    expect(times).toEqual([...times].sort().reverse());
    const pages: unknown[] = [];
    let cursor: unknown = '';
    while (cursor !== null) {
      const after = cursor === '' ? '' : `&cursor=${String(cursor)}`;
      const page = (await rig.admin(`/v1/requests?limit=2${after}`)) as { data: Json[]; next_cursor: unknown };
      expect(page.data.length).toBeLessThanOrEqual(2);
      pages.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(pages).toEqual(whole.data.map(({ id }) => id));
  });

  it('O-5: filters', async () => {
    const ids = async (query: string): Promise<Json[]> =>
      ((await rig.admin(`/v1/requests?limit=500&${query}`)) as { data: Json[] }).data;
    const all = await ids('');
    const check = async (query: string, holds: (row: Json) => boolean): Promise<void> => {
      const wanted = all.filter(holds).map(({ id }) => id);
      expect(wanted.length, query).toBeGreaterThan(0);
      expect(
        (await ids(query)).map(({ id }) => id),
        query,
      ).toEqual(wanted);
    };
    await check('model=b', (row) => row['requested_model'] === 'b' || row['served_model'] === 'b');
    await check('status=400', (row) => row['status'] === 400);
    await check('outcome=network_unknown', (row) => row['outcome'] === 'network_unknown');
    await check('degraded=true', (row) => row['degraded'] === true);
    await check('degraded=false', (row) => row['degraded'] === false);
    await check('failover=true', (row) => row['served_model'] === 'b' && row['requested_model'] === 'a');
    await check('key=test', (row) => row['key'] === 'test');
    await check('idempotency=none', () => true);
    await check(`from=${String(all[3]?.['at'])}`, (row) => String(row['at']) >= String(all[3]?.['at']));
    await check(`to=${String(all[3]?.['at'])}`, (row) => String(row['at']) < String(all[3]?.['at']));
    expect(await ids('key=nobody')).toEqual([]);
  });

  it.each([
    'limit=0',
    'limit=x',
    'status=abc',
    'outcome=good',
    'degraded=yes',
    'from=tomorrow',
    'nmodel=b',
    'cursor=x',
  ])('O-5: %s is refused, not ignored', async (query) => {
    const answer = await sendRaw({
      url: `${rig.url}/admin/v1/requests?${query}`,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    expect([answer.status, errorOf(answer)['code']]).toEqual([400, 'invalid_parameter']);
    expect(errorOf(answer)['param']).toBe(query.split('=')[0]);
    expect(answer.headers['x-should-retry']).toBe('false');
  });
});

describe('health targets', () => {
  const targetsOf = async (rules: RulesRig): Promise<Json[]> =>
    ((await rules.admin('/v1/health/targets')) as { data: Json[] }).data;

  it('H-3: every field of every target', async () => {
    const targets = await targetsOf(rig);
    for (const target of targets) {
      expect(Object.keys(target).sort()).toEqual(
        [
          'id',
          'model',
          'channel',
          'credential',
          'state',
          'class',
          'since',
          'until',
          'probe_at',
          'level',
          'calls',
          'failures',
        ].sort(),
      );
    }
    const find = (model: string, channel: string) =>
      targets.find((target) => target['model'] === model && target['channel'] === channel);
    expect(find('a', 'a0')).toMatchObject({
      credential: 'c-a-a-0',
      state: 'cooling',
      class: 'rate_limit',
      until: expect.stringMatching(ISO),
      probe_at: null,
      calls: 1,
      failures: 1,
    });
    expect(find('denied', 'a0')).toMatchObject({ state: 'cooling', class: 'auth' });
    expect(find('b', 'a0')).toMatchObject({ state: 'ok', class: null, until: null, probe_at: null, failures: 0 });
    expect(find('bad', 'a0'), 'H-2: caller faults are no calls').toMatchObject({ state: 'ok', failures: 0 });
  });

  const rest = async (step: object, minutes: readonly [number, number]): Promise<void> => {
    await withRules({ m: { up: { A: [step] } } }, async (rules) => {
      const before = Date.now();
      await rules.ask('m', { redundancy: { retries: 0 } });
      const [target] = await targetsOf(rules);
      const until = Date.parse(String(target?.['until']));
      expect(until - before).toBeGreaterThan(minutes[0] * 60_000 - 1000);
      expect(until - before).toBeLessThan(minutes[1] * 60_000 + 10_000);
    });
  };

  it.each([
    [
      'a rate limit for the stated wait',
      errorStep(429, { message: 'w', code: 'rate_limit_exceeded' }, { 'retry-after': '60' }),
      [1, 1],
    ],
    [
      'a rate limit at most 5 min',
      errorStep(429, { message: 'w', code: 'rate_limit_exceeded' }, { 'retry-after': '3000' }),
      [5, 5],
    ],
    [
      'a rate limit 1 s where nothing is stated',
      errorStep(429, { message: 'w', code: 'rate_limit_exceeded' }),
      [0, 1 / 60],
    ],
    ['a quota 5 min where nothing is stated', errorStep(402, { message: 'pay' }), [5, 5]],
    [
      'a quota at most 1 h',
      errorStep(429, { message: 'q', code: 'insufficient_quota' }, { 'retry-after': '86400' }),
      [60, 60],
    ],
    ['auth 5 min', errorStep(401, { message: 'no' }), [5, 5]],
    ['permission 5 min', errorStep(403, { message: 'no' }), [5, 5]],
    ['model_not_found 10 min', errorStep(404, { message: 'no', code: 'model_not_found' }), [10, 10]],
  ] as const)('H-1: %s', async (_name, step, minutes) => {
    await rest(step, minutes);
  });

  it('H-1, P-5: five faults in a row open the circuit for 5 s; it is passed by, and through when alone', async () => {
    const routes = { lone: { up: { A: [DOWN] } }, both: { up: { A: [DOWN], B: [okBody('b')] } } };
    await withRules(routes, async (rules) => {
      for (let i = 0; i < 5; i += 1) await rules.ask('lone', { redundancy: { retries: 0 } });
      const now = Date.now();
      const lone = (await targetsOf(rules)).find(({ model }) => model === 'lone');
      expect(lone).toMatchObject({ state: 'open', class: 'server_error', calls: 5, failures: 5 });
      const probeAt = Date.parse(String(lone?.['probe_at']));
      expect(probeAt - now).toBeGreaterThan(0);
      expect(probeAt - now).toBeLessThanOrEqual(5000);
      const through = await rules.ask('lone', { redundancy: { retries: 0 } });
      expect(through.status, 'health alone never refuses everything').toBe(500);
      expect(rules.called()).toHaveLength(6);
      for (let i = 0; i < 6; i += 1) await rules.ask('both');
      const last = rules.called().slice(-1);
      expect(last).toEqual(['B:both']);
      expect(rules.called().filter((call) => call === 'A:both')).toHaveLength(5);
    });
  });

  it('H-3: drained by an operator a target gets nothing, reset and undrained it does again', async () => {
    const act = async (rules: RulesRig, id: string, action: string) =>
      sendRaw({
        url: `${rules.url}/admin/v1/health/targets/${id}/${action}`,
        method: 'POST',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
    await withRules({ m: { up: { A: [LIMITED, okBody('a')], B: [okBody('b')] } } }, async (rules) => {
      const id = String((await targetsOf(rules)).find(({ channel }) => channel === 'b1')?.['id']);
      expect((await act(rules, id, 'drain')).status).toBe(200);
      const drained = await rules.ask('m');
      expect(rules.called()).toEqual(['A:m']);
      expect((await rules.record(drained)).candidates[1]).toMatchObject({ skip_reason: 'drained', tried: false });
      const first = String((await targetsOf(rules)).find(({ channel }) => channel === 'a0')?.['id']);
      expect((await rules.ask('m')).status).toBe(429);
      expect((await act(rules, first, 'reset')).status).toBe(200);
      expect((await rules.ask('m')).status).toBe(200);
      expect((await act(rules, id, 'undrain')).status).toBe(200);
      expect((await act(rules, 'nothing', 'reset')).status).toBe(404);
    });
  });
});
