/** C-6, C-7 over the wire: virtual models, `understudy/auto` and the default model of a workspace. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { errorStep, okBody, okStream } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import type { RawAnswer } from '../faults/raw-client.ts';
import { jsonOf, MESSAGES, type RulesRig, startRules } from './rules-rig.ts';

const DOWN = errorStep(503, { message: 'down', code: 'server_error' });
const BUSY = errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded' });
const REFUSED = errorStep(400, { message: 'no such field', code: 'invalid_value', type: 'invalid_request_error' });

/** One key per workspace, and some with less rights. */
const KEYS = {
  virtual: 'key-virtual-0123456789',
  some: 'key-some-0123456789',
  few: 'key-few-0123456789',
  withDefault: 'key-with-default-0123456789',
  noDefault: 'key-no-default-0123456789',
  narrow: 'key-narrow-0123456789',
  defaults: 'key-defaults-0123456789',
} as const;

let rig: RulesRig;
beforeAll(async () => {
  rig = await startRules(
    {
      a: { up: { A: [DOWN] } },
      b: { up: { A: [DOWN] } },
      busy: { up: { A: [BUSY] } },
      bad: { up: { A: [REFUSED] } },
      d1: { up: { A: [DOWN] } },
      d2: { up: { A: [DOWN] } },
      d3: { up: { A: [DOWN] } },
      d4: { up: { A: [DOWN] } },
      good: { up: { A: [okBody('good')] } },
      stream: { up: { A: [okStream('st', 'ream')] } },
      last: { up: { A: [okBody('last')] } },
    },
    {
      aliases: { nickname: 'good', smart: 'last', first: 'a' },
      health: { circuit: { consecutive: 1_000_000, min_calls: 1_000_000 }, rate_limit: { base_ms: 1, cap_ms: 1 } },
      keys: [
        { name: 'virtual', workspace: 'virtual', secret: KEYS.virtual, redundancy: { timeout_ms: 7000 } },
        { name: 'some', workspace: 'virtual', secret: KEYS.some, models: ['b', 'good'] },
        { name: 'few', workspace: 'virtual', secret: KEYS.few, models: ['last'] },
        { name: 'with-default', workspace: 'with-default', secret: KEYS.withDefault },
        { name: 'no-default', workspace: 'with-default', secret: KEYS.noDefault, models: ['a', 'busy', 'good'] },
        {
          name: 'narrow',
          workspace: 'with-default',
          secret: KEYS.narrow,
          redundancy: { cross_model: false },
        },
        {
          name: 'defaults',
          workspace: 'with-default',
          secret: KEYS.defaults,
          failover_defaults: { models: ['a', 'b'] },
        },
      ],
      over: {
        workspaces: {
          main: {},
          virtual: {
            virtual_models: {
              smart: { models: ['a', 'b', 'good'] },
              'team/long': { models: ['a', 'b', 'd1', 'd2', 'd3', 'd4', 'good'] },
              failing: { models: ['a', 'busy'] },
              one: { models: ['nickname'] },
              stops: { models: ['a', 'bad', 'good'] },
              careful: { models: ['a', 'good'], redundancy: { on: ['timeout'], timeout_ms: 9000, max_attempts: 2 } },
              streams: { models: ['a', 'stream'] },
            },
            auto: ['b', 'good'],
          },
          'with-default': {
            enabled_models: ['a', 'b', 'busy', 'bad', 'good', 'last', 'stream'],
            default_model: 'last',
            virtual_models: { failing: { models: ['a', 'b'] }, ends: { models: ['a', 'last', 'b'] } },
            auto: ['a'],
          },
        },
      },
    },
  );
});
afterAll(() => rig.close());

let seen = 0;
function calledNow(): string[] {
  const all = rig.called().map((call) => call.slice(2));
  const fresh = all.slice(seen);
  seen = all.length;
  return fresh;
}
beforeEach(() => {
  calledNow();
});

const ask = (model: string, key: string, fields: Record<string, unknown> = {}): Promise<RawAnswer> =>
  rig.ask(model, fields, { key });
const codeOf = (answer: RawAnswer) => [answer.status, errorOf(answer)['code']];

