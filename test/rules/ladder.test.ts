/** E-4 over the wire: what answers when everything failed, sentence by sentence. */
import { describe, expect, it } from 'vitest';
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';
import { errorStep, okBody, okStream } from '../faults/answers.ts';
import { waitFor } from '../faults/gateway.ts';
import type { RouteSpec } from '../faults/gateway-config.ts';
import { errorOf } from '../faults/invariants.ts';
import type { RawAnswer } from '../faults/raw-client.ts';
import { JumpingClock } from '../support/jumping-clock.ts';
import { jsonOf, type RulesRig, type RulesSettings, withRules } from './rules-rig.ts';

const down = errorStep(503, { message: 'down' });
const KEEPS = { workspaces: { main: { answers: { keep: true } } } };
const SORRY = { answers: { sorry: { text: 'We are back soon.' } } };
const SECOND_KEY = 'second-client-key-0123456789';
const calm = { health: { circuit: { consecutive: 1000, min_calls: 1000 } } };

const ask = (rig: RulesRig, ladder: unknown[], fields: Record<string, unknown> = {}) =>
  rig.ask('m', { redundancy: { on_exhausted: ladder }, ...fields });

/** One upstream that answers so. */
const one = (...steps: readonly (typeof down)[]): Readonly<Record<string, RouteSpec>> => ({ m: { up: { A: steps } } });

function content(answer: RawAnswer): unknown {
  const [choice] = jsonOf(answer)['choices'] as { message: { content: string } }[];
  return choice?.message.content;
}

const events = (answer: RawAnswer): string[] =>
  answer.text
    .split('\n\n')
    .filter((part) => part.startsWith('data: '))
    .map((part) => part.slice(6));

const said = (answer: RawAnswer): string =>
  events(answer)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as { choices: { delta: { content?: string } }[] })
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .join('');

describe('E-4: empty by default', () => {
  it('E-4: without on_exhausted E-1 holds, and nothing is kept', async () => {
    await withRules(one(down), async (rig) => {
      expect((await rig.ask('m')).status).toBe(503);
      expect((await ask(rig, [])).status).toBe(503);
    });
  });
});

describe('E-4: busy', () => {
  it('E-4: 503, Retry-After, a plain message; the record keeps the attempts', async () => {
    await withRules(one(down), async (rig) => {
      const answer = await ask(rig, ['busy']);
      expect(answer.status).toBe(503);
      expect(errorOf(answer)).toMatchObject({ code: 'service_busy', type: 'api_error' });
      expect(answer.headers['retry-after']).toBe('5');
      expect(answer.headers['x-should-retry']).toBe('false');
      expect(answer.text).not.toContain('down');
      const record = await rig.record(answer);
      expect(record).toMatchObject({ status: 503, ending: 'failed', error_code: 'service_busy', degraded: false });
      expect(record.attempts.map((attempt) => attempt.class)).toEqual(['overloaded']);
    });
  });

  it('E-4, D-3: the wait is that of the first target back', async () => {
    const limited = errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded' }, { 'retry-after': '30' });
    await withRules(one(limited), async (rig) => {
      const first = await ask(rig, ['busy']);
      expect(first.headers['x-should-retry']).toBe('true');
      expect(Number(first.headers['retry-after'])).toBeGreaterThan(20);
      const resting = await ask(rig, ['busy']);
      expect(errorOf(resting)['code']).toBe('service_busy');
      expect(Number(resting.headers['retry-after'])).toBeGreaterThan(20);
      expect(rig.called()).toHaveLength(1);
    });
  });
});

