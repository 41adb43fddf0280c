import { describe, expect, it } from 'vitest';
import { loadConfig } from '../load.ts';

const BASE = `version: 1
providers: { up: { type: openai }, other: { type: openai } }
models:
  m: { channels: [{ id: a, provider: up }, { provider: other }] }
  up/implied: {}
  up/*: {}
aliases: { short: m }
`;

function problemsOf(workspace: string) {
  const result = loadConfig({ text: `${BASE}workspaces: { w: ${workspace} }`, file: 'f', env: {} });
  return result.ok ? [] : result.problems.map(({ code, path, suggestion }) => [code, path, suggestion]);
}

describe('X-5, P-3: routing', () => {
  it.each([
    '{ routing: { channels: { m: { a: { byok_only: true }, other: { prefer: true } } } } }',
    '{ routing: { channels: { short: { a: { byok_only: true } } } } }',
    '{ routing: { channels: { up/implied: { up: { byok_only: true } }, up/anything: { up: {} } } } }',
  ])('X-5: %s names channels that exist', (text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  it.each([
    ['{ routing: { channels: { m: { aa: { byok_only: true } } } } }', 'workspaces.w.routing.channels.m.aa', 'a'],
    ['{ routing: { channels: { short: { othr: {} } } } }', 'workspaces.w.routing.channels.short.othr', 'other'],
    ['{ routing: { channels: { up/implied: { uq: {} } } } }', 'workspaces.w.routing.channels["up/implied"].uq', 'up'],
    [
      '{ virtual_models: { v: { models: [m], routing: { channels: { m: { aa: {} } } } } } }',
      'workspaces.w.virtual_models.v.routing.channels.m.aa',
      'a',
    ],
  ])('X-5: %s does not', (text, path, suggestion) => {
    expect(problemsOf(text)).toEqual([['unknown_reference', path, suggestion]]);
  });

  it('X-5: one model under two names would lose what is said under the first', () => {
    expect(problemsOf('{ routing: { channels: { m: { a: { byok_only: true } }, short: {} } } }')).toMatchObject([
      ['duplicate', 'workspaces.w.routing.channels.short', null],
    ]);
  });
});

describe('X-5, P-1, G-2: lists of channels', () => {
  it.each(['enabled_channels: [%]', 'guardrails: { deny_channels: [%] }'])('X-5: names in %s', (place) => {
    const problems = (name: string) => problemsOf(`{ ${place.replace('%', `"${name}"`)} }`);
    for (const name of ['*', 'm#a', 'm#other', 'm#*', '*#a', 'up/*', 'up/implied#up', 'up/made-up#up']) {
      expect(problems(name), name).toEqual([]);
    }
    const list = place.startsWith('enabled') ? 'enabled_channels' : 'guardrails.deny_channels';
    expect(problems('m#b')).toMatchObject([['unknown_reference', `workspaces.w.${list}[0]`, 'm#a']]);
    for (const name of ['a', 'm', '#a', 'short#a', 'nobody#a']) {
      const places = problems(name).map(([code, path]) => `${code} ${path}`);
      expect(places, name).toEqual([`unknown_reference workspaces.w.${list}[0]`]);
    }
  });

  it('X-5: a forbidden model that does not exist is a typing mistake', () => {
    expect(problemsOf('{ guardrails: { deny_models: [mm] } }')).toMatchObject([
      ['unknown_reference', 'workspaces.w.guardrails.deny_models[0]', 'm'],
    ]);
    expect(problemsOf('{ guardrails: { deny_models: [m, "x*", up/unlisted] } }')).toEqual([]);
  });
});