describe('virtual models', () => {
  it('C-6: models are tried in order; the answer names who served, the report what came before', async () => {
    const answer = await ask('smart', KEYS.virtual);
    expect(answer.status).toBe(200);
    expect(calledNow()).toEqual(['a', 'b', 'good']);
    const body = jsonOf(answer);
    expect(body['model'], 'R-3').toBe('good');
    expect(answer.headers['x-understudy-degraded']).toBe('true');
    expect(body['understudy'], 'R-2').toMatchObject({
      requested_model: 'a',
      served_model: 'good',
      degraded_reasons: ['model'],
      failover: { occurred: true, attempts: [{ model: 'a' }, { model: 'b' }, { model: 'good', status: 'served' }] },
    });
    expect(await rig.record(answer)).toMatchObject({
      requested_model: 'a',
      served_model: 'good',
      virtual_model: 'smart',
      chain: ['a', 'b', 'good'],
    });
  });

  it('C-6, R-2: the first of its models is what was asked for: its answer is not degraded', async () => {
    const answer = await ask('understudy/auto', KEYS.some);
    expect(answer.headers).toMatchObject({ 'x-understudy-degraded': 'true', 'x-understudy-served-model': 'good' });
    const one = await ask('one', KEYS.virtual);
    expect(one.headers['x-understudy-degraded']).toBe('false');
    expect(jsonOf(one)['understudy'], 'R-2: one model, nothing to report').toBeUndefined();
  });

  it('C-6: more models than a chain may name, and attempts for each of them', async () => {
    expect((await ask('team/long', KEYS.virtual)).status).toBe(200);
    expect(calledNow()).toEqual(['a', 'b', 'd1', 'd2', 'd3', 'd4', 'good']);
  });

  it('C-6: understudy/auto is the list of the workspace, a 404 where there is none', async () => {
    expect(jsonOf(await ask('understudy/auto', KEYS.virtual))['model']).toBe('good');
    expect(calledNow()).toEqual(['b', 'good']);
    const none = await rig.ask('understudy/auto');
    expect(codeOf(none)).toEqual([404, 'model_not_found']);
    expect(errorOf(none)['message']).toContain('`auto`');
    expect(calledNow()).toEqual([]);
  });

  it('C-9: it comes before an alias of the same name, in its own workspace', async () => {
    expect(jsonOf(await ask('smart', KEYS.withDefault))['model']).toBe('last');
    await ask('smart', KEYS.virtual);
    expect(calledNow()).toEqual(['last', 'a', 'b', 'good']);
  });

  it('E-1: exhausted, it ends like a direct model: the last attempt’s status and body', async () => {
    const answer = await ask('failing', KEYS.virtual);
    expect(codeOf(answer)).toEqual([429, 'rate_limit_exceeded']);
    expect(errorOf(answer)['message']).toBe('slow down');
  });

  it('E-1: a stop at a later model keeps its own status too', async () => {
    const answer = await ask('stops', KEYS.virtual);
    expect(codeOf(answer)).toEqual([400, 'invalid_value']);
    expect(calledNow()).toEqual(['a', 'bad']);
  });

  it('C-6: a virtual name stands alone', async () => {
    for (const body of [
      { models: ['a', 'smart'] },
      { models: ['smart'] },
      { model: 'a', fallback_models: ['understudy/auto'] },
      { model: 'smart', fallback_models: ['a'] },
    ]) {
      const answer = await rig.post({ ...body, messages: MESSAGES }, { key: KEYS.virtual });
      expect(codeOf(answer)).toEqual([400, 'invalid_chain']);
    }
    const headers = { 'x-understudy-models': 'a,smart' };
    expect(codeOf(await rig.ask('a', {}, { key: KEYS.virtual, headers }))).toEqual([400, 'invalid_chain']);
    expect(calledNow()).toEqual([]);
  });

  it('C-3, C-6: its options beat the key’s and give way to the request’s', async () => {
    const answer = await ask('careful', KEYS.virtual);
    expect(calledNow(), 'on: [timeout] does not leave a model that is down').not.toContain('good');
    expect(answer.status).toBe(503);
    await ask('careful', KEYS.virtual, { redundancy: { on: ['server_error'] } });
    expect(calledNow()).toContain('good');
  });

  it('C-8: cross_model false keeps it on its first model', async () => {
    await ask('smart', KEYS.virtual, { redundancy: { cross_model: false } });
    expect(new Set(calledNow())).toEqual(new Set(['a']));
  });

  it('C-4: priority low never leaves its model', async () => {
    const answer = await ask('smart', KEYS.virtual, { redundancy: { priority: 'low' } });
    expect(new Set(calledNow())).toEqual(new Set(['a']));
    expect((await rig.record(answer)).attempts[0]?.reason).toContain('priority low');
    await ask('smart', KEYS.virtual, { redundancy: { priority: 'high' } });
    expect(calledNow()).toEqual(['a', 'b', 'good']);
  });

  it('D-1: policy strict goes on through the models of a virtual one', async () => {
    const answer = await ask('smart', KEYS.virtual, { redundancy: { policy: 'strict', retries: 0 } });
    expect(jsonOf(answer)['model']).toBe('good');
    expect(calledNow()).toEqual(['a', 'b', 'good']);
  });

  it('R-2: in a stream the report stands in the last chunk with choices', async () => {
    const answer = await ask('streams', KEYS.virtual, { stream: true });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('"served_model":"stream"');
    expect(answer.text).toContain('"requested_model":"a"');
  });

  it('G-3: members the key may not call are never called and only admins learn of them', async () => {
    const answer = await ask('smart', KEYS.some);
    expect(calledNow()).toEqual(['b', 'good']);
    expect(jsonOf(answer)['understudy']).toMatchObject({ requested_model: 'b' });
    expect(answer.text).not.toContain('"a"');
    const { candidates, chain } = await rig.record(answer);
    expect(chain).toEqual(['b', 'good']);
    expect(candidates.map(({ model, tried, skip_reason }) => [model, tried, skip_reason])).toEqual([
      ['b', true, null],
      ['good', true, null],
      ['a', false, 'model_not_allowed'],
    ]);
    const none = await ask('smart', KEYS.few);
    expect(codeOf(none)).toEqual([403, 'model_not_allowed']);
    expect(errorOf(none)['message']).toContain('`smart`');
  });
});

