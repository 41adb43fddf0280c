import { describe, expect, it } from 'vitest';
import { type CallerKey, callerRules, type RuleSource, type RuleWorkspace } from './caller-rules.ts';
import { priorityOf } from './priority.ts';
import { type AskedRequest, resolveRequest } from './resolve-request.ts';
import { AUTO, type VirtualModel } from './virtual-models.ts';

const IDS = ['v/a', 'v/b', 'v/c', 'v/d', 'v/e', 'v/f', 'v/g', 'v/h'];

function virtual(name: string, models: readonly string[], more: Partial<VirtualModel> = {}): VirtualModel {
  return { name, models, routing: null, redundancy: {}, ...more };
}

function rulesOf(workspace: Partial<RuleWorkspace> = {}, key: Partial<CallerKey> = {}) {
  const acme: RuleWorkspace = {
    enabledModels: ['*'],
    redundancy: {},
    ceilings: {},
    defaultModel: null,
    virtualModels: new Map(),
    auto: [],
    ...workspace,
  };
  const source: RuleSource = {
    models: IDS.map((id, ix) => ({ ix, id })),
    modelById: new Map(IDS.map((id, ix) => [id, ix])),
    modelsByTail: new Map(),
    aliases: new Map(),
    workspaces: new Map([['acme', acme]]),
    defaults: {},
    policies: {},
    backoff: { baseMs: 500, capMs: 8000 },
  };
  const plain: CallerKey = { workspace: 'acme', models: ['*'], failoverDefaults: null, redundancy: {}, ceilings: {} };
  return callerRules(source, { ...plain, ...key });
}

const NOTHING: AskedRequest = { model: undefined, models: undefined, fallbackModels: undefined, redundancy: undefined };

function resolved(asked: Partial<AskedRequest>, rules = rulesOf(), headers: Record<string, unknown> = {}) {
  const read = resolveRequest({ ...NOTHING, ...asked }, headers, rules);
  if (!read.ok) throw new Error(`${read.error.code}: ${read.error.message}`);
  return { ...read.value, names: read.value.chain.entries.map(({ name }) => name) };
}

function codeOf(asked: Partial<AskedRequest>, rules = rulesOf()): unknown {
  const read = resolveRequest({ ...NOTHING, ...asked }, {}, rules);
  return read.ok ? read.value.chain.entries.map(({ name }) => name) : read.error.code;
}

describe('C-6: options of a virtual model', () => {
  const smart = virtual('smart', ['v/a', 'v/b'], { redundancy: { timeout_ms: 9000, on: ['timeout'], retries: 4 } });
  const workspace = { virtualModels: new Map([['smart', smart]]), redundancy: { timeout_ms: 5000, deadline_ms: 8000 } };

  it('C-3, C-6: beat those of key and workspace, are beaten by the request, and stay within the ceilings', () => {
    const rules = rulesOf(workspace, { redundancy: { timeout_ms: 7000 }, ceilings: { retries: 2 } });
    expect(resolved({ model: 'smart' }, rules).options).toMatchObject({
      timeoutMs: 9000,
      deadlineMs: 8000,
      retries: 2,
      onSent: true,
      on: new Set(['timeout']),
    });
    expect(resolved({ model: 'smart', redundancy: { timeout_ms: 3000 } }, rules).options.timeoutMs).toBe(3000);
    expect(resolved({ model: 'v/a' }, rules).options).toMatchObject({ timeoutMs: 7000, onSent: false, retries: null });
  });

  it('C-6: are worked out once', () => {
    const rules = rulesOf(workspace);
    const { options } = resolved({ model: 'smart' }, rules);
    expect(resolved({ model: 'smart' }, rules).options).toBe(options);
    expect(rules.defaultsFor('smart').options).toBe(options);
    expect(rules.defaultsFor('v/a')).toBe(rules.defaults);
    expect(rules.defaultsFor(undefined)).toBe(rules.defaults);
  });

  it('D-4: attempts grow with its length, also by the default model', () => {
    const rules = rulesOf({ auto: IDS.slice(0, 7), defaultModel: 'v/h' });
    expect(resolved({ model: AUTO }, rules)).toMatchObject({ names: IDS, options: { maxAttempts: 8 } });
  });
});

