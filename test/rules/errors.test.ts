/** Section 9 over the wire: what the client of a failed request is told. */
import { describe, expect, it } from 'vitest';
import { errorStep, jsonStep, okBody, okStream, role, sseStep } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import type { RawAnswer } from '../faults/raw-client.ts';
import { readStream } from '../faults/stream-reader.ts';
import { jsonOf, MESSAGES, withRules } from './rules-rig.ts';

const NO_CIRCUITS = { health: { circuit: { consecutive: 1_000_000, min_calls: 1_000_000 } } };
const DOWN = errorStep(503, { message: 'down for now', type: 'overloaded_error', code: 'overloaded' });
const LIMITED = errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded' });
const INVALID = errorStep(400, { message: 'bad temperature', type: 'invalid_request_error', param: 'temperature' });

/** Status, code and what the client's SDK is told to do. */
function told(answer: RawAnswer): unknown[] {
  return [answer.status, errorOf(answer)['code'], answer.headers['x-should-retry']];
}

describe('one model', () => {
  it('E-1: status, message, type, code and param of the upstream, nothing else of its body', async () => {
    const upstream = jsonStep(
      422,
      {
        error: { message: 'no such voice', type: 'weird_error', code: 'voice_unknown', param: 'voice', extra: 'x1' },
        internal: 'x2',
      },
      { 'x-request-id': 'req_up1234567', 'openai-organization': 'org-abcdef123', 'set-cookie': 'a=b' },
    );
    await withRules({ m: { up: { A: [upstream] } } }, async (rig) => {
      const answer = await rig.ask('m');
      expect(answer.status).toBe(422);
      expect(jsonOf(answer)).toEqual({
        error: {
          message: 'no such voice',
          type: 'weird_error',
          code: 'voice_unknown',
          param: 'voice',
          request_id: answer.headers['x-request-id'],
        },
      });
    });
  });

  it.each([
    [
      'auth',
      errorStep(401, { message: 'Incorrect API key provided: sk-m-a', code: 'invalid_api_key' }),
      502,
      'upstream_credentials_rejected',
    ],
    ['permission', errorStep(403, { message: 'no access' }), 502, 'upstream_credentials_rejected'],
    [
      'quota',
      errorStep(429, { message: 'You exceeded your current quota', code: 'insufficient_quota' }),
      429,
      'insufficient_quota',
    ],
    ['quota under 402', errorStep(402, { message: 'pay' }), 429, 'insufficient_quota'],
    ['model not found', errorStep(404, { message: 'no model', code: 'model_not_found' }), 404, 'model_not_found'],
    ['overloaded', DOWN, 503, 'overloaded'],
    ['a timeout upstream', errorStep(504, { message: 'late', code: 'late' }), 504, 'late'],
    ['caller’s fault', INVALID, 400, 'invalid_parameter'],
    [
      'HTML under 200',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><body>hi</body></html>' },
      502,
      'upstream_malformed',
    ],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }, 502, 'upstream_malformed'],
    [
      'a rate limit under 200',
      jsonStep(200, { error: { message: 'slow down', code: 'rate_limit_exceeded' } }),
      429,
      'rate_limit_exceeded',
    ],
    [
      'an overload under 200',
      jsonStep(200, { error: { message: 'overloaded', type: 'overloaded_error' } }),
      503,
      'upstream_overloaded',
    ],
    [
      'a refused context under 200',
      jsonStep(200, { error: { message: 'too long', code: 'context_length_exceeded' } }),
      400,
      'context_length_exceeded',
    ],
    [
      'a filter under 200',
      jsonStep(200, { error: { message: 'blocked', code: 'content_filter' } }),
      400,
      'content_filter',
    ],
    [
      'an unknown model under 200',
      jsonStep(200, { error: { message: 'what', code: 'model_not_found' } }),
      404,
      'model_not_found',
    ],
    [
      'a bad request under 200',
      jsonStep(200, { error: { message: 'bad', type: 'invalid_request_error' } }),
      400,
      'invalid_parameter',
    ],
  ] as const)('E-1: %s', async (_name, step, status, code) => {
    await withRules({ m: { up: { A: [step] } } }, async (rig) => {
      const answer = await rig.ask('m', { redundancy: { retries: 0 } });
      expect(told(answer)).toEqual([status, code, 'false']);
      expect(answer.headers['x-understudy-attempts']).toBe('1');
    });
  });

  it.each([
    ['refused', { socket: 'refused' }, 502, 'upstream_connection_error'],
    ['silent', { socket: 'accept_then_silence' }, 504, 'upstream_timeout'],
    ['silent after the head', { status: 200, body: '{"a":', end: 'hang' }, 504, 'upstream_timeout'],
    ['reset in the body', { status: 200, body: '{"a":', end: 'rst' }, 502, 'upstream_error'],
  ] as const)('E-1: without an upstream status of failure, %s', async (_name, step, status, code) => {
    await withRules({ m: { up: { A: [step] } } }, async (rig) => {
      const answer = await rig.ask('m', { redundancy: { retries: 0, timeout_ms: 1000 } });
      expect(told(answer)).toEqual([status, code, 'false']);
    });
  });

  it('E-1: the last attempt speaks, not the first', async () => {
    const first = errorStep(500, { message: 'first', code: 'one' });
    const last = errorStep(503, { message: 'last', code: 'two' });
    await withRules({ m: { up: { A: [first], B: [last] } } }, async (rig) => {
      const answer = await rig.ask('m');
      expect([answer.status, errorOf(answer)['message'], errorOf(answer)['code']]).toEqual([503, 'last', 'two']);
      expect(answer.headers['x-understudy-attempts']).toBe('2');
    });
  });

  it('E-1: ids of the operator’s account are masked in what is passed on', async () => {
    const step = errorStep(400, {
      message: 'org-AbCdEf123456 project proj_AbC123 user-99887766 said no (request req_0a1b2c3d4e)',
      code: 'nope',
    });
    await withRules({ m: { up: { A: [step] } } }, async (rig) => {
      const message = String(errorOf(await rig.ask('m'))['message']);
      expect(message).not.toMatch(/AbCdEf123456|AbC123|99887766|0a1b2c3d4e/);
      expect(message).toContain('said no');
    });
  });
});

