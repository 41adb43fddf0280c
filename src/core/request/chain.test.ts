import { describe, expect, it } from 'vitest';
import { type ChainInput, resolveChain } from './chain.ts';
import type { Read } from './read.ts';
import { type ModelAccess, type ModelCatalogue, modelResolver } from './resolve-model.ts';
import type { Routing } from './routing.ts';
import { AUTO, type VirtualModel, virtualChains } from './virtual-models.ts';

const IDS = ['openai/nano', 'anthropic/sonnet', 'google/flash', 'x/big', 'y/big', 'local:7b/q4', 'secret/big'];

const catalogue: ModelCatalogue = {
  models: IDS.map((id, ix) => ({ ix, id })),
  modelById: new Map(IDS.map((id, ix) => [id, ix])),
  modelsByTail: new Map([
    ['nano', [0]],
    ['sonnet', [1]],
    ['flash', [2]],
    ['big', [3, 4, 6]],
    ['q4', [5]],
  ]),
  aliases: new Map([
    ['small', 'openai/nano'],
    ['nano', 'google/flash'],
    ['gone', 'openai/none'],
  ]),
};

interface Setting {
  readonly access?: Partial<ModelAccess>;
  readonly defaults?: readonly string[] | null;
  readonly virtuals?: readonly VirtualModel[];
  readonly auto?: readonly string[];
  /** Id of the workspace's default model, as the caller may use it. */
  readonly last?: string;
  readonly crossesModels?: boolean;
}

function virtual(name: string, models: readonly string[], routing: Routing | null = null): VirtualModel {
  return { name, models, routing, redundancy: {} };
}

function chainOf(input: Partial<ChainInput>, setting: Setting = {}) {
  const { defaults = null, virtuals = [], auto = [], last, crossesModels = true } = setting;
  const access = { enabledInWorkspace: ['*'], allowedByKey: ['*'], ...setting.access };
  const source = { virtualModels: new Map(virtuals.map((one) => [one.name, one])), auto };
  return resolveChain(
    { model: undefined, models: undefined, fallbackModels: undefined, headerModels: undefined, ...input },
    {
      resolve: modelResolver(catalogue, access, virtualChains(source, catalogue, access)),
      failoverDefaults: defaults,
      defaultModel: last === undefined ? null : { id: last, model: IDS.indexOf(last) },
    },
    crossesModels,
  );
}

function names(input: Partial<ChainInput>, setting?: Setting): string[] {
  const read = chainOf(input, setting);
  if (!read.ok) throw new Error(`${read.error.code}: ${read.error.message}`);
  return read.value.entries.map(({ name }) => name);
}

function refusal(read: Read<unknown>) {
  if (read.ok) throw new Error('was accepted');
  const { status, code, message, param } = read.error;
  return { status, code, message, param };
}

describe('C-1: which field rules', () => {
  it('C-1: `models` is exactly the chain and overrides `model`', () => {
    const read = chainOf({ model: 'x/big', models: ['openai/nano', 'anthropic/sonnet'] });
    expect(read).toMatchObject({ ok: true, value: { explicit: true, requestedModel: 'openai/nano' } });
    expect(names({ model: 'x/big', models: ['openai/nano', 'anthropic/sonnet'] })).toEqual([
      'openai/nano',
      'anthropic/sonnet',
    ]);
  });

  it('C-1: `model` and then `fallback_models`', () => {
    expect(names({ model: 'openai/nano', fallbackModels: ['x/big', 'google/flash'] })).toEqual([
      'openai/nano',
      'x/big',
      'google/flash',
    ]);
  });

  it('C-1: `model` alone is no explicit chain', () => {
    expect(chainOf({ model: 'openai/nano' })).toMatchObject({ ok: true, value: { explicit: false } });
  });

  it('C-1: the header stands for `models`; fields of the body beat it', () => {
    const headerModels = 'openai/nano, anthropic/sonnet ,google/flash';
    expect(names({ model: 'x/big', headerModels })).toEqual(['openai/nano', 'anthropic/sonnet', 'google/flash']);
    expect(names({ models: ['x/big'], headerModels })).toEqual(['x/big']);
    expect(names({ model: 'x/big', fallbackModels: [], headerModels })).toEqual(['x/big']);
  });
});

