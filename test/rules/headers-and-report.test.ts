/** Section 10 and D-3, D-7 over the wire: headers, the report's place and presence, when to come back. */
import { describe, expect, it } from 'vitest';
import { DONE, delta, errorStep, finish, okBody, okStream, role, sseStep } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { readStream } from '../faults/stream-reader.ts';
import { jsonOf, MESSAGES, withRules } from './rules-rig.ts';

const DOWN = errorStep(503, { message: 'down', code: 'server_error' });

function limited(headers: Record<string, string>) {
  return errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded' }, headers);
}

describe('R-1: headers', () => {
  it('R-1: of an answer and a stream', async () => {
    const routes = { a: { up: { A: [DOWN] } }, b: { up: { A: [okBody('x'), okStream('x')] } } };
    await withRules(routes, async (rig) => {
      for (const stream of [false, true]) {
        const answer = await rig.post(
          { models: ['a', 'b'], messages: MESSAGES, stream },
          { headers: { 'x-request-id': 'mine-1' } },
        );
        expect(answer.headers).toMatchObject({
          'x-client-request-id': 'mine-1',
          'x-understudy-served-model': 'b',
          'x-understudy-attempts': '2',
          'x-understudy-degraded': 'true',
        });
        expect(answer.headers['x-request-id']).toMatch(/^req_\S+$/);
      }
    });
  });

  it('R-1: of an undisturbed answer: one attempt, not degraded', async () => {
    await withRules({ m: { up: { A: [okBody('x')] } } }, async (rig) => {
      const { headers } = await rig.ask('m');
      expect(headers).toMatchObject({
        'x-understudy-served-model': 'm',
        'x-understudy-attempts': '1',
        'x-understudy-degraded': 'false',
      });
    });
  });

  it('R-1: of errors and of the classic endpoint', async () => {
    await withRules({ m: { up: { A: [DOWN] } } }, async (rig) => {
      for (const path of ['/v1/chat/completions', '/chat/completions', '/openai/v1/chat/completions']) {
        const failed = await rig.ask('m', { redundancy: { retries: 1 } }, { path });
        expect(failed.headers['x-understudy-attempts'], path).toBe('2');
        expect(failed.headers['x-understudy-degraded']).toBe('false');
        expect(failed.headers['x-understudy-served-model']).toBeUndefined();
        const refused = await rig.ask('nope', {}, { path });
        expect(refused.headers['x-understudy-attempts']).toBe('0');
        expect(refused.headers['x-request-id']).toMatch(/^req_/);
      }
    });
  });

  it('R-1: 128 visible characters are echoed, 129 and others are not; the request goes on', async () => {
    await withRules({ m: { up: { A: [okBody('x')] } } }, async (rig) => {
      for (const [id, echoed] of [
        ['x'.repeat(128), true],
        ['x'.repeat(129), false],
        ['a b', false],
        ['ü', false],
        ['!~', true],
      ] as const) {
        const answer = await rig.ask('m', {}, { headers: { 'x-request-id': Buffer.from(id).toString('latin1') } });
        expect(answer.status).toBe(200);
        expect(answer.headers['x-client-request-id'], id).toBe(echoed ? id : undefined);
        expect((await rig.record(answer)).client_request_id).toBe(echoed ? id : null);
      }
    });
  });

  it('R-1: the list of models has the gateway’s own id too', async () => {
    await withRules({ m: { up: { A: [okBody('x')] } } }, async (rig) => {
      expect((await rig.get('/v1/models')).headers['x-request-id']).toMatch(/^req_/);
      expect((await rig.get('/v1/models/m')).headers['x-request-id']).toMatch(/^req_/);
    });
  });
});

