/** Reads the package @pydantic/genai-prices: what a provider charges for a model, by its own matching and dates. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Its names of prices per million tokens → ours. */
const PARTS = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cached_input',
  cache_write_mtok: 'cache_write',
  input_audio_mtok: 'audio_in',
  output_audio_mtok: 'audio_out',
};
/** Paid for tools a request may use beside the model, or for longer caching; not part of a plain call. */
const BESIDE = ['web_searches_kcount', 'storage_searches_kcount', 'cache_write_1h_mtok', 'cache_audio_read_mtok'];

/** The package in a folder. */
export async function openGenaiPrices(folder) {
  const entry = path.resolve(folder, 'dist', 'index.js');
  return import(pathToFileURL(entry).href);
}

function equalNames(match) {
  return match.equals === undefined ? (match.or ?? []).flatMap(equalNames) : [match.equals];
}

/** Whether the price of a call has parts that tokens of text and sound don't cover. */
function isIncomplete(prices) {
  return Object.entries(prices).some(([key, price]) => {
    if (key in PARTS || BESIDE.includes(key)) return false;
    if (/^(?:input|cache)_(?:image|video)/.test(key)) {
      return (
        JSON.stringify(price) !== JSON.stringify(prices[key.startsWith('cache') ? 'cache_read_mtok' : 'input_mtok'])
      );
    }
    return true;
  });
}

/** `{base, over: [{tokens, …}]}` in dollars; null = it cannot be told by tokens. */
function tokenPrices(prices) {
  if (isIncomplete(prices)) return null;
  const base = {};
  const over = new Map();
  for (const [key, name] of Object.entries(PARTS)) {
    const price = prices[key];
    if (price === undefined) continue;
    base[name] = typeof price === 'number' ? price : price.base;
    for (const tier of price.tiers ?? []) {
      if (!over.has(tier.start)) over.set(tier.start, { tokens: tier.start });
      over.get(tier.start)[name] = tier.price;
    }
  }
  return { base, over: [...over.values()].sort((a, b) => a.tokens - b.tokens) };
}

/** What may be charged on one day: one price, or several where it depends on the hour. `since`: that price's first day. */
function pricesOn(conditions, day) {
  const found = [];
  for (const { constraint, prices } of [...conditions].reverse()) {
    const since = constraint?.start_date ?? null;
    if (since !== null && since > day) continue;
    found.push(prices);
    if (constraint?.type !== 'time_of_date') return { found, since };
  }
  return { found, since: null };
}

function statedPrice(model, day) {
  const conditions = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
  const { found, since } = pricesOn(conditions, day);
  const later = conditions
    .filter(({ constraint }) => (constraint?.start_date ?? '') > day)
    .map(({ constraint, prices }) => ({ from: constraint.start_date, price: tokenPrices(prices) }));
  return { by_hour: found.map(tokenPrices), since, later };
}

/**
 * What it states of one provider: `names`, every name it spells out, and `of(id)` → `{window, exact, price}` or null.
 * `exact` = the name stands there letter for letter, and not by a pattern. `day` = ISO date of the prices.
 */
export function readGenaiPrices(library, provider, day) {
  const { models } = library.findProvider({ providerId: provider });
  const exact = new Map(models.map(({ id, match }) => [id, new Set([id, ...equalNames(match)])]));
  const timestamp = new Date(`${day}T12:00:00Z`);
  const of = (id) => {
    const result = library.calcPrice({ input_tokens: 1 }, id, { providerId: provider, timestamp });
    // Some providers fall back on the prices of those whose models they serve: that is a guess.
    if (result === null || !exact.has(result.model.id)) return null;
    const { model } = result;
    return { window: model.context_window ?? null, exact: exact.get(model.id).has(id), price: statedPrice(model, day) };
  };
  const names = [...exact.values()].flatMap((some) => [...some]).filter((name) => of(name)?.exact === true);
  return { names: [...new Set(names)], of };
}
