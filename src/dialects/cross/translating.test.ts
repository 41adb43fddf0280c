import { describe, expect, it } from 'vitest';
import type { CanonicalRequest } from '../canonical.ts';
import { budgetOf, effortOf, nearestEffort } from './effort-levels.ts';
import { sortHints } from './hints.ts';
import { argumentsObject, argumentsText } from './json-text.ts';
import { narrowSchema } from './schema-subset.ts';
import { clientName, PLAIN_NAMES, renameTools } from './tool-names.ts';

const request = (names: readonly string[]): CanonicalRequest => ({
  system: [],
  turns: [],
  tools: names.map((name) => ({ form: 'function', name, description: null, schema: null, strict: null })),
  toolChoice: null,
  parallelCalls: null,
  format: null,
  reasoning: { effort: null, budget: null, shown: null },
  maxOutputTokens: null,
  stop: [],
  sampling: {},
  n: 1,
  logprobs: null,
  modalities: [],
  bound: [],
  hints: new Map(),
  stream: false,
  prefill: false,
});

describe('tool names', () => {
  it('R-4: names an upstream takes stay', () => {
    const { outward, names } = renameTools(request(['get_weather', 'a-b']), PLAIN_NAMES);
    expect([outward('get_weather'), outward('a-b'), names.size]).toEqual(['get_weather', 'a-b', 0]);
  });

  it('R-4: others are spelt anew, each its own way, and come back', () => {
    const all = ['a.b', 'a:b', 'ü', 'x'.repeat(80), `${'x'.repeat(80)}y`, 'a_b', ''];
    const { outward, names } = renameTools(request(all), PLAIN_NAMES);
    const sent = all.map(outward);
    expect(new Set(sent).size).toBe(all.length);
    for (const name of sent) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(sent.map((name) => clientName(name, names))).toEqual(all);
  });

  it('R-4: a name’s spelling does not depend on its neighbours, so a conversation keeps it', () => {
    const alone = renameTools(request(['a.b']), PLAIN_NAMES).outward('a.b');
    expect(renameTools(request(['c.d', 'a:b', 'a.b']), PLAIN_NAMES).outward('a.b')).toBe(alone);
  });
});

describe('schemas', () => {
  const without = new Set(['$schema', 'additionalProperties']);

  it('R-4: an unknown keyword goes wherever a schema stands, and nowhere else', () => {
    const schema =
      '{"$schema":"x","type":"object","properties":{"additionalProperties":{"additionalProperties":false,"type":"object"}},"default":{"$schema":1},"anyOf":[{"$schema":"y"},true]}';
    expect(narrowSchema(schema, without)).toEqual({
      schema:
        '{"type":"object","properties":{"additionalProperties":{"type":"object"}},"default":{"$schema":1},"anyOf":[{},true]}',
      removed: ['$schema', 'additionalProperties'],
    });
  });

  it('R-4: numbers beyond 2^53 and everything known stay as written', () => {
    const schema = '{ "maximum": 9007199254740993, "const": 1e400 }';
    expect(narrowSchema(schema, without)).toEqual({ schema, removed: [] });
    expect(narrowSchema('{"$schema":1,"maximum":9007199254740993}', without).schema).toBe(
      '{"maximum":9007199254740993}',
    );
  });
});

describe('efforts and budgets', () => {
  it('R-4: the nearest level that is offered', () => {
    expect(nearestEffort('xhigh', ['low', 'medium', 'high'])).toBe('high');
    expect(nearestEffort('minimal', ['none', 'low'])).toBe('low');
    expect(nearestEffort('none', ['low', 'none'])).toBe('none');
    expect(nearestEffort('odd', ['low'])).toBeNull();
  });

  it('R-4: a level as a budget and back', () => {
    for (const effort of ['minimal', 'low', 'medium', 'high', 'xhigh']) {
      expect(effortOf(budgetOf(effort, 32_000)!, 32_000)).toBe(effort);
    }
    expect(budgetOf('none', 1000)).toBeNull();
    expect(effortOf(0, null)).toBe('none');
  });
});

describe('hints', () => {
  it('R-4: what the upstream has no words for is dropped and recorded; what asks for nothing is not', () => {
    const hints = new Map([
      ['user', '"u"'],
      ['service_tier', '"auto"'],
      ['verbosity', '"low"'],
      ['odd', 'null'],
      ['input.content.logprobs', '[{}]'],
    ]);
    expect(sortHints(hints, new Set(['verbosity']))).toEqual({
      kept: new Map([['verbosity', '"low"']]),
      changes: ['dropped user'],
      mentions: ['input.content.logprobs left out'],
    });
  });

  it('R-4: the usual tier is no tier of its own: its record degrades nothing', () => {
    const { changes, mentions } = sortHints(new Map([['service_tier', '"default"']]), new Set());
    expect([changes, mentions]).toEqual([[], ['service_tier left out']]);
  });
});

describe('call arguments', () => {
  it.each(['{"a":9007199254740993}', '', '[1]', '{"a":', 'text'])(
    'dialects §14.16: %s as an object and back',
    (input) => {
      const object = argumentsObject(input);
      expect(JSON.parse(object)).toBeTypeOf('object');
      expect(argumentsText(object)).toBe(input === '' ? '{}' : input);
    },
  );
});