describe('R-2: the report', () => {
  it('R-2: a plain single-model answer carries none, nor does its stream', async () => {
    await withRules({ m: { up: { A: [okBody('x'), okStream('x')] } } }, async (rig) => {
      expect((await rig.ask('m')).text).not.toContain('understudy');
      expect((await rig.ask('m', { stream: true })).text).not.toContain('understudy');
    });
  });

  it('R-2: a retried single model carries none either: the headers tell', async () => {
    await withRules({ m: { up: { A: [DOWN, okBody('x')] } } }, async (rig) => {
      const answer = await rig.ask('m', { redundancy: { retries: 1 } });
      expect(answer.headers['x-understudy-attempts']).toBe('2');
      expect(answer.text).not.toContain('understudy');
    });
  });

  it('R-2: a chain of several models carries it although the first served', async () => {
    const routes = { a: { up: { A: [okBody('x'), okStream('x')] } }, b: { up: { A: [okBody('y')] } } };
    await withRules(routes, async (rig) => {
      const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES });
      const report = jsonOf(answer)['understudy'] as Record<string, unknown>;
      expect(report).toMatchObject({
        request_id: answer.headers['x-request-id'],
        attempts: 1,
        requested_model: 'a',
        served_model: 'a',
        degraded: false,
        degraded_reasons: [],
        failover: { occurred: false },
      });
      const lines = (report['failover'] as { attempts: Record<string, unknown>[] }).attempts;
      expect(lines).toHaveLength(1);
      expect(Object.keys(lines[0]!).sort()).toEqual(['latency_ms', 'model', 'status']);
      const stream = readStream(await rig.post({ models: ['a', 'b'], messages: MESSAGES, stream: true }));
      const reports = stream.chunks.map((chunk) => (chunk as unknown as Record<string, unknown>)['understudy']);
      expect(reports.filter((one) => one !== undefined)).toHaveLength(1);
      expect(reports.at(-1)).toMatchObject({ served_model: 'a', failover: { occurred: false } });
    });
  });

  it('R-2: occurred means that more than one model was attempted, not that one was repeated or skipped', async () => {
    const rest = limited({ 'retry-after': '200' });
    const routes = {
      a: { up: { A: [DOWN, okBody('x')] } },
      r: { up: { A: [rest] } },
      b: { up: { A: [okBody('y')] } },
    };
    await withRules(routes, async (rig) => {
      const repeated = await rig.post({
        models: ['a', 'b'],
        messages: MESSAGES,
        redundancy: { policy: 'strict', retries: 1 },
      });
      expect(jsonOf(repeated)['understudy']).toMatchObject({
        attempts: 2,
        served_model: 'a',
        failover: {
          occurred: false,
          attempts: [
            { model: 'a', status: 'failed', reason: 'server_error' },
            { model: 'a', status: 'served' },
          ],
        },
      });
      await rig.ask('r', { redundancy: { retries: 0 } });
      const skipped = await rig.post({ models: ['r', 'b'], messages: MESSAGES });
      expect(jsonOf(skipped)['understudy']).toMatchObject({
        attempts: 1,
        served_model: 'b',
        degraded: true,
        degraded_reasons: ['model'],
        failover: {
          occurred: false,
          attempts: [{ model: 'r', status: 'skipped', reason: 'rate_limit' }, { model: 'b' }],
        },
      });
    });
  });

  it('R-2, R-4: a degraded answer of one model carries it, without failover', async () => {
    await withRules({ m: { up: { A: [okBody('x')] } } }, async (rig) => {
      const models = [{ model: 'm', degrade: { drop_tools: true, max_output_tokens: 5, reasoning_effort: 'low' } }];
      const body = {
        models,
        messages: MESSAGES,
        tools: [{ type: 'function', function: { name: 'f' } }],
        max_tokens: 9,
        reasoning_effort: 'high',
      };
      const answer = await rig.post(body);
      expect(answer.headers['x-understudy-degraded']).toBe('true');
      const report = jsonOf(answer)['understudy'] as Record<string, unknown>;
      expect(report['degraded']).toBe(true);
      expect(report).not.toHaveProperty('failover');
      expect(rig.bodies()[0]).not.toHaveProperty('tools');
      expect(rig.bodies()[0]).toMatchObject({ model: 'm', max_tokens: 5, reasoning_effort: 'low' });
      const record = await rig.record(answer);
      expect(record.attempts[0]?.changes).toEqual(['dropped tools', 'max_tokens 9 → 5', 'reasoning_effort high → low']);
      expect(record).toMatchObject({ degraded: true });
    });
  });

  it('R-3: the body’s model is the one that served, under its public id', async () => {
    const routes = {
      'x/a': { up: { A: [DOWN] } },
      'x/b': { channels: [{ up: 'A', model: 'up-b' }], up: { A: [okBody('y')] } },
    };
    await withRules(routes, async (rig) => {
      const answer = await rig.post({ models: ['x/a', 'x/b'], messages: MESSAGES });
      expect(jsonOf(answer)['model']).toBe('x/b');
      expect(rig.bodies()[1]?.['model']).toBe('up-b');
    });
  });
});

