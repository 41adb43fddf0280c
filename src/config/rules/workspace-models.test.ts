import { describe, expect, it } from 'vitest';
import { loadConfig } from '../load.ts';
import type { Problem } from '../problem.ts';

const BASE = [
  'version: 1',
  'providers: { up: { type: openai }, wild: { type: openai } }',
  'models: { "up/a": {}, "up/b": {}, "wild/*": {} }',
  'aliases: { short: up/a, twice: short }',
];

function load(...lines: readonly string[]) {
  return loadConfig({ text: [...BASE, ...lines].join('\n'), file: 'f.yaml', env: {} });
}

function problemsOf(...lines: readonly string[]): readonly Problem[] {
  const result = load(...lines);
  return result.ok ? [] : result.problems;
}

function only(...lines: readonly string[]): Problem {
  const problems = problemsOf(...lines);
  expect(problems).toHaveLength(1);
  return problems[0]!;
}

const workspace = (text: string) => `workspaces: { w: ${text} }`;

describe('C-6: virtual models', () => {
  it('C-6: models, aliases and names of a wildcard may be members; their names may hold a slash', () => {
    const text = '{ virtual_models: { smart: { models: [up/a, twice, wild/x] }, "team/one:v1": { models: [up/b] } } }';
    expect(problemsOf(workspace(text))).toEqual([]);
  });

  it.each<[string, string, number]>([
    ['smart', 'workspaces.w.virtual_models.other.models[1]', 8],
    ['other', 'workspaces.w.virtual_models.other.models[1]', 8],
    ['understudy/auto', 'workspaces.w.virtual_models.other.models[1]', 8],
  ])('C-6: a virtual model may not hold another one: %s', (member, path, line) => {
    const text = [
      'workspaces:',
      '  w:',
      '    virtual_models:',
      `      { smart: { models: [up/a] }, other: { models: [up/b, ${member}] } }`,
    ];
    expect(only(...text)).toMatchObject({ code: 'invalid_value', path, line });
    expect(only(...text).message).toContain('stands alone (C-6)');
  });

  it('C-6: nor may `auto`, the default model, or the defaults of a key of that workspace', () => {
    const virtual = 'virtual_models: { smart: { models: [up/a] } }';
    expect(only(workspace(`{ ${virtual}, auto: [up/a, smart] }`)).path).toBe('workspaces.w.auto[1]');
    expect(only(workspace(`{ ${virtual}, default_model: smart }`)).path).toBe('workspaces.w.default_model');
    const key = (name: string, of: string) =>
      `keys: [{ name: k, workspace: ${of}, secret: s, failover_defaults: { models: [up/a, ${name}] } }]`;
    expect(only(workspace(`{ ${virtual} }`), key('smart', 'w'))).toMatchObject({
      code: 'invalid_value',
      path: 'keys[0].failover_defaults.models[1]',
    });
    expect(only(workspace('{ auto: [up/a] }'), key('understudy/auto', 'w')).message).toContain('stands alone');
    // Another workspace's names are unknown, not virtual.
    expect(only(workspace(`{ ${virtual} }`), key('smart', 'default')).code).toBe('unknown_reference');
  });

  it('C-9: its name hides no model and can be sent; an alias of the same name is hidden in this workspace only', () => {
    const named = (name: string) =>
      only(workspace(`{ virtual_models: { ${JSON.stringify(name)}: { models: [up/b] } } }`));
    expect(named('up/a')).toMatchObject({ code: 'duplicate', path: 'workspaces.w.virtual_models["up/a"]' });
    expect(named('wild/any').code).toBe('duplicate');
    expect(named('understudy/auto').message).toContain('`auto`');
    for (const name of ['', 'a b', 'a,b', 'all*', 'x'.repeat(257)]) expect(named(name).code).toBe('invalid_value');
    expect(problemsOf(workspace('{ virtual_models: { short: { models: [up/b] } } }'))).toEqual([]);
  });

  it('C-6: neither a model nor an alias nor a wildcard takes the built-in name away', () => {
    const of = (text: string) => loadConfig({ text: `version: 1\n${text}`, file: 'f', env: {} });
    const models = 'providers: { understudy: { type: openai } }\nmodels';
    for (const text of [`${models}: { "understudy/auto": {} }`, `${models}: { "understudy/*": {} }`]) {
      expect(of(text)).toMatchObject({ ok: false, problems: [{ code: 'invalid_value' }] });
    }
    const alias = 'providers: { up: { type: openai } }\nmodels: { up/a: {} }\naliases: { understudy/auto: up/a }';
    expect(of(alias)).toMatchObject({ problems: [{ path: 'aliases["understudy/auto"]' }] });
  });

  it('C-6: one to ten models, all of them known', () => {
    const virtual = (models: string) => workspace(`{ virtual_models: { v: { models: ${models} } } }`);
    expect(only(virtual('[]')).message).toContain('at least one');
    const eleven = JSON.stringify(Array.from({ length: 11 }, (_, i) => `wild/${i}`));
    expect(only(virtual(eleven)).message).toContain('at most 10');
    expect(only(workspace(`{ auto: ${eleven} }`)).path).toBe('workspaces.w.auto');
    expect(only(virtual('[up/a, upp/c]'))).toMatchObject({
      code: 'unknown_reference',
      path: 'workspaces.w.virtual_models.v.models[1]',
    });
  });

  it('C-4: its options obey the ranges of requests, its routing names channels that exist', () => {
    const text = '{ virtual_models: { v: { models: [up/a], redundancy: { retries: 6 } } } }';
    expect(only(workspace(text)).path).toBe('workspaces.w.virtual_models.v.redundancy.retries');
    const routing = '{ virtual_models: { v: { models: [up/a], routing: { channels: { upp/z: {} } } } } }';
    expect(only(workspace(routing)).path).toBe('workspaces.w.virtual_models.v.routing.channels["upp/z"]');
  });
});

describe('C-7: the default model', () => {
  it('C-7: exists, also behind an alias or a wildcard', () => {
    for (const name of ['up/a', 'twice', 'wild/x', 'null']) {
      expect(problemsOf(workspace(`{ default_model: ${name} }`))).toEqual([]);
    }
    expect(only(workspace('{ default_model: upp/c }'))).toMatchObject({
      code: 'unknown_reference',
      path: 'workspaces.w.default_model',
    });
  });

  it('G-3: neither it nor a member is a model that the workspace has not enabled', () => {
    const enabled = 'enabled_models: [up/a]';
    expect(problemsOf(workspace(`{ ${enabled}, default_model: short, auto: [up/a] }`))).toEqual([]);
    for (const [text, path] of [
      ['default_model: up/b', 'workspaces.w.default_model'],
      ['auto: [short, up/b]', 'workspaces.w.auto[1]'],
      ['virtual_models: { v: { models: [up/b] } }', 'workspaces.w.virtual_models.v.models[0]'],
    ] as const) {
      expect(only(workspace(`{ ${enabled}, ${text} }`))).toMatchObject({ code: 'invalid_value', path });
    }
  });
});
