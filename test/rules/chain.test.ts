/** Section 2 over the wire: which models one request may use, and what it may ask of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorStep, okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { jsonOf, MESSAGES, type RulesRig, startRules } from './rules-rig.ts';

const DOWN = errorStep(503, { message: 'down', code: 'server_error' });
const CHAIN_KEY = 'chain-key-0123456789';
const BROKEN_KEY = 'broken-chain-key-0123456789';
const BOUND_KEY = 'bound-key-0123456789';
const KEY_OPTIONS = 'key-options-0123456789';

let rig: RulesRig;
beforeAll(async () => {
  rig = await startRules(
    {
      a: { up: { A: [DOWN] } },
      b: { up: { A: [DOWN] } },
      c: { up: { A: [DOWN] } },
      'vendor/d:free': { up: { A: [okBody('d')] } },
      'other/d:free': { up: { A: [okBody('other d')] } },
      'vendor/house/e': { up: { A: [okBody('e')] } },
      hidden: { up: { A: [okBody('hidden')] } },
    },
    {
      aliases: { first: 'a', again: 'first', short: 'vendor/d:free' },
      // Faults must not open circuits here: each case asks the same channels again.
      health: { circuit: { consecutive: 1_000_000, min_calls: 1_000_000 } },
      keys: [
        { name: 'chain', workspace: 'main', secret: CHAIN_KEY, failover_defaults: { models: ['a', 'b', 'c'] } },
        {
          name: 'broken',
          workspace: 'main',
          secret: BROKEN_KEY,
          models: ['a', 'b'],
          failover_defaults: { models: ['a', 'b', 'c'] },
        },
        {
          name: 'bound',
          workspace: 'bounded',
          secret: BOUND_KEY,
          redundancy: { cross_model: false },
          ceilings: { max_attempts: 4, timeout_ms: 9000, policies: ['standard', 'strict'] },
        },
        {
          name: 'options',
          workspace: 'main',
          secret: KEY_OPTIONS,
          redundancy: { on: [], policy: 'permissive' },
          failover_defaults: { on: ['server_error'] },
        },
      ],
      over: {
        workspaces: {
          main: { enabled_models: ['a', 'b', 'c', 'vendor/*'], redundancy: { max_attempts: 5 } },
          bounded: { ceilings: { max_attempts: 3, policies: ['strict', 'permissive'] } },
        },
      },
    },
  );
});
afterAll(() => rig.close());

/** The models called since the last question. */
let seen = 0;
function calledNow(): string[] {
  const all = rig.called().map((call) => call.slice(2));
  const fresh = all.slice(seen);
  seen = all.length;
  return fresh;
}

