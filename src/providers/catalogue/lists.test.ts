/** The shipped lists as data: whatever an import brings, these hold. */
import { describe, expect, it } from 'vitest';
import { presets } from '../presets.ts';
import type { CatalogueRow, RowPrice } from './rows.ts';
import { listNames, shippedList, sources } from './shipped-lists.ts';

const INPUTS = ['text', 'image', 'audio', 'video', 'file'];
const FEATURES = ['tools', 'json_schema', 'reasoning'];
const PARTS = ['input', 'output', 'cached_input', 'cache_write', 'audio_in', 'audio_out'] as const;
const ESTIMATES = ['sources_differ', 'time_of_day', 'region', 'currency', 'routing', 'by_pattern'];
/** Dearer than any model there is: a slip of a factor of a thousand is found. */
const MOST = 1000e9;

const rowsOf = (name: string): readonly CatalogueRow[] => shippedList(name)?.models ?? [];
const namesOf = ({ id, aka = [] }: CatalogueRow) => [id, ...aka];

function wrongPrices(price: Omit<RowPrice, 'by'>): string[] {
  const wrong = PARTS.filter((part) => {
    const value = price[part];
    return value !== undefined && !(Number.isSafeInteger(value) && value >= 0 && value <= MOST);
  });
  const tiers = (price.over ?? []).flatMap((tier, i, all) => {
    const rising = Number.isSafeInteger(tier.tokens) && tier.tokens > (all[i - 1]?.tokens ?? 0);
    return [...wrongPrices(tier), ...(rising ? [] : ['over'])];
  });
  const cached = price.cached_input !== undefined && price.cached_input > (price.input ?? 0) ? ['cached_input'] : [];
  return [...wrong, ...tiers, ...cached];
}

function wrongParts({ window, output, in: inputs = [], can = [], cannot = [], price }: CatalogueRow): string[] {
  const size = (tokens: number | undefined) => tokens === undefined || (Number.isSafeInteger(tokens) && tokens > 0);
  return [
    ...(size(window) && size(output) ? [] : ['size']),
    ...inputs.filter((word) => !INPUTS.includes(word)),
    ...[...can, ...cannot].filter((word) => !FEATURES.includes(word)),
    ...can.filter((word) => cannot.includes(word)),
    ...(price === undefined ? [] : [price, ...(price.later ?? [])].flatMap(wrongPrices)),
    ...(price === undefined || ['m', 'g', 'gm'].includes(price.by) ? [] : ['by']),
    ...(price?.estimate === undefined || ESTIMATES.includes(price.estimate) ? [] : ['estimate']),
  ];
}

describe('the shipped lists', () => {
  it('each is of a provider type there is', () => {
    expect(listNames.filter((name) => !presets.has(name))).toEqual([]);
    expect(listNames.length).toBeGreaterThan(15);
  });

  it.each(listNames)('%s is sorted, and no name is there twice', (name) => {
    const ids = rowsOf(name).map(({ id }) => id);
    const names = rowsOf(name).flatMap(namesOf);
    expect(ids).toEqual([...ids].sort());
    expect(ids.length).toBeGreaterThan(0);
    expect(names.length).toBe(new Set(names).size);
  });

  it.each(listNames)('G-4, P-6: %s has whole nano-dollars, whole tokens and known words', (name) => {
    const wrong = rowsOf(name).flatMap((row) => wrongParts(row).map((part) => `${row.id}: ${part}`));
    expect(wrong).toEqual([]);
    const estimate = shippedList(name)?.estimate ?? null;
    expect(estimate === null || ESTIMATES.includes(estimate)).toBe(true);
  });

  it.each(listNames)('G-4: what is free in %s is called so', (name) => {
    const free = rowsOf(name).filter(({ price }) => price?.input === 0 && price.output === 0);
    expect(free.filter(({ id }) => !id.endsWith(':free'))).toEqual([]);
  });

  it('the sources have a version, a day and a licence that lets their figures be passed on', () => {
    for (const source of Object.values(sources)) {
      expect(source.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(source.licence).toMatch(/^MIT, Copyright/);
      expect(source.version).not.toBe('');
    }
  });
});
