import { describe, expect, it } from 'vitest';
import { loadConfig } from '../load.ts';

const BASE = 'version: 1\nproviders:\n  up: { type: openai }\nmodels: { "up/a": {} }\n';

function load(text: string) {
  return loadConfig({ text: BASE + text, file: 'test.yaml', env: {} });
}

function problems(text: string) {
  const result = load(text);
  return result.ok ? [] : result.problems;
}

describe('answers that stand in', () => {
  it('E-4: static answers by name, and a workspace that keeps its own', () => {
    const result = load(
      [
        'answers: { sorry: { text: "Back soon." } }',
        'workspaces:',
        '  a: { answers: { keep: true } }',
        '  b: { answers: { keep: true, max_age: 10m, max_bytes: 1mb }, redundancy: { on_exhausted: [{ default: sorry }] } }',
        '  c: { answers: { keep: false, max_age: 10m } }',
        '  d: {}',
      ].join('\n'),
    );
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    const { answers, workspaces } = result.snapshot;
    expect([...answers]).toEqual([['sorry', 'Back soon.']]);
    const keeping = ['a', 'b', 'c', 'd'].map((name) => workspaces.get(name)!.answers);
    expect(keeping).toEqual([
      { maxAgeMs: 86_400_000, maxBytes: 67_108_864 },
      { maxAgeMs: 600_000, maxBytes: 1_048_576 },
      null,
      null,
    ]);
  });

  it.each([
    ['defaults: { redundancy: { on_exhausted: [{ default: sory }] } }', 'defaults.redundancy.on_exhausted[0].default'],
    [
      'workspaces: { w: { redundancy: { on_exhausted: [busy, { default: sory }] } } }',
      'workspaces.w.redundancy.on_exhausted[1].default',
    ],
    [
      'workspaces: { w: { virtual_models: { v: { models: [up/a], redundancy: { on_exhausted: [{ default: sory }] } } } } }',
      'workspaces.w.virtual_models.v.redundancy.on_exhausted[0].default',
    ],
    [
      'keys: [{ name: k, secret: s, redundancy: { on_exhausted: [{ default: sory }] } }]',
      'keys[0].redundancy.on_exhausted[0].default',
    ],
  ])('E-4, X-5: a name that nobody has configured is told with the nearest one: %s', (text, path) => {
    const found = problems(`answers: { sorry: { text: x } }\n${text}`);
    expect(found).toEqual([expect.objectContaining({ code: 'unknown_reference', path, suggestion: 'sorry' })]);
  });

  it('E-4: queue is for a request itself to ask for', () => {
    for (const rung of ['queue', '{ queue: {} }']) {
      const [problem] = problems(`defaults: { redundancy: { on_exhausted: [${rung}] } }`);
      expect(problem).toMatchObject({ path: 'defaults.redundancy.on_exhausted[0]' });
      expect(problem!.message).toContain('queue is for a request itself to ask for');
    }
  });

  it.each([
    ['answers: { "so rry": { text: x } }', 'answers["so rry"]'],
    ['answers: { sorry: { text: "" } }', 'answers.sorry.text'],
    ['answers: { sorry: {} }', 'answers.sorry.text'],
    ['workspaces: { w: { answers: { keep: true, max_age: 2d } } }', 'workspaces.w.answers.max_age'],
    ['workspaces: { w: { answers: { keep: true, max_bytes: 1kb } } }', 'workspaces.w.answers.max_bytes'],
    ['workspaces: { w: { answers: { keep: maybe } } }', 'workspaces.w.answers.keep'],
  ])('X-5: %s is told with its place', (text, path) => {
    expect(problems(text).map((problem) => problem.path)).toEqual([path]);
  });
});