describe('C-2: what is no chain', () => {
  const missing = { code: 'missing_required_parameter', param: 'model' };
  it.each<[string, Partial<ChainInput>, { code: string; param: string }]>([
    ['both lists', { models: ['x/big'], fallbackModels: ['y/big'] }, { code: 'invalid_chain', param: 'models' }],
    ['both lists, one empty', { models: ['x/big'], fallbackModels: [] }, { code: 'invalid_chain', param: 'models' }],
    ['empty models', { model: 'x/big', models: [] }, { code: 'invalid_chain', param: 'models' }],
    ['models: null', { model: 'x/big', models: null }, { code: 'invalid_chain', param: 'models' }],
    ['models: text', { models: 'x/big' }, { code: 'invalid_chain', param: 'models' }],
    ['models: object', { models: { length: 1 } }, { code: 'invalid_chain', param: 'models' }],
    ['a number in it', { models: ['x/big', 7] }, { code: 'invalid_chain', param: 'models[1]' }],
    ['null in it', { models: [null] }, { code: 'invalid_chain', param: 'models[0]' }],
    ['an empty name in it', { models: [''] }, { code: 'invalid_chain', param: 'models[0]' }],
    ['an array in it', { models: [['x/big']] }, { code: 'invalid_chain', param: 'models[0]' }],
    ['an entry without model', { models: [{ timeout_ms: 2000 }] }, { code: 'invalid_chain', param: 'models[0].model' }],
    ['an entry with a number', { models: [{ model: 1 }] }, { code: 'invalid_chain', param: 'models[0].model' }],
    ['a bad fallback', { model: 'x/big', fallbackModels: [1] }, { code: 'invalid_chain', param: 'fallback_models[0]' }],
    ['fallbacks: text', { model: 'x/big', fallbackModels: 'a' }, { code: 'invalid_chain', param: 'fallback_models' }],
    ['fallbacks alone', { fallbackModels: ['x/big'] }, { code: 'invalid_chain', param: 'model' }],
    ['fallbacks alone, empty', { fallbackModels: [] }, { code: 'invalid_chain', param: 'model' }],
    ['a number as model', { model: 5 }, { code: 'invalid_chain', param: 'model' }],
    ['an empty model', { model: '' }, { code: 'invalid_chain', param: 'model' }],
    ['an empty header', { model: 'x/big', headerModels: '' }, { code: 'invalid_chain', param: 'X-Understudy-Models' }],
    ['a gap in it', { headerModels: 'x/big,,y/big' }, { code: 'invalid_chain', param: 'X-Understudy-Models' }],
    ['nothing', {}, missing],
    ['model: null', { model: null }, missing],
  ])('C-2: %s', (_what, input, expected) => {
    expect(refusal(chainOf(input))).toMatchObject({ status: 400, ...expected });
  });

  it('C-2: four distinct models are too many, wherever they come from', () => {
    const four = ['openai/nano', 'anthropic/sonnet', 'google/flash', 'x/big'];
    const expected = { status: 400, code: 'invalid_chain', message: expect.stringContaining('at most 3') };
    expect(refusal(chainOf({ models: four }))).toMatchObject({ ...expected, param: 'models[3]' });
    expect(refusal(chainOf({ model: four[0], fallbackModels: four.slice(1) }))).toMatchObject(expected);
    expect(refusal(chainOf({ headerModels: four.join() }))).toMatchObject(expected);
  });

  it('C-2: repeats collapse after resolution, the first position wins', () => {
    expect(names({ models: ['small', 'openai/nano', 'sonnet', 'anthropic/sonnet', 'small', 'q4'] })).toEqual([
      'openai/nano',
      'anthropic/sonnet',
      'local:7b/q4',
    ]);
    const models = [{ model: 'small', timeout_ms: 2000 }, { model: 'openai/nano', timeout_ms: 9000 }, 'x/big'];
    expect(chainOf({ models })).toMatchObject({
      ok: true,
      value: { entries: [{ timeoutMs: 2000, requestedName: 'small' }, { name: 'x/big' }] },
    });
  });

  it('C-2: a thousand repeats of one model are one model', () => {
    expect(names({ models: Array.from({ length: 1000 }, () => 'x/big') })).toEqual(['x/big']);
  });

  it('C-2: empty fallbacks are an explicit chain of one, without defaults', () => {
    const read = chainOf({ model: 'x/big', fallbackModels: [] }, { defaults: ['x/big', 'y/big'] });
    expect(read).toMatchObject({ ok: true, value: { explicit: true, entries: [{ name: 'x/big' }] } });
  });

  it('C-2: one unknown or forbidden entry fails the whole request, named', () => {
    expect(refusal(chainOf({ models: ['x/big', 'nowhere/none'] }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
      message: expect.stringContaining('`nowhere/none`'),
      param: 'models[1]',
    });
    const access = { allowedByKey: ['openai/*', 'x/*'] };
    expect(refusal(chainOf({ model: 'x/big', fallbackModels: ['sonnet'] }, { access }))).toMatchObject({
      status: 403,
      code: 'model_not_allowed',
      message: expect.stringContaining('`anthropic/sonnet`'),
      param: 'fallback_models[0]',
    });
  });

  it('C-2: what is no chain is said before what is unknown', () => {
    expect(refusal(chainOf({ models: ['nowhere/none', 7] })).code).toBe('invalid_chain');
  });
});

describe('C-3: entries', () => {
  it('C-3: an entry brings its own timeouts and degradations', () => {
    const degrade = { max_output_tokens: 100, drop_tools: true, reasoning_effort: 'low', drop_params: ['seed'] };
    const models = [
      'sonnet',
      { model: 'x/big', timeout_ms: 30_000, first_token_timeout_ms: 5000, degrade },
      { model: 'y/big', timeout_ms: 1000 },
    ];
    expect(chainOf({ models })).toMatchObject({
      ok: true,
      value: {
        entries: [
          { timeoutMs: null, firstTokenTimeoutMs: null, degrade: null, origin: 'request' },
          { timeoutMs: 30_000, firstTokenTimeoutMs: 5000, degrade },
          { timeoutMs: 1000, firstTokenTimeoutMs: null },
        ],
      },
    });
    expect(names({ model: 'sonnet', fallbackModels: [{ model: 'x/big', degrade: {} }] })).toHaveLength(2);
  });

  it.each<[object, string]>([
    [{ timeout_ms: 999 }, 'timeout_ms'],
    [{ timeout_ms: 300_001 }, 'timeout_ms'],
    [{ timeout_ms: '2000' }, 'timeout_ms'],
    [{ first_token_timeout_ms: 499 }, 'first_token_timeout_ms'],
    [{ first_token_timeout_ms: 60_001 }, 'first_token_timeout_ms'],
    [{ max_attempts: 3 }, 'max_attempts'],
    [{ constructor: 1 }, 'constructor'],
    [{ degrade: null }, 'degrade'],
    [{ degrade: { max_output_tokens: 0 } }, 'degrade.max_output_tokens'],
    [{ degrade: { drop_tools: 'yes' } }, 'degrade.drop_tools'],
    [{ degrade: { drop_params: 'seed' } }, 'degrade.drop_params'],
    [{ degrade: { reasoning_effort: '' } }, 'degrade.reasoning_effort'],
    [{ degrade: { drop_tool: true } }, 'degrade.drop_tool'],
  ])('C-4: %o is no entry', (fields, at) => {
    expect(refusal(chainOf({ models: ['sonnet', { model: 'x/big', ...fields }] }))).toMatchObject({
      status: 400,
      code: 'invalid_redundancy',
      param: `models[1].${at}`,
    });
  });

  it('C-4: the message names the range, and for unknown fields the nearest known', () => {
    expect(refusal(chainOf({ models: [{ model: 'x/big', timeout_ms: 5 }] })).message).toBe(
      '`models[0].timeout_ms` must be an integer from 1000 to 300000, not 5',
    );
    expect(refusal(chainOf({ models: [{ model: 'x/big', timout_ms: 5000 }] })).message).toBe(
      '`models[0].timout_ms` is unknown; did you mean `timeout_ms`?',
    );
  });
});

describe('C-5: the key’s defaults', () => {
  const defaults = ['openai/nano', 'sonnet', 'google/flash'];

  it('C-5: a lone model starts at its place and goes on through the rest', () => {
    expect(names({ model: 'small' }, { defaults })).toEqual(['openai/nano', 'anthropic/sonnet', 'google/flash']);
    expect(names({ model: 'anthropic/sonnet' }, { defaults })).toEqual(['anthropic/sonnet', 'google/flash']);
    expect(chainOf({ model: 'anthropic/sonnet' }, { defaults })).toMatchObject({
      value: {
        explicit: true,
        requestedModel: 'anthropic/sonnet',
        entries: [{ origin: 'request' }, { origin: 'failover_defaults' }],
      },
    });
  });

  it('C-5: the last of them is an explicit chain of one', () => {
    expect(chainOf({ model: 'google/flash' }, { defaults })).toMatchObject({
      value: { explicit: true, entries: [{ name: 'google/flash' }] },
    });
  });

  it('C-5: a model that is not among them stays alone, and lists of the request stay as they are', () => {
    expect(chainOf({ model: 'x/big' }, { defaults })).toMatchObject({ value: { explicit: false } });
    expect(names({ model: 'x/big' }, { defaults })).toEqual(['x/big']);
    expect(names({ models: ['sonnet'] }, { defaults })).toEqual(['anthropic/sonnet']);
    expect(names({ headerModels: 'sonnet' }, { defaults })).toEqual(['anthropic/sonnet']);
  });

  it('G-3: what the key may not call it may not reach through its defaults either', () => {
    const access = { allowedByKey: ['openai/*', 'anthropic/*'] };
    expect(refusal(chainOf({ model: 'sonnet' }, { access, defaults }))).toMatchObject({
      status: 403,
      code: 'model_not_allowed',
      message: expect.stringContaining('google/flash'),
    });
  });

  it('C-5: a default that is gone matters only to requests that would use it', () => {
    const stale = ['nowhere/none', 'sonnet', 'x/big'];
    expect(names({ model: 'sonnet' }, { defaults: stale })).toEqual(['anthropic/sonnet', 'x/big']);
    expect(names({ model: 'y/big' }, { defaults: stale })).toEqual(['y/big']);
    expect(refusal(chainOf({ model: 'sonnet' }, { defaults: ['sonnet', 'nowhere/none'] })).code).toBe(
      'model_not_found',
    );
  });
});

describe('C-9: names', () => {
  const idOf = (model: string, access?: Partial<ModelAccess>) => names({ model }, access ? { access } : {})[0];

  it('C-9: an exact id, also with slashes and colons', () => {
    expect(idOf('local:7b/q4')).toBe('local:7b/q4');
  });

  it('C-9: an alias comes before a tail', () => {
    expect(idOf('small')).toBe('openai/nano');
    expect(idOf('nano')).toBe('google/flash');
  });

  it('C-9: the only enabled model of that tail', () => {
    expect(idOf('sonnet')).toBe('anthropic/sonnet');
    expect(idOf('big', { enabledInWorkspace: ['*/nano', 'y/*'] })).toBe('y/big');
  });

  it('C-9: several are ambiguous; only those this key may call are named', () => {
    const refused = refusal(chainOf({ model: 'big' }, { access: { allowedByKey: ['x/*', 'y/*'] } }));
    expect(refused).toMatchObject({ status: 400, code: 'ambiguous_model', param: 'model' });
    expect(refused.message).toContain('`x/big`, `y/big`');
    expect(refused.message).not.toContain('secret');
  });

  it.each(['none', 'gone', 'big', '__proto__', 'constructor', 'OPENAI/NANO', ' x/big'])(
    'C-9: %j leads nowhere',
    (model) => {
      const access = { enabledInWorkspace: ['openai/*', 'google/*'] };
      expect(refusal(chainOf({ model }, { access }))).toMatchObject({ status: 404, code: 'model_not_found' });
    },
  );

  it('C-9: a known model the workspace has not enabled is refused, not unknown', () => {
    expect(refusal(chainOf({ model: 'x/big' }, { access: { enabledInWorkspace: ['y/*'] } })).status).toBe(403);
  });

  it('E-5: a huge name does not come back whole', () => {
    expect(refusal(chainOf({ model: 'x'.repeat(1_000_000) })).message.length).toBeLessThan(300);
    expect(refusal(chainOf({ models: [{ model: 'x/big', ['y'.repeat(1e6)]: 1 }] })).message.length).toBeLessThan(300);
  });
});

describe('C-6: virtual models', () => {
  const routing: Routing = { strategy: 'price', affinity: 'none', channels: new Map() };
  const smart = virtual('smart', ['openai/nano', 'anthropic/sonnet', 'x/big', 'y/big'], routing);
  const virtuals = [smart, virtual('team/one', ['local:7b/q4'])];

  it('C-6: a virtual name alone is its list in order, not explicit, with its own routing', () => {
    expect(chainOf({ model: 'smart' }, { virtuals })).toEqual({
      ok: true,
      value: {
        entries: smart.models.map((name) => ({
          model: IDS.indexOf(name),
          name,
          requestedName: 'smart',
          timeoutMs: null,
          firstTokenTimeoutMs: null,
          degrade: null,
          origin: 'virtual',
        })),
        explicit: false,
        requestedModel: 'openai/nano',
        virtual: 'smart',
        routing,
      },
    });
    expect(chainOf({ model: 'team/one' }, { virtuals })).toMatchObject({ ok: true, value: { routing: null } });
  });

  it('C-6: up to ten models, more than a chain may name', () => {
    const auto = [...IDS, ...IDS];
    expect(names({ model: AUTO }, { auto })).toEqual(IDS);
  });

  it('C-6: understudy/auto is the list of the workspace, and says so where there is none', () => {
    const read = chainOf({ model: AUTO }, { auto: ['x/big', 'openai/nano'] });
    expect(read).toMatchObject({
      ok: true,
      value: { explicit: false, virtual: AUTO, requestedModel: 'x/big', entries: [{ origin: 'virtual' }, {}] },
    });
    const none = refusal(chainOf({ model: AUTO }, { virtuals, last: 'x/big' }));
    expect(none).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
    expect(none.message).toContain('`auto`');
  });

  it.each<[string, Partial<ChainInput>, string]>([
    ['models', { models: ['x/big', 'smart'] }, 'models[1]'],
    ['models, alone', { models: ['smart'] }, 'models[0]'],
    ['fallback_models', { model: 'x/big', fallbackModels: [{ model: 'smart' }] }, 'fallback_models[0]'],
    ['model before fallback_models', { model: 'smart', fallbackModels: [] }, 'model'],
    ['the header', { headerModels: 'smart' }, 'X-Understudy-Models'],
    ['models, the built-in one', { models: [AUTO, 'x/big'] }, 'models[0]'],
  ])('C-6: a virtual name stands alone: %s', (_where, input, param) => {
    const refused = refusal(chainOf(input, { virtuals, auto: ['x/big'] }));
    expect(refused).toMatchObject({ status: 400, code: 'invalid_chain', param });
    expect(refused.message).toContain('stands alone');
  });

  it('C-6: nor may the defaults of the key name one', () => {
    const read = chainOf({ model: 'x/big' }, { virtuals, defaults: ['x/big', 'smart'] });
    expect(refusal(read)).toMatchObject({ status: 400, code: 'invalid_chain', param: 'failover_defaults.models' });
    expect(names({ model: 'smart' }, { virtuals, defaults: ['smart', 'x/big'] })).toEqual(smart.models);
  });

  it('C-9: an exact id beats a virtual model, which beats an alias and a tail', () => {
    const all = [virtual('x/big', ['y/big']), virtual('small', ['x/big']), virtual('sonnet', ['y/big'])];
    expect(names({ model: 'x/big' }, { virtuals: all })).toEqual(['x/big']);
    expect(names({ model: 'small' }, { virtuals: all })).toEqual(['x/big']);
    expect(names({ model: 'sonnet' }, { virtuals: all })).toEqual(['y/big']);
    expect(names({ model: 'small' })).toEqual(['openai/nano']);
  });

  it('G-3: members the key may not call are passed over; with none left the name is refused', () => {
    const access = { allowedByKey: ['x/*', 'anthropic/*'] };
    const read = chainOf({ model: 'smart' }, { virtuals, access });
    expect(read).toMatchObject({
      ok: true,
      value: { requestedModel: 'anthropic/sonnet', entries: [{ name: 'anthropic/sonnet' }, { name: 'x/big' }] },
    });
    expect(read.ok && read.value.leftOut).toMatchObject([{ name: 'openai/nano' }, { name: 'y/big' }]);
    const none = refusal(chainOf({ model: 'smart' }, { virtuals, last: 'x/big', access: { allowedByKey: ['q/*'] } }));
    expect(none).toMatchObject({ status: 403, code: 'model_not_allowed', param: 'model' });
    expect(none.message).toContain('`smart`');
    expect(none.message, 'G-3: who may not call a model need not learn of it').not.toContain('nano');
  });
});

describe('C-7: the default model', () => {
  const last = 'google/flash';
  const origins = (input: Partial<ChainInput>, setting: Setting = {}) => {
    const read = chainOf(input, { last, ...setting });
    if (!read.ok) throw new Error(read.error.message);
    return read.value.entries.map(({ name, origin }) => `${name} ${origin}`);
  };

  it('C-7: comes last after a direct model, a virtual model and auto', () => {
    expect(origins({ model: 'x/big' })).toEqual(['x/big request', 'google/flash default_model']);
    const setting = { virtuals: [virtual('smart', ['x/big', 'y/big'])], auto: ['openai/nano'] };
    expect(origins({ model: 'smart' }, setting)).toEqual([
      'x/big virtual',
      'y/big virtual',
      'google/flash default_model',
    ]);
    expect(origins({ model: AUTO }, setting)).toEqual(['openai/nano virtual', 'google/flash default_model']);
    expect(chainOf({ model: 'x/big' }, { last })).toMatchObject({
      value: { explicit: false, requestedModel: 'x/big' },
    });
  });

  it('C-7: not again where it is in the chain already', () => {
    expect(origins({ model: 'google/flash' })).toEqual(['google/flash request']);
    expect(origins({ model: 'nano' })).toEqual(['google/flash request']);
    const virtuals = [virtual('smart', ['google/flash', 'y/big'])];
    expect(origins({ model: 'smart' }, { virtuals })).toEqual(['google/flash virtual', 'y/big virtual']);
  });

  it.each<[string, Partial<ChainInput>, readonly string[] | null]>([
    ['models', { models: ['x/big'] }, null],
    ['fallback_models', { model: 'x/big', fallbackModels: ['y/big'] }, null],
    ['empty fallback_models', { model: 'x/big', fallbackModels: [] }, null],
    ['the header', { headerModels: 'x/big' }, null],
    ['failover_defaults', { model: 'x/big' }, ['x/big', 'y/big']],
    ['the last of failover_defaults', { model: 'x/big' }, ['y/big', 'x/big']],
  ])('C-7: never after an explicit chain: %s', (_what, input, defaults) => {
    const read = chainOf(input, { last, defaults });
    expect(read).toMatchObject({ ok: true, value: { explicit: true } });
    expect(origins(input, { defaults }).some((entry) => entry.endsWith('default_model'))).toBe(false);
  });

  it('C-7: stands in alone for a known model that is not enabled', () => {
    const access = { enabledInWorkspace: ['google/*', 'y/*'] };
    for (const model of ['openai/nano', 'small']) {
      expect(chainOf({ model }, { last, access })).toMatchObject({
        ok: true,
        value: {
          explicit: false,
          requestedModel: 'openai/nano',
          entries: [{ name: 'google/flash', origin: 'default_model', requestedName: model }],
          standsInFor: { status: 403, code: 'model_not_allowed', param: 'model' },
        },
      });
    }
    expect(refusal(chainOf({ model: 'openai/nano' }, { access }))).toMatchObject({ code: 'model_not_allowed' });
  });

  it('C-7: stands in for a virtual model without any enabled member, not for one this key may not call', () => {
    const virtuals = [virtual('smart', ['openai/nano', 'x/big'])];
    const disabled = { virtuals, last, access: { enabledInWorkspace: ['google/*'] } };
    expect(chainOf({ model: 'smart' }, disabled)).toMatchObject({
      value: { requestedModel: 'smart', entries: [{ origin: 'default_model' }], standsInFor: { status: 403 } },
    });
    const forbidden = { virtuals, last, access: { allowedByKey: ['google/*'] } };
    expect(refusal(chainOf({ model: 'smart' }, forbidden)).code).toBe('model_not_allowed');
  });

  it('C-9, C-7: never for an unknown or ambiguous name, nor for one this key may not call', () => {
    expect(refusal(chainOf({ model: 'nowhere/none' }, { last })).code).toBe('model_not_found');
    expect(refusal(chainOf({ model: 'big' }, { last })).code).toBe('ambiguous_model');
    const access = { allowedByKey: ['google/*'] };
    expect(refusal(chainOf({ model: 'x/big' }, { last, access })).code).toBe('model_not_allowed');
  });

  it('C-2, C-7: in a chain an entry that is not enabled fails the whole request', () => {
    const access = { enabledInWorkspace: ['google/*', 'y/*'] };
    expect(refusal(chainOf({ models: ['y/big', 'x/big'] }, { last, access }))).toMatchObject({
      status: 403,
      code: 'model_not_allowed',
      param: 'models[1]',
    });
  });
});

describe('C-7: endpoints that never leave the requested model', () => {
  const setting = {
    crossesModels: false,
    last: 'google/flash',
    defaults: ['x/big', 'y/big'],
    virtuals: [virtual('smart', ['x/big', 'y/big']), virtual('one', ['x/big'])],
  };

  it('C-7: defaults of the key and the default model are ignored', () => {
    expect(chainOf({ model: 'x/big' }, setting)).toMatchObject({
      value: { explicit: false, entries: [{ name: 'x/big' }] },
    });
    expect(names({ model: 'x/big' }, setting)).toEqual(['x/big']);
    const access = { enabledInWorkspace: ['google/*'] };
    expect(refusal(chainOf({ model: 'x/big' }, { ...setting, access })).code).toBe('model_not_allowed');
  });

  it.each<[string, Partial<ChainInput>]>([
    ['models', { models: ['x/big', 'y/big'] }],
    ['fallback_models', { model: 'x/big', fallbackModels: ['y/big'] }],
    ['the header', { headerModels: 'x/big,y/big' }],
    ['a virtual model of several', { model: 'smart' }],
  ])('C-7: several models are no chain there: %s', (_what, input) => {
    const refused = refusal(chainOf(input, setting));
    expect(refused).toMatchObject({ status: 400, code: 'invalid_chain' });
    expect(refused.message).toContain('never leaves');
  });

  it('C-7: one model under several names, and a virtual model of one, are one model', () => {
    expect(names({ models: ['small', 'openai/nano'] }, setting)).toEqual(['openai/nano']);
    expect(names({ model: 'one' }, setting)).toEqual(['x/big']);
  });
});