describe('G-10: what passes', () => {
  it('G-10: only the adapter’s own headers go up', async () => {
    await withRules({ m: { up: { A: [okBody('x')] } } }, async (rig) => {
      await rig.ask(
        'm',
        {},
        {
          headers: {
            cookie: 'a=b',
            'x-stainless-lang': 'js',
            'x-stainless-retry-count': '1',
            'openai-organization': 'org-client',
            'openai-beta': 'assistants=v2',
            'anthropic-version': '2023-06-01',
            'x-api-key': 'placeholder',
            'x-forwarded-for': '10.0.0.1',
            'x-understudy-redundancy': '{}',
            'user-agent': 'client/1',
          },
        },
      );
      const sent = rig.headersSent()[0]!;
      const known = [
        'accept',
        'accept-encoding',
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'host',
        'openai-beta',
        'user-agent',
      ];
      expect(Object.keys(sent).filter((name) => !known.includes(name))).toEqual([]);
      expect(sent['openai-beta']).toBe('assistants=v2');
      expect(sent['authorization']).toBe('Bearer sk-m-a');
      expect(sent['user-agent']).not.toContain('client');
    });
  });

  it('G-10: a provider’s configured headers go up, and beat nothing but their own name', async () => {
    await withRules(
      { m: { up: { A: [okBody('x')] } } },
      async (rig) => {
        await rig.ask('m', {}, { headers: { 'x-team': 'client' } });
        expect(rig.headersSent()[0]).toMatchObject({ 'x-team': 'a', authorization: 'Bearer sk-m-a' });
      },
      { provider: { headers: { 'X-Team': 'a' } } },
    );
  });

  it('G-10: our own fields never go up', async () => {
    await withRules({ m: { up: { A: [okBody('x')] } } }, async (rig) => {
      await rig.ask('m', { fallback_models: [], redundancy: { retries: 0 }, temperature: 0.5 });
      expect(rig.bodies()[0]).toEqual({ model: 'm', messages: MESSAGES, temperature: 0.5 });
    });
  });
});