describe('which models', () => {
  it('C-1: `models` is exactly the chain and overrides `model`', async () => {
    calledNow();
    await rig.post({ model: 'vendor/d:free', models: ['b', 'a'], messages: MESSAGES });
    expect(calledNow()).toEqual(['b', 'a']);
    await rig.post({ models: ['b', 'a'], messages: MESSAGES });
    expect(calledNow()).toEqual(['b', 'a']);
  });

  it('C-1: `model` with `fallback_models`, and `model` alone', async () => {
    calledNow();
    await rig.ask('a', { fallback_models: ['c', 'vendor/d:free'] });
    expect(calledNow()).toEqual(['a', 'c', 'vendor/d:free']);
    await rig.ask('a');
    expect(new Set(calledNow())).toEqual(new Set(['a']));
  });

  it('C-2: repeats collapse after aliases are resolved, so that more names than three may be sent', async () => {
    calledNow();
    const answer = await rig.post({ models: ['first', 'a', 'again', 'b', 'a', 'b'], messages: MESSAGES });
    expect(calledNow()).toEqual(['a', 'b']);
    expect(errorOf(answer)['message']).toBe('All 2 model attempt(s) failed (last: b — server_error)');
  });

  it('C-2: four distinct models are refused before anybody is called', async () => {
    calledNow();
    const answer = await rig.post({ models: ['a', 'b', 'c', 'vendor/d:free'], messages: MESSAGES });
    expect([answer.status, errorOf(answer)['code']]).toEqual([400, 'invalid_chain']);
    expect(calledNow()).toEqual([]);
  });

  it('C-2: an unknown entry is 404 and a forbidden one 403, both by name', async () => {
    const unknown = await rig.post({ models: ['a', 'nowhere'], messages: MESSAGES });
    expect([unknown.status, errorOf(unknown)['code']]).toEqual([404, 'model_not_found']);
    expect(errorOf(unknown)['message']).toContain('nowhere');
    const forbidden = await rig.ask('a', { fallback_models: ['hidden'] });
    expect([forbidden.status, errorOf(forbidden)['code']]).toEqual([403, 'model_not_allowed']);
    expect(errorOf(forbidden)['message']).toContain('hidden');
  });

  it('C-2: empty fallbacks are an explicit chain of one: no defaults are added', async () => {
    calledNow();
    const answer = await rig.ask('a', { fallback_models: [], redundancy: { retries: 0 } }, { key: CHAIN_KEY });
    expect(calledNow()).toEqual(['a']);
    expect(answer.status, 'E-1: one model is not wrapped').toBe(503);
  });

  it('C-5: a lone model starts at its place in the defaults of the key', async () => {
    calledNow();
    await rig.ask('b', {}, { key: CHAIN_KEY });
    expect(calledNow()).toEqual(['b', 'c']);
    await rig.ask('first', {}, { key: CHAIN_KEY });
    expect(calledNow()).toEqual(['a', 'b', 'c']);
    await rig.ask('c', { redundancy: { retries: 0 } }, { key: CHAIN_KEY });
    expect(calledNow()).toEqual(['c']);
  });

  it('C-5: a chain the request spells out is not continued by the defaults', async () => {
    calledNow();
    await rig.post({ models: ['a'], messages: MESSAGES, redundancy: { retries: 0 } }, { key: CHAIN_KEY });
    expect(calledNow()).toEqual(['a']);
  });

  it('C-5, G-3: a default the key may not call fails the request that would use it', async () => {
    const answer = await rig.ask('a', {}, { key: BROKEN_KEY });
    expect([answer.status, errorOf(answer)['code']]).toEqual([403, 'model_not_allowed']);
    expect(errorOf(answer)['message']).toContain('`c`');
  });

  it('C-8: cross_model false keeps retries on the first model', async () => {
    calledNow();
    const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES, redundancy: { cross_model: false } });
    expect(new Set(calledNow())).toEqual(new Set(['a']));
    expect(answer.status).toBeGreaterThanOrEqual(500);
  });

  it('C-9: the exact id, an alias of an alias, the only enabled tail', async () => {
    const served = async (model: string): Promise<unknown> => jsonOf(await rig.ask(model))['model'];
    expect(await served('vendor/d:free')).toBe('vendor/d:free');
    expect(await served('short')).toBe('vendor/d:free');
    expect(await served('d:free'), 'other/d:free is not enabled here').toBe('vendor/d:free');
    expect(await served('e')).toBe('vendor/house/e');
  });

  it('C-9: a name may be a longer end of an id', async () => {
    expect(jsonOf(await rig.ask('house/e'))['model']).toBe('vendor/house/e');
  });
});

describe('whose word counts', () => {
  it('C-3: failover_defaults beat the options of the same key', async () => {
    const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES }, { key: KEY_OPTIONS });
    expect(errorOf(answer)['code']).toBe('all_models_failed');
    expect((await rig.record(answer)).policy).toBe('permissive');
  });

  it('C-3: the key’s options hold where the request is silent, the request’s where it speaks', async () => {
    calledNow();
    await rig.post({ models: ['a', 'b'], messages: MESSAGES, redundancy: { on: [] } }, { key: KEY_OPTIONS });
    expect(calledNow()).toEqual(['a']);
  });

  it('C-3: cross_model false anywhere is final', async () => {
    calledNow();
    const body = { models: ['a', 'b'], messages: MESSAGES, redundancy: { cross_model: true, retries: 0 } };
    await rig.post(body, { key: BOUND_KEY });
    expect(calledNow().includes('b')).toBe(false);
  });

  it('C-4: ceilings clamp numbers, the strictest of key and workspace, and the record shows it', async () => {
    const redundancy = { max_attempts: 20, timeout_ms: 20_000 };
    const answer = await rig.ask('vendor/d:free', { redundancy }, { key: BOUND_KEY });
    expect(answer.status).toBe(200);
    expect((await rig.record(answer)).clamped).toEqual([
      { field: 'timeout_ms', asked: 20_000, given: 9000 },
      { field: 'max_attempts', asked: 20, given: 3 },
    ]);
  });

  it('C-4: ceilings refuse a policy that not every owner allows', async () => {
    for (const policy of ['standard', 'permissive']) {
      const answer = await rig.ask('vendor/d:free', { redundancy: { policy } }, { key: BOUND_KEY });
      expect([answer.status, errorOf(answer)['code']]).toEqual([400, 'invalid_redundancy']);
      expect(errorOf(answer)['param']).toBe('redundancy.policy');
    }
    expect((await rig.ask('vendor/d:free', { redundancy: { policy: 'strict' } }, { key: BOUND_KEY })).status).toBe(200);
  });

  it('C-4: a ceiling bounds an entry of the chain too', async () => {
    const models = [{ model: 'vendor/d:free', timeout_ms: 30_000 }];
    const answer = await rig.post({ models, messages: MESSAGES }, { key: BOUND_KEY });
    expect((await rig.record(answer)).clamped).toEqual([
      { field: 'vendor/d:free.timeout_ms', asked: 30_000, given: 9000 },
    ]);
  });
});

