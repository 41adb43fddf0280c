import { describe, expect, it } from 'vitest';
import { type ChainInput, resolveChain } from './chain.ts';
import type { Read } from './read.ts';
import { type ModelAccess, type ModelCatalogue, modelResolver } from './resolve-model.ts';

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
}

function chainOf(input: Partial<ChainInput>, { access, defaults = null }: Setting = {}) {
  return resolveChain(
    { model: undefined, models: undefined, fallbackModels: undefined, headerModels: undefined, ...input },
    {
      resolve: modelResolver(catalogue, { enabledInWorkspace: ['*'], allowedByKey: ['*'], ...access }),
      failoverDefaults: defaults,
    },
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
      message: expect.stringContaining('"nowhere/none"'),
      param: 'models[1]',
    });
    const access = { allowedByKey: ['openai/*', 'x/*'] };
    expect(refusal(chainOf({ model: 'x/big', fallbackModels: ['sonnet'] }, { access }))).toMatchObject({
      status: 403,
      code: 'model_not_allowed',
      message: expect.stringContaining('"anthropic/sonnet"'),
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
    expect(refused.message).toContain('"x/big", "y/big"');
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

  it('C-6: the built-in virtual model is announced as not available', () => {
    expect(refusal(chainOf({ model: 'understudy/auto' }))).toMatchObject({ status: 400, code: 'not_available' });
  });

  it('E-5: a huge name does not come back whole', () => {
    expect(refusal(chainOf({ model: 'x'.repeat(1_000_000) })).message.length).toBeLessThan(300);
    expect(refusal(chainOf({ models: [{ model: 'x/big', ['y'.repeat(1e6)]: 1 }] })).message.length).toBeLessThan(300);
  });
});