describe('E-4: default', () => {
  const settings: RulesSettings = { over: SORRY };

  it('E-4, R-2: a configured static answer, degraded and told so', async () => {
    await withRules(
      one(down),
      async (rig) => {
        const answer = await ask(rig, [{ default: 'sorry' }]);
        expect(answer.status).toBe(200);
        expect(content(answer)).toBe('We are back soon.');
        expect(jsonOf(answer)).toMatchObject({
          object: 'chat.completion',
          model: 'understudy/default',
          usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
          understudy: { attempts: 1, requested_model: 'm', degraded: true, degraded_reasons: ['default_answer'] },
        });
        expect(answer.headers).toMatchObject({
          'x-understudy-degraded': 'true',
          'x-understudy-attempts': '1',
          'x-understudy-served-model': 'understudy/default',
        });
        expect(await rig.record(answer)).toMatchObject({
          status: 200,
          ending: 'served',
          served_model: 'understudy/default',
          degraded: true,
          degraded_reasons: ['default_answer'],
          error_code: null,
          usage: null,
          cost_nano_usd: 0,
          attempts: [{ result: 'failed', decision: 'stop' }],
        });
      },
      settings,
    );
  });

  it('E-4: as a stream to a stream request, with its usage where it was asked for', async () => {
    await withRules(
      one(down),
      async (rig) => {
        const answer = await ask(rig, [{ default: 'sorry' }], {
          stream: true,
          stream_options: { include_usage: true },
        });
        expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
        expect(said(answer)).toBe('We are back soon.');
        expect(events(answer).at(-1)).toBe('[DONE]');
        expect(answer.text).toContain('"degraded_reasons":["default_answer"]');
        expect(answer.text).toContain('"total_tokens":0');
      },
      settings,
    );
  });

  it('E-4: the classic endpoint has its own form', async () => {
    await withRules(
      one(down),
      async (rig) => {
        const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
        const answer = await rig.post(
          { ...body, redundancy: { on_exhausted: [{ default: 'sorry' }] } },
          { path: '/chat/completions' },
        );
        expect(jsonOf(answer)).toMatchObject({ success: true, metadata: { degraded: true, requested_model: 'm' } });
      },
      settings,
    );
  });

  it('E-4, T-11: flows into a stream that a keep-alive has opened', async () => {
    const slow = { ...down, delay_ms: 400 };
    await withRules(
      one(slow),
      async (rig) => {
        const answer = await ask(rig, [{ default: 'sorry' }], { stream: true });
        expect(answer.text).toContain(': keep-alive');
        expect(said(answer)).toBe('We are back soon.');
        expect(events(answer).at(-1)).toBe('[DONE]');
      },
      { ...settings, streaming: { keep_alive_after_ms: 50, keep_alive_every_ms: 50 } },
    );
  });

  it('E-4, T-11: busy there is one error event without terminator', async () => {
    await withRules(
      one({ ...down, delay_ms: 400 }),
      async (rig) => {
        const answer = await ask(rig, ['busy'], { stream: true });
        expect(events(answer)).toHaveLength(1);
        expect(events(answer)[0]).toContain('service_busy');
      },
      { streaming: { keep_alive_after_ms: 50, keep_alive_every_ms: 50 } },
    );
  });

  it('E-4, C-4: a name that is not configured is refused when it is asked for', async () => {
    await withRules(
      one(okBody('fine')),
      async (rig) => {
        const answer = await ask(rig, [{ default: 'sory' }]);
        expect(answer.status).toBe(400);
        expect(errorOf(answer)).toMatchObject({ code: 'invalid_redundancy', param: 'redundancy.on_exhausted' });
        expect(rig.called()).toEqual([]);
      },
      settings,
    );
  });

  it('E-4, C-3: a key or the operator may have a ladder; the request’s own takes its place', async () => {
    await withRules(
      one(down),
      async (rig) => {
        expect((await rig.ask('m')).status).toBe(200);
        expect((await ask(rig, [])).status).toBe(503);
      },
      { over: SORRY, redundancy: { on_exhausted: [{ default: 'sorry' }] } },
    );
  });
});