const RANGES: readonly (readonly [field: string, min: number, max: number])[] = [
  ['timeout_ms', 1000, 300_000],
  ['first_token_timeout_ms', 500, 60_000],
  ['retries', 0, 5],
  ['max_attempts', 1, 20],
  ['deadline_ms', 1000, 3_600_000],
  ['idle_timeout_ms', 1000, 600_000],
  ['max_wait_ms', 0, 60_000],
  ['max_held_bytes', 65_536, 33_554_432],
  ['hedge_after_ms', 100, 60_000],
  ['stall_timeout_ms', 1000, 3_600_000],
];

describe('ranges', () => {
  it.each(RANGES)('C-4: %s takes %i and %i, and nothing beside them', async (field, min, max) => {
    for (const value of [min, max]) {
      expect((await rig.ask('vendor/d:free', { redundancy: { [field]: value } })).status, `${value}`).toBe(200);
    }
    for (const value of [min - 1, max + 1, min + 0.5, String(min), null]) {
      const answer = await rig.ask('vendor/d:free', { redundancy: { [field]: value } });
      expect([answer.status, errorOf(answer)['code']], `${value}`).toEqual([400, 'invalid_redundancy']);
      expect(errorOf(answer)['message']).toContain(field);
      expect(errorOf(answer)['message']).toContain(String(max));
    }
  });

  it('C-4: max_age_s from 1 to 86400', async () => {
    const ask = (max_age_s: unknown) =>
      rig.ask('vendor/d:free', { redundancy: { on_exhausted: [{ cache: { max_age_s } }] } });
    for (const outside of [0, 86_401]) expect(errorOf(await ask(outside))['code']).toBe('invalid_redundancy');
    for (const edge of [1, 86_400]) expect((await ask(edge)).status).toBe(200);
  });

  it.each([
    'connection_error',
    'server_error',
    'rate_limit',
    'timeout',
    'auth',
    'model_not_found',
    'context_length',
    'content_policy',
    'empty',
  ])('C-4: `on` may name %s', async (word) => {
    expect((await rig.ask('vendor/d:free', { redundancy: { on: [word] } })).status).toBe(200);
  });

  it.each(['permission', 'quota_exhausted', 'overloaded', 'any', ''])('C-4: `on` may not name %s', async (word) => {
    const answer = await rig.ask('vendor/d:free', { redundancy: { on: [word] } });
    expect([answer.status, errorOf(answer)['code']]).toEqual([400, 'invalid_redundancy']);
  });

  it('C-4: on [] never reaches another model', async () => {
    calledNow();
    await rig.post({ models: ['a', 'b'], messages: MESSAGES, redundancy: { on: [] } });
    expect(calledNow()).toEqual(['a']);
  });

  it.each([
    ['timeout_ms', 999],
    ['timeout_ms', 300_001],
    ['first_token_timeout_ms', 499],
    ['first_token_timeout_ms', 60_001],
    ['retries', 1],
    ['what', 1],
  ])('C-4: an entry of the chain may not say %s: %i', async (field, value) => {
    const answer = await rig.post({ models: [{ model: 'vendor/d:free', [field]: value }], messages: MESSAGES });
    expect([answer.status, errorOf(answer)['code']]).toEqual([400, 'invalid_redundancy']);
    expect(errorOf(answer)['param']).toBe(`models[0].${field}`);
  });

  it.each([
    ['timeout_ms', 1000],
    ['timeout_ms', 300_000],
    ['first_token_timeout_ms', 500],
    ['first_token_timeout_ms', 60_000],
  ])('C-4: an entry of the chain may say %s: %i', async (field, value) => {
    const answer = await rig.post({ models: [{ model: 'vendor/d:free', [field]: value }], messages: MESSAGES });
    expect(answer.status).toBe(200);
  });
});

describe('headers in place of fields', () => {
  it('C-1: X-Understudy-Models stands in for a chain', async () => {
    calledNow();
    const headers = { 'x-understudy-models': 'b, vendor/d:free' };
    const named = await rig.ask('a', {}, { headers });
    expect(named.status).toBe(200);
    expect(calledNow()).toEqual(['b', 'vendor/d:free']);
  });

  it('C-4: a redundancy header obeys the same ranges, and the body beats it field by field', async () => {
    const bad = await rig.ask('vendor/d:free', {}, { headers: { 'x-understudy-redundancy': '{"retries": 6}' } });
    expect(errorOf(bad)['code']).toBe('invalid_redundancy');
    const headers = { 'x-understudy-redundancy': '{"policy": "strict", "timeout_ms": 5000}' };
    const answer = await rig.ask('vendor/d:free', { redundancy: { timeout_ms: 6000 } }, { headers });
    expect((await rig.record(answer)).policy).toBe('strict');
  });

  it('C-4: a redundancy header that can not be read is invalid_redundancy', async () => {
    const answer = await rig.ask('vendor/d:free', {}, { headers: { 'x-understudy-redundancy': '{"retries":' } });
    expect([answer.status, errorOf(answer)['code']]).toEqual([400, 'invalid_redundancy']);
  });
});
