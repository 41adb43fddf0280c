import { describe, expect, it } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { priceNotes } from './price-notes.ts';

const CHANNEL = { channels: [{ id: 'c', provider: 'mine' }] };

function notesOf(more: object, models: object = { a: CHANNEL }): string[] {
  const providers = {
    mine: { type: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' },
    deepseek: { type: 'deepseek' },
  };
  const loaded = loadConfig({
    text: JSON.stringify({ version: 1, providers, models, ...more }),
    file: 'c.yaml',
    env: {},
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return priceNotes(loaded.snapshot);
}

const PREPAID = { workspaces: { acme: { balance_usd: 1 } } };

describe('check: prices', () => {
  it('G-4: nobody asks, nothing is noted', () => {
    expect(notesOf({})).toEqual([]);
  });

  it.each([
    ['a balance', PREPAID],
    ['an option', { workspaces: { acme: { redundancy: { max_cost_usd: 1 } } } }],
    ['a ceiling', { workspaces: { acme: { ceilings: { max_cost_usd: 1 } } } }],
    [
      'a key’s',
      {
        workspaces: { acme: {} },
        keys: [{ name: 'k', workspace: 'acme', secret: 's', ceilings: { max_cost_usd: 1 } }],
      },
    ],
    ['everybody’s', { workspaces: { acme: {} }, defaults: { redundancy: { max_cost_usd: 1 } } }],
  ])('X-5, G-4: an unknown price is noted where it decides: %s', (_what, more) => {
    const [note, ...others] = notesOf(more);
    expect(note).toMatch(/^no price is known of a#c: left out under a prepaid .* max_cost_usd \((default, )?acme\)$/);
    expect(others).toEqual([]);
  });

  it('X-5, G-4: half a price is none; a whole one is; so is that of a model the workspace has not', () => {
    const price = (prices: object) => ({ a: { ...CHANNEL, price: prices } });
    expect(notesOf(PREPAID, price({ input: 1 }))).toHaveLength(1);
    expect(notesOf(PREPAID, price({ input: 1, output: 1 }))).toEqual([]);
    const narrow = { workspaces: { acme: { balance_usd: 1, enabled_models: ['b'] } } };
    expect(notesOf(narrow, { a: CHANNEL, b: { ...CHANNEL, price: { input: 1, output: 1 } } })).toEqual([]);
  });

  it('X-5, G-4: wildcards without a list, and no more names than can be read', () => {
    expect(notesOf(PREPAID, { 'mine/*': {}, 'deepseek/*': {} })).toEqual([
      'no price is known of mine/*: left out under a prepaid balance or max_cost_usd (acme)',
    ]);
    const many = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`m${i}`, CHANNEL]));
    expect(notesOf(PREPAID, many)[0]).toContain('m4#c and 2 more: left out');
  });

  it('X-5, G-4: an estimate is noted as one', () => {
    expect(notesOf(PREPAID, { 'deepseek/deepseek-chat': {} })).toEqual([
      'the price is an estimate of the catalogue for deepseek/deepseek-chat#deepseek; `price` of the file is exact',
    ]);
  });
});