describe('E-4: cache', () => {
  const settings: RulesSettings = {
    over: KEEPS,
    ...calm,
    keys: [{ name: 'second', workspace: 'main', secret: SECOND_KEY }],
  };
  const ladder = [{ cache: { max_age_s: 3600 } }];

  it('E-4: the newest earlier success of the same request, degraded and told so', async () => {
    await withRules(
      one(okBody('old'), okBody('new'), down),
      async (rig) => {
        await ask(rig, ladder);
        const newest = await ask(rig, ladder);
        const answer = await ask(rig, ladder);
        expect(answer.status).toBe(200);
        expect(content(answer)).toBe('new');
        expect(jsonOf(answer)).toMatchObject({
          model: 'm',
          id: jsonOf(newest)['id'],
          understudy: { served_model: 'm', degraded: true, degraded_reasons: ['cached'], attempts: 1 },
        });
        expect(answer.headers['x-understudy-degraded']).toBe('true');
        expect(await rig.record(answer)).toMatchObject({
          status: 200,
          ending: 'served',
          outcome: 'success',
          degraded_reasons: ['cached'],
          usage: null,
          attempts: [{ result: 'failed' }],
        });
      },
      settings,
    );
  });

  it('E-4, I-5: another request, another form, another key: nothing of it', async () => {
    await withRules(
      one(okBody('mine'), down),
      async (rig) => {
        await ask(rig, ladder);
        expect((await ask(rig, ladder, { temperature: 0.5 })).status).toBe(503);
        expect((await ask(rig, ladder, { stream: true })).status).toBe(503);
        const redundancy = { on_exhausted: ladder };
        expect((await rig.ask('m', { redundancy }, { key: SECOND_KEY })).status).toBe(503);
        // Not how it is carried out, nor the order of fields, make another request.
        const same = { redundancy: { ...redundancy, max_attempts: 2 }, messages: [{ content: 'hi', role: 'user' }] };
        expect((await rig.post({ ...same, model: 'm' })).status).toBe(200);
      },
      settings,
    );
  });

  it('E-4, I-1: under idempotency_scope workspace its keys share', async () => {
    const over = { workspaces: { main: { answers: { keep: true }, idempotency_scope: 'workspace' } } };
    await withRules(
      one(okBody('ours'), down),
      async (rig) => {
        await ask(rig, ladder);
        const answer = await rig.ask('m', { redundancy: { on_exhausted: ladder } }, { key: SECOND_KEY });
        expect(content(answer)).toBe('ours');
      },
      { ...settings, over },
    );
  });

  it('E-4: only where the workspace keeps answers', async () => {
    await withRules(
      one(okBody('gone'), down),
      async (rig) => {
        await ask(rig, ladder);
        expect((await ask(rig, ladder)).status).toBe(503);
      },
      calm,
    );
  });

  it('E-4: max_age_s is how old it may be, and expired answers are gone', async () => {
    const clock = new JumpingClock();
    await withRules(
      one(okBody('old'), down),
      async (rig) => {
        await ask(rig, ladder);
        clock.jump(60_000);
        expect((await ask(rig, [{ cache: { max_age_s: 59 } }])).status).toBe(503);
        expect((await ask(rig, [{ cache: { max_age_s: 120 } }])).status).toBe(200);
        clock.jump(3_600_000);
        expect((await ask(rig, [{ cache: { max_age_s: 86_400 } }])).status).toBe(503);
      },
      { ...settings, over: { workspaces: { main: { answers: { keep: true, max_age: '1h' } } } }, clock },
    );
  });

  it('E-4: a whole stream comes again as a stream, with a report of its own', async () => {
    await withRules(
      one(okStream('Hel', 'lo'), down),
      async (rig) => {
        const first = await ask(rig, ladder, { stream: true });
        const again = await ask(rig, ladder, { stream: true });
        expect(said(again)).toBe('Hello');
        expect(events(again).at(-1)).toBe('[DONE]');
        expect(first.text).not.toContain('understudy');
        expect(again.text).toContain('"degraded_reasons":["cached"]');
        expect(again.text).toContain(String(again.headers['x-request-id']));
        expect(again.text.match(/"finish_reason":"stop"/g)).toHaveLength(1);
      },
      settings,
    );
  });

  it('E-4, T-11: a kept stream flows into one that a keep-alive has opened, and its report tells what headers could not', async () => {
    await withRules(
      one(okStream('Hel', 'lo'), { ...down, delay_ms: 400 }),
      async (rig) => {
        await ask(rig, ladder, { stream: true });
        const again = await ask(rig, ladder, { stream: true });
        expect(again.status).toBe(200);
        expect(again.text).toContain(': keep-alive');
        expect(again.headers['x-understudy-degraded']).toBeUndefined();
        expect(said(again)).toBe('Hello');
        expect(events(again).filter((data) => data === '[DONE]')).toHaveLength(1);
        expect(events(again).at(-1)).toBe('[DONE]');
        expect(again.text).toContain('"degraded_reasons":["cached"]');
      },
      { ...settings, streaming: { keep_alive_after_ms: 50, keep_alive_every_ms: 50 } },
    );
  });

  it('E-4, T-5: what broke off, or ended in doubt, is not kept', async () => {
    const cut = { status: 200, headers: { 'content-type': 'text/event-stream' } };
    const [roleChunk, text] = okStream('half').chunks ?? [];
    const doubtful = { ...okStream(), chunks: [roleChunk!, text!, 'data: [DONE]\n\n'] };
    await withRules(
      one({ ...cut, chunks: [roleChunk!, text!], end: 'clean' }, doubtful, down),
      async (rig) => {
        await ask(rig, ladder, { stream: true });
        await ask(rig, ladder, { stream: true });
        expect((await ask(rig, ladder, { stream: true })).status).toBe(503);
      },
      settings,
    );
  });

  it('E-4, R-2: what another model answered is told as such again', async () => {
    await withRules(
      { ...one(down), n: { up: { B: [okBody('from n'), down] } } },
      async (rig) => {
        const body = { models: ['m', 'n'], messages: [{ role: 'user', content: 'hi' }] };
        const redundancy = { on_exhausted: ladder };
        expect(content(await rig.post({ ...body, redundancy }))).toBe('from n');
        const again = await rig.post({ ...body, redundancy });
        expect(jsonOf(again)).toMatchObject({
          model: 'n',
          understudy: {
            requested_model: 'm',
            served_model: 'n',
            degraded_reasons: ['cached', 'model'],
            failover: {
              occurred: true,
              attempts: [
                { model: 'm', status: 'failed' },
                { model: 'n', status: 'failed' },
              ],
            },
          },
        });
      },
      settings,
    );
  });
});