describe('a chain', () => {
  const chain = (steps: Record<string, readonly object[]>) =>
    Object.fromEntries(Object.entries(steps).map(([name, up]) => [name, { up: { A: up } }]));

  it('E-2: 502 with the exact message, and every attempt in order', async () => {
    await withRules(chain({ a: [LIMITED], b: [DOWN], c: [{ socket: 'refused' }] }), async (rig) => {
      const answer = await rig.post({ models: ['a', 'b', 'c'], messages: MESSAGES });
      expect(answer.status).toBe(502);
      const error = errorOf(answer);
      expect(error['code']).toBe('all_models_failed');
      expect(error['message']).toBe('All 3 model attempt(s) failed (last: c — connection_error)');
      const attempts = error['attempts'] as Record<string, unknown>[];
      for (const { latency_ms } of attempts) expect(latency_ms).toBeTypeOf('number');
      expect(attempts.map(({ latency_ms: _, ...line }) => line)).toEqual([
        { model: 'a', status: 'failed', reason: 'rate_limit', class: 'rate_limit' },
        { model: 'b', status: 'failed', reason: 'server_error', class: 'overloaded' },
        { model: 'c', status: 'failed', reason: 'connection_error', class: 'connection_error' },
      ]);
    });
  });

  it('E-2: 429 if every failure was a rate limit, quota and 429s of any class included', async () => {
    const quota = errorStep(402, { message: 'pay' });
    const busy429 = errorStep(429, { message: 'The engine is currently overloaded', code: 'engine_overloaded' });
    await withRules(chain({ a: [LIMITED], b: [quota], c: [busy429] }), async (rig) => {
      const answer = await rig.post({ models: ['a', 'b', 'c'], messages: MESSAGES });
      expect(told(answer)).toEqual([429, 'all_models_failed', 'false']);
    });
  });

  it('E-2: a chain of the key’s defaults is wrapped like one of the request', async () => {
    const key = 'defaults-key-0123456789';
    await withRules(
      chain({ a: [DOWN], b: [DOWN] }),
      async (rig) => {
        const answer = await rig.ask('a', {}, { key });
        expect(told(answer).slice(0, 2)).toEqual([502, 'all_models_failed']);
      },
      { keys: [{ name: 'd', workspace: 'main', secret: key, failover_defaults: { models: ['a', 'b'] } }] },
    );
  });

  it('E-2, P-4: a resting model is skipped, counts as a rate limit and is no attempt', async () => {
    const rest = errorStep(429, { message: 'wait', code: 'rate_limit_exceeded' }, { 'retry-after': '120' });
    await withRules(chain({ a: [rest], b: [LIMITED] }), async (rig) => {
      await rig.ask('a', { redundancy: { retries: 0 } });
      const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES });
      expect(answer.status).toBe(429);
      const error = errorOf(answer);
      expect(error['message']).toBe('All 1 model attempt(s) failed (last: b — rate_limit)');
      expect(error['attempts']).toMatchObject([
        { model: 'a', status: 'skipped', reason: 'rate_limit' },
        { model: 'b', status: 'failed', reason: 'rate_limit' },
      ]);
      expect(answer.headers['x-understudy-attempts']).toBe('1');
    });
  });

  it('E-3: a stop at the first model keeps its own status and code, unwrapped', async () => {
    await withRules(chain({ a: [INVALID], b: [okBody('never')] }), async (rig) => {
      const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES });
      expect(told(answer)).toEqual([400, 'invalid_parameter', 'false']);
      expect(errorOf(answer)['param']).toBe('temperature');
      expect(rig.called()).toEqual(['A:a']);
    });
  });

  it('E-3: a stop at a later model is wrapped, with the status of the failures before it', async () => {
    await withRules(chain({ a: [LIMITED], b: [INVALID], c: [okBody('never')] }), async (rig) => {
      const limited = await rig.post({ models: ['a', 'b', 'c'], messages: MESSAGES });
      expect(told(limited).slice(0, 2)).toEqual([429, 'all_models_failed']);
      expect(errorOf(limited)['message']).toBe('All 2 model attempt(s) failed (last: b — invalid_request)');
      expect(rig.called()).toEqual(['A:a', 'A:b']);
    });
    await withRules(chain({ a: [DOWN], b: [INVALID] }), async (rig) => {
      const down = await rig.post({ models: ['a', 'b'], messages: MESSAGES });
      expect(told(down).slice(0, 2)).toEqual([502, 'all_models_failed']);
    });
  });

  it('E-3: a rejected credential at the first model stops as 502, unwrapped', async () => {
    const denied = errorStep(401, { message: 'bad key' });
    await withRules(chain({ a: [denied], b: [okBody('never')] }), async (rig) => {
      const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES });
      expect(told(answer)).toEqual([502, 'upstream_credentials_rejected', 'false']);
      expect(rig.called()).toEqual(['A:a']);
    });
  });

  it('E-2: a stream that never began fails with the same status and body', async () => {
    await withRules(chain({ a: [DOWN], b: [sseStep([role()], { end: 'fin' })] }), async (rig) => {
      const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES, stream: true });
      expect(told(answer).slice(0, 2)).toEqual([502, 'all_models_failed']);
      expect(answer.headers['content-type']).toBe('application/json');
    });
  });
});