describe('the default model', () => {
  it('C-7: is tried last after a direct model, and the client is told', async () => {
    const answer = await ask('a', KEYS.withDefault);
    expect(calledNow()).toEqual(['a', 'last']);
    expect(jsonOf(answer)).toMatchObject({
      model: 'last',
      understudy: {
        requested_model: 'a',
        served_model: 'last',
        degraded: true,
        degraded_reasons: ['model'],
        failover: { occurred: true },
      },
    });
  });

  it('C-7: after a virtual model and after auto; not twice', async () => {
    await ask('failing', KEYS.withDefault);
    expect(calledNow()).toEqual(['a', 'b', 'last']);
    await ask('understudy/auto', KEYS.withDefault);
    expect(calledNow()).toEqual(['a', 'last']);
    await ask('ends', KEYS.withDefault);
    expect(calledNow()).toEqual(['a', 'last']);
  });

  it('C-7: not called while the model answers, whose chain is reported all the same', async () => {
    const answer = await ask('good', KEYS.withDefault);
    expect(calledNow()).toEqual(['good']);
    expect(answer.headers['x-understudy-degraded']).toBe('false');
    expect(jsonOf(answer)['understudy']).toMatchObject({ degraded: false, failover: { occurred: false } });
  });

  it('C-7: never after an explicit chain', async () => {
    for (const fields of [{ models: ['a', 'b'] }, { models: ['a'] }, { model: 'a', fallback_models: [] }]) {
      const answer = await rig.post({ ...fields, messages: MESSAGES }, { key: KEYS.withDefault });
      expect(answer.status).toBeGreaterThanOrEqual(500);
    }
    await ask('a', KEYS.defaults);
    await ask('b', KEYS.defaults);
    expect(calledNow()).not.toContain('last');
    await ask('busy', KEYS.defaults);
    expect(calledNow(), 'a model that is not among the defaults is a direct one').toContain('last');
  });

  it('C-7: answers for a known model that is not enabled, never for an unknown one', async () => {
    const answer = await ask('d1', KEYS.withDefault);
    expect(calledNow()).toEqual(['last']);
    expect(jsonOf(answer)).toMatchObject({
      model: 'last',
      understudy: { requested_model: 'd1', served_model: 'last', degraded_reasons: ['model'] },
    });
    expect(await rig.record(answer)).toMatchObject({ requested_model: 'd1', chain: ['last'], degraded: true });
    expect(codeOf(await ask('nowhere', KEYS.withDefault))).toEqual([404, 'model_not_found']);
    expect(codeOf(await rig.post({ models: ['d1'], messages: MESSAGES }, { key: KEYS.withDefault }))).toEqual([
      403,
      'model_not_allowed',
    ]);
    expect(calledNow()).toEqual([]);
  });

  it('C-8, C-4, D-1: not where the request may not leave its model', async () => {
    for (const redundancy of [
      { cross_model: false },
      { priority: 'low' },
      { on: [] },
      { policy: 'strict', retries: 0 },
    ]) {
      const answer = await ask('a', KEYS.withDefault, { redundancy });
      expect(answer.status, JSON.stringify(redundancy)).toBe(503);
      expect(codeOf(await ask('d1', KEYS.withDefault, { redundancy }))).toEqual([403, 'model_not_allowed']);
    }
    expect(new Set(calledNow())).toEqual(new Set(['a']));
    expect((await ask('a', KEYS.narrow)).status).toBe(503);
    expect(calledNow()).not.toContain('last');
  });

  it('G-3: not for a key that may not call it', async () => {
    expect((await ask('a', KEYS.noDefault)).status).toBe(503);
    expect(calledNow()).not.toContain('last');
  });

  it('D-1: a caller’s fault does not lead to it', async () => {
    expect(codeOf(await ask('bad', KEYS.withDefault))).toEqual([400, 'invalid_value']);
    expect(calledNow()).toEqual(['bad']);
  });
});