describe('E-4: the order', () => {
  it('E-4: the first that can, answers', async () => {
    await withRules(
      one(okBody('kept'), down),
      async (rig) => {
        const ladder = [{ cache: { max_age_s: 60 } }, { default: 'sorry' }, 'busy'];
        expect(content(await ask(rig, ladder))).toBe('kept');
        expect(content(await ask(rig, ladder))).toBe('kept');
        expect(content(await ask(rig, ladder, { seed: 1 }))).toBe('We are back soon.');
        expect(content(await ask(rig, [{ default: 'sorry' }, { cache: { max_age_s: 60 } }]))).toBe('We are back soon.');
        expect(errorOf(await ask(rig, ['busy', { default: 'sorry' }]))['code']).toBe('service_busy');
      },
      { over: { ...KEEPS, ...SORRY }, ...calm },
    );
  });

  it.each([
    ['invalid_request', errorStep(400, { message: 'bad field', code: 'invalid_value' }), 400, 'standard'],
    ['invalid_request', errorStep(400, { message: 'bad field', code: 'invalid_value' }), 400, 'permissive'],
    ['content_policy', errorStep(400, { message: 'no', code: 'content_policy_violation' }), 400, 'standard'],
    ['auth', errorStep(401, { message: 'bad key', code: 'invalid_api_key' }), 502, 'standard'],
    ['auth', errorStep(401, { message: 'bad key', code: 'invalid_api_key' }), 502, 'permissive'],
  ])('E-4, E-3: what somebody has to correct is not covered up: %s', async (_name, step, status, policy) => {
    await withRules(
      one(step),
      async (rig) => {
        const redundancy = { on_exhausted: [{ default: 'sorry' }], policy };
        expect((await rig.ask('m', { redundancy })).status).toBe(status);
      },
      { over: SORRY },
    );
  });

  it('E-4, D-10: nor an unknown outcome under strict', async () => {
    await withRules(
      one({ status: 504 }),
      async (rig) => {
        const redundancy = { on_exhausted: [{ default: 'sorry' }], policy: 'strict' };
        const answer = await rig.ask('m', { redundancy });
        expect(answer.status).toBe(504);
        expect(errorOf(answer)).toMatchObject({ code: 'upstream_outcome_unknown', maybe_executed: true });
      },
      { over: SORRY },
    );
  });

  it('E-4, D-4: a budget that ended it, and a chain at rest, are everything failed', async () => {
    const limited = errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded' }, { 'retry-after': '30' });
    await withRules(
      { m: { up: { A: [down], B: [down] } }, l: { up: { C: [limited] } } },
      async (rig) => {
        const redundancy = { on_exhausted: [{ default: 'sorry' }], max_attempts: 1 };
        expect(content(await rig.ask('m', { redundancy }))).toBe('We are back soon.');
        await rig.ask('l');
        expect(content(await rig.ask('l', { redundancy }))).toBe('We are back soon.');
        expect(rig.called()).toHaveLength(2);
      },
      { over: SORRY },
    );
  });
});

