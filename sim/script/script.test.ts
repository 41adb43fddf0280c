import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ScriptCursor } from './cursor.ts';
import { loadScript, parseScript, ScriptError } from './load.ts';
import type { Step } from './step.ts';

function problemsOf(text: string): readonly string[] {
  try {
    parseScript(text, 'x.yaml');
  } catch (error) {
    if (error instanceof ScriptError) return error.problems;
    throw error;
  }
  return [];
}

describe('reading a script', () => {
  it('X-1: takes YAML and JSON with every field of a step', async () => {
    const yaml = `
seed: 42
models:
  m:
    - { status: 429, headers: { retry-after: 30, Content-Type: application/json }, body: { error: { message: slow down } }, times: 2 }
    - { chunks: ["data: a\\n\\n", { wait_ms: 10 }, { repeat: 3, wait_ms: 5, send: ": x\\n\\n" }], end: rst, split: every byte }
    - { body_gzip: "text", delay_ms: 5 }
    - { random: { ok: 0.7, fail-503: 0.3 }, split: [1, 2] }
    - { socket: accept_then_silence }
`;
    const script = parseScript(yaml);
    expect(script.seed).toBe(42);
    expect(script.models['m']).toHaveLength(5);
    expect(script.models['m']?.[1]?.chunks?.[2]).toEqual({ repeat: 3, wait_ms: 5, send: ': x\n\n' });
    const file = join(await mkdtemp(join(tmpdir(), 'sim-script-')), 's.json');
    await writeFile(file, JSON.stringify({ models: { a: [{ status: 500 }] } }, null, '\t'));
    expect(await loadScript(file)).toEqual({ models: { a: [{ status: 500 }] } });
  });

  it('X-1: names line, column and the known fields for an unknown one', () => {
    expect(problemsOf('models:\n  m:\n    - statsu: 500\n')).toEqual([
      expect.stringMatching(/^x\.yaml:3:15: models\.m\[0\]\.statsu: unknown field "statsu" \(known: status, headers,/),
    ]);
    expect(problemsOf('model: {}\nmodels: {}')[0]).toMatch(/unknown field "model" \(known: seed, models\)/);
  });

  it.each([
    ['models: { m: [{ end: stop }] }', /^x\.yaml:1:22: models\.m\[0\]\.end: .*clean/],
    ['models: { m: [] }', /models\.m: .*>=1/],
    ['models: { m: [{ status: 99 }] }', /status/],
    ['models: { m: [{ times: 0 }] }', /times/],
    ['models: { m: [{ body: x, chunks: [] }] }', /one answer, not body and chunks/],
    ['models: { m: [{ random: {} }] }', /random needs at least one/],
    ['models: { m: [{ random: { fail-9000: 1 } }] }', /fail- takes a number from 300 to 599/],
    ['models: { m: [{ random: { nonsense: 1 } }] }', /"nonsense" is no ready-made model name/],
    ['models: { m: [{ random: { ok: 0 } }] }', /random\.ok/],
    ['models: { m: [{ chunks: [{ wait: 5 }] }] }', /unknown field "wait" \(known: wait_ms, repeat, send\)/],
    ['models: { m: [{ chunks: [{ repeat: 5, wait_ms: 1 }] }] }', /repeat needs send/],
    ['models: { m: [{ headers: { "bad name": x } }] }', /not a header name/],
    ['models: { m: [{ before_body: true }] }', /only under the model "\*"/],
    ['models: { m: [{ delay_ms: 999999999999 }] }', /delay_ms/],
    ['models: {', /^x\.yaml:1:/],
    ['', /^x\.yaml:1:1: /],
    ['models: {}\nmodels: {}', /unique/],
  ])('X-1: refuses %s', (text, expected) => {
    expect(problemsOf(text).join('\n')).toMatch(expected);
  });

  it('X-1: an unreadable file is a ScriptError too', async () => {
    await expect(loadScript('/nowhere/s.yaml')).rejects.toThrow(ScriptError);
  });
});

describe('the order of steps', () => {
  const statuses = (cursor: ScriptCursor, count: number, model = 'm') =>
    Array.from({ length: count }, () => cursor.take(model, false)?.step.status);

  it('X-1: each step once, or `times`, the last for ever; models apart', () => {
    const steps: Step[] = [{ status: 500 }, { status: 429, times: 2 }, { status: 200 }];
    const cursor = new ScriptCursor({ models: { m: steps, n: [{ status: 503 }] } });
    expect(statuses(cursor, 6)).toEqual([500, 429, 429, 200, 200, 200]);
    expect(statuses(cursor, 2, 'n')).toEqual([503, 503]);
    expect(cursor.take('other', false)).toBeNull();
  });

  it('X-1: `*` answers for unnamed models and is shared by them; names from Object.prototype are unnamed', () => {
    const cursor = new ScriptCursor({ models: { '*': [{ status: 500 }, { status: 200 }], m: [{ status: 404 }] } });
    expect(cursor.take('constructor', false)?.step.status).toBe(500);
    expect(cursor.take('b', false)?.step.status).toBe(200);
    expect(cursor.take('m', false)?.step.status).toBe(404);
    expect(new ScriptCursor({ models: {} }).take('toString', false)).toBeNull();
  });

  it('X-1: a fault of reused connections waits for one', () => {
    const cursor = new ScriptCursor({
      models: { m: [{ socket: 'rst_on_reuse_before_response', status: 201 }, { status: 202 }] },
    });
    expect(cursor.take('m', false)?.step).toMatchObject({ socket: undefined, status: 201 });
    expect(cursor.take('m', false)?.step.socket).toBeUndefined();
    expect(cursor.take('m', true)?.step.socket).toBe('rst_on_reuse_before_response');
    expect(cursor.take('m', true)?.step.status).toBe(202);
  });

  it('X-1: counts how often a step has answered', () => {
    const cursor = new ScriptCursor({ models: { m: [{ times: 2 }, {}] } });
    expect(Array.from({ length: 5 }, () => cursor.take('m', false)?.run)).toEqual([0, 1, 0, 1, 2]);
  });
});