describe('GET /v1/models', () => {
  type Listed = { id: string; owned_by: string; models?: string[]; default?: boolean };
  const list = async (key: string): Promise<Listed[]> => {
    const answer = await rig.get('/v1/models', { authorization: `Bearer ${key}` });
    return (jsonOf(answer) as unknown as { data: Listed[] }).data;
  };
  const one = (id: string, key: string) => rig.get(`/v1/models/${id}`, { authorization: `Bearer ${key}` });

  it('C-6: shows the virtual models of the workspace with what the key may call of them', async () => {
    const all = await list(KEYS.virtual);
    expect(all.find(({ id }) => id === 'smart')).toEqual({
      id: 'smart',
      object: 'model',
      created: 0,
      owned_by: 'virtual',
      models: ['a', 'b', 'good'],
    });
    expect(all.find(({ id }) => id === 'understudy/auto')?.models).toEqual(['b', 'good']);
    const some = await list(KEYS.some);
    expect(some.find(({ id }) => id === 'smart')?.models).toEqual(['b', 'good']);
    expect(some.find(({ id }) => id === 'failing')).toBeUndefined();
    const few = await list(KEYS.few);
    expect(few.map(({ id }) => id)).toEqual(['last']);
    const others = await list(KEYS.withDefault);
    expect(others.filter(({ models }) => models !== undefined).map(({ id }) => id)).toEqual([
      'failing',
      'ends',
      'understudy/auto',
    ]);
  });

  it('C-7: marks the default model', async () => {
    const marked = (await list(KEYS.withDefault)).filter((model) => model.default === true);
    expect(marked.map(({ id }) => id)).toEqual(['last']);
    expect((await list(KEYS.noDefault)).some((model) => model.default === true)).toBe(false);
  });

  it('C-6, C-9: one of them by its name, 404 where the key may call none of its models', async () => {
    expect(jsonOf(await one('team/long', KEYS.virtual))).toMatchObject({ id: 'team/long', owned_by: 'virtual' });
    expect(jsonOf(await one('understudy/auto', KEYS.virtual))).toMatchObject({ models: ['b', 'good'] });
    for (const [id, key] of [
      ['smart', KEYS.few],
      ['team/long', KEYS.withDefault],
      ['d1', KEYS.withDefault],
    ] as const) {
      expect(codeOf(await one(id, key))).toEqual([404, 'model_not_found']);
    }
  });
});