describe('E-4: queue', () => {
  const queue = ['queue', 'busy'];

  async function finished(rig: RulesRig, url: string): Promise<Record<string, unknown>> {
    return await waitFor(async () => {
      const job = jsonOf(await rig.get(url));
      return job['status'] === 'processing' ? null : job;
    }, 'the job');
  }

  it('E-4: 202 at once, tried in the background, the answer at its address byte for byte', async () => {
    const big = okBody('late');
    const body = JSON.stringify(big.body).replace('"created":1', '"created":1,"odd":12345678901234567890');
    await withRules(
      one(down, down, { ...big, body }),
      async (rig) => {
        const told: string[] = [];
        const { alerts } = rig.gateway.inside;
        const raise = alerts.raise.bind(alerts);
        alerts.raise = (alert) => {
          told.push(alert.kind);
          raise(alert);
        };
        const answer = await ask(rig, queue);
        expect(answer.status).toBe(202);
        const { id, status, status_url: url } = jsonOf(answer);
        expect(status).toBe('processing');
        expect(url).toBe(`/v1/jobs/${String(id)}`);
        expect(answer.headers['x-understudy-attempts']).toBe('1');
        const job = await finished(rig, String(url));
        expect(job).toMatchObject({ id, status: 'succeeded', tries: 2, max_tries: 3, status_code: 200, error: null });
        expect(job['result']).toMatchObject({ model: 'm', choices: [{ message: { content: 'late' } }] });
        expect((await rig.get(String(url))).text).toContain('"odd":12345678901234567890');
        expect(told).toContain('job.finished');
        expect(await rig.record(answer)).toMatchObject({ status: 202, ending: 'queued', job: { id, try: 0 } });
        const tries = (await rig.gateway.records(10)).filter((record) => record.job?.id === id);
        expect(tries.map((record) => [record.job?.try, record.ending]).sort()).toEqual([
          [0, 'queued'],
          [1, 'failed'],
          [2, 'served'],
        ]);
        expect(rig.called()).toHaveLength(3);
      },
      calm,
    );
  });

  it('E-4, D-9: three tries and no more; the last error is the result', async () => {
    await withRules(
      one(down),
      async (rig) => {
        const { status_url: url } = jsonOf(await ask(rig, queue));
        const job = await finished(rig, String(url));
        expect(job).toMatchObject({ status: 'failed', tries: 3, status_code: 503, result: null });
        expect(job['error']).toMatchObject({ message: 'down' });
        expect(rig.called()).toHaveLength(4);
      },
      calm,
    );
  });

  it('D-9: an explicit retries is the number of tries', async () => {
    await withRules(
      one(down),
      async (rig) => {
        const answer = await rig.ask('m', { redundancy: { on_exhausted: queue, retries: 1 } });
        const job = await finished(rig, String(jsonOf(answer)['status_url']));
        expect(job).toMatchObject({ tries: 1, max_tries: 1 });
        expect(rig.called()).toHaveLength(3);
      },
      calm,
    );
  });

  it('E-4: what no repeat heals ends it at once', async () => {
    await withRules(
      one(down, errorStep(400, { message: 'bad field', code: 'invalid_value' })),
      async (rig) => {
        const { status_url: url } = jsonOf(await ask(rig, queue));
        expect(await finished(rig, String(url))).toMatchObject({ status: 'failed', tries: 1, status_code: 400 });
        expect(rig.called()).toHaveLength(2);
      },
      calm,
    );
  });

  it('E-4: never for streams', async () => {
    await withRules(one(down), async (rig) => {
      expect(errorOf(await ask(rig, queue, { stream: true }))['code']).toBe('service_busy');
    });
  });

  it('E-4: only to the key that sent it', async () => {
    await withRules(
      one(down),
      async (rig) => {
        const { status_url: url } = jsonOf(await ask(rig, queue));
        const other = await rig.get(String(url), { authorization: `Bearer ${SECOND_KEY}` });
        expect(other.status).toBe(404);
        expect(errorOf(other)['code']).toBe('not_found');
        expect((await rig.get(String(url), { authorization: 'Bearer nobody' })).status).toBe(401);
        expect((await rig.get('/v1/jobs/job_unknown')).status).toBe(404);
        expect((await rig.get(String(url))).status).toBe(200);
      },
      { ...calm, keys: [{ name: 'second', workspace: 'main', secret: SECOND_KEY }] },
    );
  });

  it('E-4: a job and its result are gone after a day', async () => {
    const clock = new JumpingClock();
    await withRules(
      one(down, okBody('late')),
      async (rig) => {
        const { status_url: url } = jsonOf(await ask(rig, queue));
        await finished(rig, String(url));
        clock.jump(24 * 60 * 60 * 1000);
        expect((await rig.get(String(url))).status).toBe(404);
      },
      { ...calm, clock },
    );
  });
});