describe('C-7: where the request may not leave its model there is no default model', () => {
  const defaultModel = 'v/d';
  const barred: readonly (readonly [string, AskedRequest['redundancy']])[] = [
    ['C-8: cross_model false', { cross_model: false }],
    ['C-4: on []', { on: [] }],
    ['C-4: priority low', { priority: 'low' }],
    ['D-1: policy strict', { policy: 'strict' }],
  ];

  it.each(barred)('%s', (_rule, redundancy) => {
    const rules = rulesOf({ defaultModel, enabledModels: ['v/a', 'v/d'] });
    expect(codeOf({ model: 'v/a' }, rules)).toEqual(['v/a', 'v/d']);
    expect(codeOf({ model: 'v/a', redundancy }, rules)).toEqual(['v/a']);
    // Nor does it stand in for a model that is not enabled.
    expect(codeOf({ model: 'v/b' }, rules)).toEqual(['v/d']);
    expect(codeOf({ model: 'v/b', redundancy }, rules)).toBe('model_not_allowed');
  });

  it('D-1: under strict a virtual model keeps its own models', () => {
    const virtualModels = new Map([['smart', virtual('smart', ['v/a', 'v/b'])]]);
    const rules = rulesOf({ defaultModel, virtualModels });
    expect(codeOf({ model: 'smart', redundancy: { policy: 'strict' } }, rules)).toEqual(['v/a', 'v/b']);
  });

  it('D-4: a default model out of reach does not raise max_attempts', () => {
    const rules = rulesOf({ auto: IDS.slice(0, 7), defaultModel: 'v/h' });
    expect(resolved({ model: AUTO, redundancy: { policy: 'strict' } }, rules).options.maxAttempts).toBe(7);
  });

  it('G-3: none for a key that may not call it, none that the workspace has not enabled, none that is gone', () => {
    expect(codeOf({ model: 'v/a' }, rulesOf({ defaultModel }, { models: ['v/a'] }))).toEqual(['v/a']);
    expect(codeOf({ model: 'v/a' }, rulesOf({ defaultModel, enabledModels: ['v/a'] }))).toEqual(['v/a']);
    expect(codeOf({ model: 'v/a' }, rulesOf({ defaultModel: 'v/gone' }))).toEqual(['v/a']);
    const rules = rulesOf({ defaultModel, enabledModels: ['v/d'] }, { models: ['v/a'] });
    expect(codeOf({ model: 'v/a' }, rules)).toBe('model_not_allowed');
  });

  it('C-7: endpoints of their own kind ignore it', () => {
    const read = resolveRequest({ ...NOTHING, model: 'v/a' }, {}, rulesOf({ defaultModel }), { crossesModels: false });
    expect(read.ok && read.value.chain.entries.map(({ name }) => name)).toEqual(['v/a']);
  });
});

describe('C-3: what a request may cost', () => {
  const rules = rulesOf({ ceilings: { max_cost_usd: 0.5 } });

  it.each<[number, bigint]>([
    [0.000_000_001, 1n],
    [0.25, 250_000_000n],
    [0.5, 500_000_000n],
    [2, 500_000_000n],
    [1e300, 500_000_000n],
  ])('C-3, C-4: asked for %d USD it gets the strictest, and the record shows what was not given', (asked, given) => {
    const { options } = resolved({ model: 'v/a', redundancy: { max_cost_usd: asked } }, rules);
    expect(options.maxCostNanoUsd).toBe(given);
    expect(options.clamped).toEqual(asked > 0.5 ? [{ field: 'max_cost_usd', asked, given: 0.5 }] : []);
  });

  it('C-3: any amount is a number of nano-dollars, where nobody else limits it', () => {
    expect(resolved({ model: 'v/a', redundancy: { max_cost_usd: 1e300 } }).options.maxCostNanoUsd).toBe(10n ** 18n);
  });
});

describe('C-4: priority before anything else is read', () => {
  const virtualModels = new Map([['batch', virtual('batch', ['v/a'], { redundancy: { priority: 'low' } })]]);
  const rules = rulesOf({ virtualModels, redundancy: { priority: 'high' } });
  const of = (asked: Partial<AskedRequest>, headers = {}) => priorityOf({ ...NOTHING, ...asked }, headers, rules);

  it('C-4: the request’s, body before header, then its virtual model’s, key’s and workspace’s', () => {
    expect(of({ model: 'v/a' })).toBe('high');
    expect(of({ model: 'batch' })).toBe('low');
    expect(of({ model: 'batch', redundancy: { priority: 'normal' } })).toBe('normal');
    const headers = { 'x-understudy-redundancy': '{"priority": "low"}' };
    expect(of({ model: 'v/a' }, headers)).toBe('low');
    expect(of({ model: 'v/a', redundancy: { priority: 'normal' } }, headers)).toBe('normal');
  });

  it.each([{ priority: 'urgent' }, { priority: null }, [], 'low', 7])(
    'C-4: %j says nothing, and never fails',
    (said) => {
      expect(of({ model: 'v/a', redundancy: said })).toBe('high');
      expect(of({ model: 5 }, { 'x-understudy-redundancy': '{"priority":' })).toBe('high');
    },
  );
});
