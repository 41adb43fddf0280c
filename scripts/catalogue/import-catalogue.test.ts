/** The importer over two small lists of its own making. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listText, readLists, sourcesOf } from '../import-catalogue.mjs';
import { parseToml } from './toml.mjs';

const FIXTURES = path.join(path.dirname(fileURLToPath(import.meta.url)), 'fixtures');
const OPTIONS = {
  'models-dev': path.join(FIXTURES, 'models-dev'),
  'models-dev-version': 'abc',
  'models-dev-date': '2026-06-01',
  'genai-prices': path.join(FIXTURES, 'genai-prices'),
  'genai-prices-version': '1.2.3',
  'genai-prices-date': '2026-08-01',
};
const LISTS = {
  acme: { models: ['acme'], prices: 'acme' },
  cn: { models: ['acme-cn'], prices: null, always: 'currency' },
};

const lists = await readLists(OPTIONS, LISTS);
const row = (id: string) => lists.acme.models.find((model: { id: string }) => model.id === id);

describe('one list of two', () => {
  it('rows are sorted by name, and a label that is no name is none', () => {
    const ids = lists.acme.models.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['deep/based', 'free', 'gift:free', 'hourly', 'moving-latest', 'plain', 'tiered']);
  });

  it('G-4: money is whole nano-dollars; where the lists differ the higher price is taken, and called an estimate', () => {
    expect(row('plain').price).toEqual({
      by: 'gm',
      input: 50_000_000,
      output: 400_000_000,
      cached_input: 5_000_000,
      over: [{ tokens: 200_000, input: 100_000_000, output: 600_000_000, cached_input: 5_000_000 }],
      estimate: 'sources_differ',
    });
  });

  it('a dated name with the same facts is another name of its model', () => {
    expect(row('plain').aka).toEqual(['plain-2026-01-01']);
    expect(row('plain-2026-01-01')).toBeUndefined();
  });

  it('P-6: capabilities are what is stated, either way; a window too', () => {
    expect(row('plain')).toMatchObject({
      window: 400_000,
      output: 128_000,
      in: ['text', 'file'],
      can: ['reasoning'],
      cannot: ['tools'],
    });
  });

  it('what a model is wherever it is served, is inherited; what is left out of it, is not', () => {
    expect(row('deep/based')).toMatchObject({ window: 100_000, in: ['text', 'image'], can: ['tools', 'json_schema'] });
    expect(row('deep/based').cannot).toEqual(['reasoning']);
    expect(row('deep/based')).not.toHaveProperty('output');
  });

  it('G-4: a price found by a pattern is no better than another one, and a free cache none at all', () => {
    expect(row('deep/based').price).toEqual({
      by: 'gm',
      input: 1_000_000_000,
      output: 3_000_000_000,
      estimate: 'sources_differ',
    });
  });

  it('G-4: nothing at all is a gap and not a price, but of what is called free; no window is none', () => {
    expect(row('free')).toEqual({ id: 'free', in: ['text'], can: ['tools'], cannot: ['reasoning'] });
    expect(row('gift:free').price).toEqual({ by: 'm', input: 0, output: 0 });
  });

  it('G-4: what text and sound do not pay for is unknown, though a part of it is known', () => {
    expect(row('by-call')).toBeUndefined();
  });

  it('G-4: a price by the hour is the highest of the day; one by the length of the request has its steps', () => {
    expect(row('hourly')).toEqual({
      id: 'hourly',
      window: 32_000,
      price: { by: 'g', input: 3_000_000_000, output: 2_000_000_000, estimate: 'time_of_day' },
    });
    expect(row('tiered').price).toEqual({
      by: 'g',
      input: 1_000_000_000,
      output: 5_000_000_000,
      over: [{ tokens: 100, input: 2_000_000_000, output: 5_000_000_000 }],
    });
  });

  it('G-4: a price that says since when it holds beats an older one, and what is announced is kept', () => {
    expect(row('moving-latest').price).toEqual({
      by: 'g',
      input: 3_000_000_000,
      output: 3_000_000_000,
      later: [{ from: '2027-01-01', input: 6_000_000_000, output: 6_000_000_000 }],
    });
  });

  it('P-6: a name that moves on states no miss; an answer longer than the window is a slip', () => {
    const { in: inputs, can, cannot, window, output } = row('moving-latest');
    expect({ inputs, can, cannot, window, output }).toEqual({
      inputs: undefined,
      can: ['tools'],
      cannot: [],
      window: 1_000,
      output: undefined,
    });
  });

  it('a link to another provider is followed, one to nowhere left out; a list can be an estimate as a whole', () => {
    expect(lists.cn.estimate).toBe('currency');
    expect(lists.cn.models.map(({ id, price }: { id: string; price: object }) => [id, price])).toEqual([
      ['plain', expect.objectContaining({ by: 'm', input: 50_000_000 })],
    ]);
  });
});

describe('what is written', () => {
  it('is JSON with one model a line, and the same for the same sources', async () => {
    const text = listText(lists.acme);
    expect(JSON.parse(text)).toEqual(lists.acme);
    expect(text.split('\n')).toHaveLength(lists.acme.models.length + 3);
    expect(listText((await readLists(OPTIONS, LISTS)).acme)).toBe(text);
  });

  it('names both sources with version, date and licence', () => {
    expect(sourcesOf(OPTIONS)).toMatchObject({
      m: { version: 'abc', date: '2026-06-01', licence: expect.stringContaining('MIT') },
      g: { version: '1.2.3', date: '2026-08-01', licence: expect.stringContaining('MIT') },
    });
  });
});

describe('TOML', () => {
  it('texts, numbers, tables, arrays of tables', () => {
    const text = `
      "a b" = 'c"d'  # not this
      e.f = "tab\\t\\u00e9"
      [g.h]
      i = 1_000
      j = -0.5
      [[k]]
      l = [1, [true, false],]
      [[k]]
      [k.m]
      n = { o = "p", q = 2026-01-31 }`;
    expect(parseToml(text)).toEqual({
      'a b': 'c"d',
      e: { f: 'tab\té' },
      g: { h: { i: 1000, j: -0.5 } },
      k: [{ l: [1, [true, false]] }, { m: { n: { o: 'p', q: '2026-01-31' } } }],
    });
  });

  it.each([
    ['a = 1\na = 2', 'TOML line 2: a is there twice'],
    ['a = """x"""', 'TOML line 1: texts over several lines are not read'],
    ['a = 1 2', 'TOML line 1: more on the line than a value'],
    ['\na = x', 'TOML line 2: not a value: x'],
    ['a = 1\na.b = 2', 'TOML line 2: a is a value, not a table'],
  ])('%j is an error with its line', (text, message) => {
    expect(() => parseToml(text)).toThrow(message);
  });
});