describe('E-4 under an idempotency key', () => {
  const keyed = (rig: RulesRig, ladder: unknown[], key = 'order-1') =>
    rig.ask('m', { redundancy: { on_exhausted: ladder } }, { headers: { 'idempotency-key': key } });

  it('E-4, I-4, I-11: a repeat gets what the ladder gave, and nobody is called again', async () => {
    await withRules(
      one(down, okBody('real')),
      async (rig) => {
        const first = await keyed(rig, [{ default: 'sorry' }]);
        const again = await keyed(rig, [{ default: 'sorry' }]);
        expect(content(first)).toBe('We are back soon.');
        expect(again.headers['idempotent-replayed']).toBe('true');
        expect(again.body).toEqual(first.body);
        expect(rig.called()).toHaveLength(1);
      },
      { over: SORRY },
    );
  });

  it('E-4, I-4: a queued request is one job, however often it is sent', async () => {
    await withRules(
      one(down, okBody('late')),
      async (rig) => {
        const first = await keyed(rig, ['queue']);
        const again = await keyed(rig, ['queue']);
        expect([first.status, again.status]).toEqual([202, 202]);
        expect(jsonOf(again)).toEqual(jsonOf(first));
        await waitFor(async () => {
          const job = jsonOf(await rig.get(String(jsonOf(first)['status_url'])));
          return job['status'] === 'succeeded' ? job : null;
        }, 'the job');
        expect(rig.called()).toHaveLength(2);
      },
      calm,
    );
  });

  it('E-4, I-7: after busy the key may be used again', async () => {
    await withRules(
      one(down, okBody('real')),
      async (rig) => {
        expect((await keyed(rig, ['busy'])).status).toBe(503);
        expect(content(await keyed(rig, ['busy']))).toBe('real');
      },
      calm,
    );
  });

  it('E-4: a keyed success is kept for others of its scope, too', async () => {
    await withRules(
      one(okBody('kept'), down),
      async (rig) => {
        await keyed(rig, []);
        expect(content(await ask(rig, [{ cache: { max_age_s: 60 } }]))).toBe('kept');
        expect(content(await keyed(rig, [{ cache: { max_age_s: 60 } }], 'order-2'))).toBe('kept');
      },
      { ...calm, over: KEEPS },
    );
  });

  it('E-4, T-4: a stream that breaks off under a key is kept nowhere', async () => {
    const [roleChunk, text] = okStream('half').chunks ?? [];
    const cut = { ...okStream(), chunks: [roleChunk!, text!] };
    await withRules(
      one(cut, down),
      async (rig) => {
        const redundancy = { on_exhausted: [{ cache: { max_age_s: 60 } }] };
        const stream = (key: string) =>
          rig.ask('m', { stream: true, redundancy }, { headers: { 'idempotency-key': key } });
        expect((await stream('a')).text).toContain('stream_interrupted');
        expect((await stream('b')).status).toBe(503);
      },
      { ...calm, over: KEEPS },
    );
  });
});