describe('when to come back', () => {
  it.each([
    ['30 s', { 'retry-after': '30' }, '30', 'true'],
    ['60 s', { 'retry-after': '60' }, '60', 'true'],
    ['61 s: capped, and no invitation', { 'retry-after': '61' }, '60', 'false'],
    ['an hour', { 'retry-after': '3600' }, '60', 'false'],
    ['half a second: never less than one', { 'retry-after-ms': '500' }, '1', 'true'],
    ['rounded up', { 'retry-after-ms': '1500' }, '2', 'true'],
  ] as const)('D-3: %s', async (_name, headers, seconds, shouldRetry) => {
    await withRules({ m: { up: { A: [limited(headers)] } } }, async (rig) => {
      const sentAt = Date.now();
      const answer = await rig.ask('m', { redundancy: { retries: 0 } });
      expect(answer.status).toBe(429);
      expect(answer.headers['retry-after']).toBe(seconds);
      expect(answer.headers['x-should-retry']).toBe(shouldRetry);
      const ms = Number(answer.headers['retry-after-ms']);
      expect(Math.ceil(ms / 1000)).toBe(Number(seconds));
      const stated = Number(
        'retry-after' in headers ? Number(headers['retry-after']) * 1000 : headers['retry-after-ms'],
      );
      const retryAt = String(errorOf(answer)['retry_at']);
      expect(retryAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
      expect(Date.parse(retryAt)).toBeGreaterThanOrEqual(sentAt + stated);
      expect(Date.parse(retryAt)).toBeLessThan(sentAt + stated + 10_000);
    });
  });

  it('D-7: false where one failure of several heals by no known wait', async () => {
    const routes = { a: { up: { A: [limited({ 'retry-after': '20' })] } }, b: { up: { A: [DOWN] } } };
    await withRules(routes, async (rig) => {
      const mixed = await rig.post({ models: ['a', 'b'], messages: MESSAGES });
      expect(mixed.headers['x-should-retry']).toBe('false');
    });
    const both = {
      a: { up: { A: [limited({ 'retry-after': '20' })] } },
      b: { up: { A: [limited({ 'retry-after': '9' })] } },
    };
    await withRules(both, async (rig) => {
      const all = await rig.post({ models: ['a', 'b'], messages: MESSAGES });
      expect(all.headers['x-should-retry']).toBe('true');
      expect(all.headers['retry-after']).toBe('9');
    });
  });

  it('D-7: a client’s own retry is recognised by its header or within a minute of the failure, and recorded', async () => {
    await withRules({ m: { up: { A: [DOWN] } } }, async (rig) => {
      const once = { redundancy: { retries: 0 } };
      const first = await rig.record(await rig.ask('m', once));
      expect(first.client_retry).toMatchObject({ count: 0, how: null });
      const second = await rig.record(await rig.ask('m', once));
      expect(second.client_retry).toMatchObject({ count: 1, how: 'fingerprint' });
      const headers = { 'x-stainless-retry-count': '2' };
      const third = await rig.record(await rig.ask('m', { ...once, top_p: 1 }, { headers }));
      expect(third.client_retry).toMatchObject({ count: 2, how: 'header' });
      const other = await rig.record(await rig.ask('m', { ...once, top_p: 0.5 }));
      expect(other.client_retry).toMatchObject({ count: 0, how: null });
    });
  });
});

describe('T-11: headers that left early', () => {
  const settings = { streaming: { keep_alive_after_ms: 40, keep_alive_every_ms: 40 } };

  it('T-11: the 200 carries the id alone; the report says the rest', async () => {
    const slow = sseStep([role(), { wait_ms: 250 }, delta('x'), finish(), DONE]);
    await withRules(
      { m: { up: { A: [slow] } } },
      async (rig) => {
        const answer = await rig.ask('m', { stream: true });
        expect(answer.headers['x-request-id']).toMatch(/^req_/);
        for (const name of ['served-model', 'attempts', 'degraded']) {
          expect(answer.headers[`x-understudy-${name}`]).toBeUndefined();
        }
        const stream = readStream(answer);
        expect(stream.comments.length).toBeGreaterThan(0);
        const report = (stream.chunks.at(-1) as unknown as Record<string, unknown>)['understudy'];
        expect(report).toMatchObject({ attempts: 1, served_model: 'm', degraded: false });
        expect(report).not.toHaveProperty('failover');
      },
      settings,
    );
  });

  it('T-11: a total failure is one error event without terminator', async () => {
    const late = { ...DOWN, delay_ms: 250 };
    await withRules(
      { m: { up: { A: [late] } } },
      async (rig) => {
        const answer = await rig.ask('m', { stream: true, redundancy: { retries: 0 } });
        expect(answer.status).toBe(200);
        const stream = readStream(answer);
        expect(stream.errors).toHaveLength(1);
        expect(stream.errors[0]).toMatchObject({ code: 'server_error', request_id: answer.headers['x-request-id'] });
        expect(stream.done).toBe(0);
        const record = await rig.record(answer);
        expect(record).toMatchObject({ ending: 'failed', outcome: 'upstream_unavailable' });
      },
      settings,
    );
  });
});