describe('the classic endpoint', () => {
  const path = '/chat/completions';

  it('E-2: says exactly `All model attempts failed`, and the rest beside it', async () => {
    await withRules({ a: { up: { A: [DOWN] } }, b: { up: { A: [DOWN] } } }, async (rig) => {
      const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES }, { path });
      expect(answer.status).toBe(502);
      const { attempts, ...rest } = jsonOf(answer);
      expect(rest).toEqual({
        success: false,
        error: 'All model attempts failed',
        message: 'All 2 model attempt(s) failed (last: b — server_error)',
        code: 'all_models_failed',
        request_id: answer.headers['x-request-id'],
      });
      expect(attempts).toMatchObject([
        { model: 'a', status: 'failed' },
        { model: 'b', status: 'failed' },
      ]);
      expect(answer.headers['x-should-retry']).toBe('false');
    });
  });

  it('E-5: every other error has the same shape', async () => {
    await withRules({ m: { up: { A: [INVALID] } } }, async (rig) => {
      for (const [body, key, status, code] of [
        [{ model: 'm', messages: MESSAGES }, undefined, 400, 'invalid_parameter'],
        [{ model: 'nope', messages: MESSAGES }, undefined, 404, 'model_not_found'],
        ['{', undefined, 400, 'invalid_json'],
        [{ model: 'm', messages: MESSAGES }, 'unknown', 401, 'invalid_api_key'],
      ] as const) {
        const answer = await rig.post(body, { path, ...(key === undefined ? {} : { key }) });
        expect(answer.status).toBe(status);
        const error = jsonOf(answer);
        expect(Object.keys(error).sort()).toEqual(['code', 'error', 'message', 'request_id', 'success']);
        expect(error).toMatchObject({ success: false, code, request_id: answer.headers['x-request-id'] });
        expect(error['error']).toBeTypeOf('string');
        expect(answer.headers['x-should-retry']).toBe('false');
      }
    });
  });

  it('R-2: an answer says success, with metadata always there', async () => {
    await withRules({ m: { up: { A: [okBody('hi')] } } }, async (rig) => {
      const answer = await rig.ask('m', {}, { path });
      const body = jsonOf(answer);
      expect(body['success']).toBe(true);
      expect(body['understudy']).toBeUndefined();
      expect(body['metadata']).toMatchObject({
        request_id: answer.headers['x-request-id'],
        requested_model: 'm',
        served_model: 'm',
        degraded: false,
      });
      expect(body['metadata']).not.toHaveProperty('failover');
      expect(body['choices']).toHaveLength(1);
    });
  });

  it('R-2: after a failover metadata tells of it, in streams too', async () => {
    const routes = { a: { up: { A: [DOWN] } }, b: { up: { A: [okBody('hi')], B: [okStream('hi')] } } };
    await withRules(routes, async (rig) => {
      const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES }, { path });
      expect(jsonOf(answer)['metadata']).toMatchObject({
        requested_model: 'a',
        served_model: 'b',
        degraded: true,
        failover: {
          occurred: true,
          attempts: [
            { model: 'a', status: 'failed' },
            { model: 'b', status: 'served' },
          ],
        },
      });
    });
    const streams = { a: { up: { A: [DOWN] } }, b: { up: { A: [okStream('hi')] } } };
    await withRules(streams, async (rig) => {
      const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES, stream: true }, { path });
      const last = readStream(answer).chunks.at(-1) as unknown as Record<string, unknown>;
      expect(last['metadata']).toMatchObject({ served_model: 'b', failover: { occurred: true } });
      expect(answer.text).not.toContain('"understudy"');
    });
  });
});

