import { describe, expect, it } from 'vitest';
import { impliedNotes } from '../implied-notes.ts';
import { loadConfig } from '../load.ts';
import type { Problem } from '../problem.ts';

const UP = { up: { type: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' } };

function load(more: object, models: object = { 'up/a': {} }) {
  const text = JSON.stringify({ version: 1, providers: UP, models, ...more });
  return loadConfig({ text, file: 'f', env: {} });
}
function snapshotOf(more: object, models?: object) {
  const loaded = load(more, models);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.snapshot;
}
function problemsOf(more: object, models?: object): readonly Problem[] {
  const loaded = load(more, models);
  return loaded.ok ? [] : loaded.problems;
}
const inWorkspace = (workspace: object) => ({ workspaces: { w: workspace } });

const PLACES: readonly (readonly [string, (name: string) => object, string])[] = [
  ['an alias', (name) => ({ aliases: { short: name } }), 'aliases.short'],
  [
    'a default chain',
    (name) => ({ keys: [{ name: 'k', secret: 's', failover_defaults: { models: [name] } }] }),
    'keys[0].failover_defaults.models[0]',
  ],
  ['a default model', (name) => inWorkspace({ default_model: name }), 'workspaces.w.default_model'],
  ['auto', (name) => inWorkspace({ auto: [name] }), 'workspaces.w.auto[0]'],
  [
    'a virtual model',
    (name) => inWorkspace({ virtual_models: { v: { models: [name] } } }),
    'workspaces.w.virtual_models.v.models[0]',
  ],
  [
    'routing',
    (name) => inWorkspace({ routing: { channels: { [name]: { up: { prefer: true } } } } }),
    'workspaces.w.routing.channels["NAME"]',
  ],
  [
    'routing of a virtual model',
    (name) => {
      const routing = { channels: { [name]: { up: { prefer: true } } } };
      return inWorkspace({ virtual_models: { v: { models: ['up/a'], routing } } });
    },
    'workspaces.w.virtual_models.v.routing.channels["NAME"]',
  ],
];

describe('models that are named and not listed', () => {
  it.each(PLACES)('X-5: %s makes PROVIDER/NAME a model with its implied channel', (_what, naming) => {
    const snapshot = snapshotOf(naming('up/new'));
    const model = snapshot.models[snapshot.modelById.get('up/new')!]!;
    const listed = snapshotOf({}, { 'up/a': {}, 'up/new': {} });
    const twin = listed.models[listed.modelById.get('up/new')!]!;
    expect(model).toEqual({ ...twin, implied: true });
    expect(snapshot.channels[model.channels[0]!]).toEqual(listed.channels[twin.channels[0]!]);
    expect(snapshot.models).toHaveLength(2);
  });

  it.each(PLACES)('X-5: %s with a provider that is not configured stays an error', (_what, naming, path) => {
    expect(problemsOf(naming('upp/a'))).toMatchObject([
      { code: 'unknown_reference', path: path.replace('NAME', 'upp/a'), suggestion: 'up/a' },
    ]);
  });

  it('X-5: patterns name no models, but may mean those that are named elsewhere', () => {
    const enabled = (name: string) => inWorkspace({ enabled_models: [name], default_model: name });
    expect(problemsOf(enabled('up/new'))).toEqual([]);
    expect(problemsOf(inWorkspace({ enabled_models: ['up/new'] }))).toMatchObject([{ code: 'unknown_reference' }]);
  });

  it('C-6: names of virtual models, of aliases and the built-in one stay what they are', () => {
    const virtual = { 'up/v': { models: ['up/a'] } };
    const chain = { keys: [{ name: 'k', secret: 's', workspace: 'w', failover_defaults: { models: ['up/v'] } }] };
    const [problem] = problemsOf({ ...inWorkspace({ virtual_models: virtual }), ...chain });
    expect(problem?.message).toMatch(/virtual model and stands alone/);
    const understudy = { providers: { ...UP, understudy: UP.up } };
    expect(problemsOf({ ...inWorkspace({ auto: ['understudy/auto'] }), ...understudy })).toHaveLength(1);
    expect(snapshotOf({ aliases: { 'up/s': 'up/a', t: 'up/s' } }).models).toHaveLength(1);
  });

  it('C-9: what PROVIDER/* covers is the wildcard’s', () => {
    const wild = { 'up/*': { context_window: 77 } };
    const { models } = snapshotOf(inWorkspace({ auto: ['up/new', 'up/new'] }), wild);
    expect(models).toMatchObject([{ id: 'up/new', contextWindow: 77 }]);
    expect(models[0]).not.toHaveProperty('implied');
  });

  it('X-5: check notes each with the nearest name that is declared', () => {
    const snapshot = snapshotOf(inWorkspace({ auto: ['up/gpt-5-nanno', 'up/gpt-5-nano', 'up/xyz'] }), {
      'up/gpt-5-nano': {},
    });
    expect(impliedNotes(snapshot)).toEqual([
      '`up/gpt-5-nanno` is not listed under models and has one implied channel, because it is named elsewhere; did you mean `up/gpt-5-nano`?',
      '`up/xyz` is not listed under models and has one implied channel, because it is named elsewhere',
    ]);
  });
});