describe('E-4: rungs in trouble', () => {
  const ladder = [{ cache: { max_age_s: 60 } }, 'queue', { default: 'sorry' }];
  const settings: RulesSettings = { ...calm, over: { ...KEEPS, ...SORRY } };

  it('E-4, H-5: a store that is away costs its rungs, not the request', async () => {
    await withRules(
      one(down),
      async (rig) => {
        const { kept, jobs } = rig.gateway.inside.ladder;
        kept.newest = () => Promise.reject(new StateStoreUnavailable('away'));
        jobs.add = () => Promise.reject(new StateStoreUnavailable('away'));
        expect(content(await ask(rig, ladder))).toBe('We are back soon.');
      },
      settings,
    );
  });

  it('E-4: a queue without room is passed over', async () => {
    await withRules(
      one(down),
      async (rig) => {
        rig.gateway.inside.ladder.jobs.add = () => Promise.resolve('full');
        expect(content(await ask(rig, ladder))).toBe('We are back soon.');
        expect((await ask(rig, ['queue'])).status).toBe(503);
      },
      settings,
    );
  });

  it('E-4: a rung that hangs is passed over, and a job that came too late is taken back', async () => {
    await withRules(
      one(down),
      async (rig) => {
        const { kept, jobs } = rig.gateway.inside.ladder;
        const add = jobs.add.bind(jobs);
        const withdraw = jobs.withdraw.bind(jobs);
        let open: (value: unknown) => void = () => undefined;
        const gate = new Promise((resolve) => {
          open = resolve;
        });
        const taken: string[] = [];
        kept.newest = () => new Promise(() => undefined);
        jobs.add = async (job) => {
          await gate;
          return await add(job);
        };
        jobs.withdraw = async (id) => {
          await withdraw(id);
          taken.push(id);
        };
        expect(content(await ask(rig, ladder))).toBe('We are back soon.');
        open(null);
        const id = await waitFor(() => taken[0] ?? null, 'the withdrawal');
        expect(await jobs.find(id)).toBeNull();
        expect(rig.called()).toHaveLength(1);
      },
      settings,
    );
  });

  it('E-4, T-6: a client that leaves while the ladder is asked has left', async () => {
    await withRules(
      one(down),
      async (rig) => {
        let asked: (value: unknown) => void = () => undefined;
        let goOn: (value: null) => void = () => undefined;
        const isAsked = new Promise((resolve) => {
          asked = resolve;
        });
        rig.gateway.inside.ladder.kept.newest = () =>
          new Promise((resolve) => {
            goOn = resolve;
            asked(null);
          });
        const redundancy = { on_exhausted: ladder };
        const answer = await rig.ask('m', { redundancy }, { leaveOn: isAsked });
        expect(answer.end).toBe('left');
        // The gateway hears of it before this request is answered.
        await rig.get('/v1/key');
        goOn(null);
        const [record] = await waitFor(async () => {
          const records = await rig.gateway.records(5);
          return records.length > 0 ? records : null;
        }, 'the record');
        expect(record).toMatchObject({ ending: 'client_closed', status: 499, degraded: false });
      },
      settings,
    );
  });

  it('E-4, G-11: a try that the key’s own limits refuse waits and does not count', async () => {
    const keys = [{ name: 'small', workspace: 'main', secret: SECOND_KEY, limits: { rpm: 1 } }];
    await withRules(
      one(down, okBody('late')),
      async (rig) => {
        const redundancy = { on_exhausted: ['queue'] };
        // The other endpoint's answers are judged less: this key has limits, so its headers tell them.
        const answer = await rig.ask('m', { redundancy }, { key: SECOND_KEY, path: '/chat/completions' });
        expect(answer.status).toBe(202);
        const { jobs } = rig.gateway.inside.ladder;
        const { id } = jsonOf(answer);
        const waiting = await waitFor(async () => {
          const job = await jobs.find(String(id));
          return job !== null && job.dueAt - job.at > 4000 ? job : null;
        }, 'the postponed job');
        expect(waiting).toMatchObject({ state: 'waiting', tries: 0 });
        expect(rig.called()).toHaveLength(1);
      },
      { ...calm, keys },
    );
  });

  it('E-4, D-4: a job has what the request has left of its max_cost_usd', async () => {
    const price = { input: 1, output: 2 };
    await withRules(
      { m: { up: { A: [down] }, channels: [{ up: 'A', more: { price } }] } },
      async (rig) => {
        const added: (bigint | null)[] = [];
        const { jobs } = rig.gateway.inside.ladder;
        const add = jobs.add.bind(jobs);
        jobs.add = (job) => {
          added.push(job.costLeft);
          return add({ ...job, dueAt: job.dueAt + 60_000 });
        };
        const redundancy = { on_exhausted: ['queue', 'busy'], max_cost_usd: 1 };
        expect((await rig.ask('m', { redundancy })).status).toBe(202);
        // An overloaded upstream has done nothing.
        expect(added).toEqual([1_000_000_000n]);
      },
      calm,
    );
  });
});