describe('P-4: nothing can be called', () => {
  it.each([
    [
      'rate_limit',
      errorStep(429, { message: 'w', code: 'rate_limit_exceeded' }, { 'retry-after': '40' }),
      429,
      'rate_limited',
    ],
    ['auth', errorStep(401, { message: 'no' }), 502, 'upstream_credentials_rejected'],
    ['quota', errorStep(402, { message: 'pay' }), 429, 'insufficient_quota'],
    ['model_not_found', errorStep(404, { message: 'no', code: 'model_not_found' }), 404, 'model_not_found'],
  ] as const)('P-4: all benched for %s', async (name, step, status, code) => {
    await withRules(
      { m: { up: { A: [step] } } },
      async (rig) => {
        await rig.ask('m', { redundancy: { retries: 0 } });
        const answer = await rig.ask('m');
        expect([answer.status, errorOf(answer)['code']]).toEqual([status, code]);
        expect(rig.called()).toHaveLength(1);
        if (name !== 'rate_limit') return;
        expect(errorOf(answer)['message']).toBe('all upstream credentials for this model are rate limited');
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(30);
        expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(40);
        expect(answer.headers['x-should-retry']).toBe('true');
        const record = await rig.record(answer);
        expect(record).toMatchObject({ ending: 'rejected', outcome: 'upstream_rate_limited', attempts: [] });
        expect(record.candidates).toMatchObject([{ rank: 1, tried: false, skip_reason: 'cooling_rate_limit' }]);
        expect(Date.parse(String(record.candidates[0]?.available_at))).toBeGreaterThan(Date.parse(record.at));
      },
      NO_CIRCUITS,
    );
  });

  it('P-4: Retry-After is the soonest return over all channels; a mixture is rate_limited', async () => {
    const long = errorStep(429, { message: 'w', code: 'rate_limit_exceeded' }, { 'retry-after': '200' });
    const short = errorStep(429, { message: 'w', code: 'rate_limit_exceeded' }, { 'retry-after': '20' });
    const denied = errorStep(401, { message: 'no' });
    await withRules({ m: { up: { A: [long], B: [short], C: [denied] } } }, async (rig) => {
      await rig.ask('m');
      const answer = await rig.ask('m');
      expect([answer.status, errorOf(answer)['code']]).toEqual([429, 'rate_limited']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(15);
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(20);
      expect(rig.called()).toHaveLength(3);
    });
  });
});
