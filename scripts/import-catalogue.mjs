/**
 * Makes src/providers/catalogue/lists/ from two public lists. Only by hand, never at a build or a run:
 *
 *   node scripts/import-catalogue.mjs \
 *     --models-dev FOLDER   --models-dev-version COMMIT    --models-dev-date DAY \
 *     --genai-prices FOLDER --genai-prices-version VERSION --genai-prices-date DAY
 *
 * Same sources, same files. docs/catalogue.md says where they come from and what is taken of them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openGenaiPrices, readGenaiPrices } from './catalogue/genai-prices.mjs';
import { LISTS } from './catalogue/lists.mjs';
import { readModelsDev } from './catalogue/models-dev.mjs';
import { rowsOf } from './catalogue/rows.mjs';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** One row a line: a change of one model is a change of one line. */
export function listText({ estimate, models }) {
  const rows = models.map((row) => JSON.stringify(row)).join(',\n');
  return `{"estimate":${JSON.stringify(estimate)},"models":[\n${rows}\n]}\n`;
}

/** Where the figures are from: shipped beside them. */
export function sourcesOf(options) {
  return {
    m: {
      name: 'models.dev',
      address: 'https://github.com/anomalyco/models.dev',
      version: options['models-dev-version'],
      date: options['models-dev-date'],
      licence: 'MIT, Copyright (c) 2025 models.dev',
    },
    g: {
      name: '@pydantic/genai-prices',
      address: 'https://github.com/pydantic/genai-prices',
      version: options['genai-prices-version'],
      date: options['genai-prices-date'],
      licence: 'MIT, Copyright (c) Pydantic Services Inc. 2025 to present',
    },
  };
}

/** `{estimate, models}` by list: `estimate` = why none of its prices is more than that. `lists` as LISTS. */
export async function readLists(options, lists = LISTS) {
  const library = await openGenaiPrices(options['genai-prices']);
  const made = {};
  for (const [name, { models, prices, always }] of Object.entries(lists)) {
    const md = new Map(models.toReversed().flatMap((folder) => [...readModelsDev(options['models-dev'], folder)]));
    const gp = prices === null ? null : readGenaiPrices(library, prices, options['genai-prices-date']);
    made[name] = { estimate: always ?? null, models: rowsOf({ md, gp }) };
  }
  return made;
}

function write(folder, options, lists) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'sources.json'), `${JSON.stringify(sourcesOf(options), null, 2)}\n`);
  for (const [name, list] of Object.entries(lists)) {
    writeFileSync(path.join(folder, `${name}.json`), listText(list));
    const rows = list.models;
    const priced = rows.filter(({ price }) => price !== undefined);
    const estimates = priced.filter(({ price }) => (price.estimate ?? list.estimate) !== null);
    console.log(`${name}: ${rows.length} models, ${priced.length} with a price, ${estimates.length} of them estimates`);
  }
}

const OPTIONS = [
  'models-dev',
  'models-dev-version',
  'models-dev-date',
  'genai-prices',
  'genai-prices-version',
  'genai-prices-date',
];

function readOptions() {
  const text = { type: 'string' };
  const { values } = parseArgs({ options: { ...Object.fromEntries(OPTIONS.map((name) => [name, text])), out: text } });
  const missing = OPTIONS.filter((name) => values[name] === undefined);
  const badDays = OPTIONS.filter((name) => name.endsWith('-date') && !DAY.test(values[name] ?? ''));
  if (missing.length + badDays.length === 0) return values;
  console.error(
    `Missing: ${[...new Set([...missing, ...badDays])].map((name) => `--${name}`).join(' ')} (dates as 2026-01-31)`,
  );
  process.exit(2);
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const options = readOptions();
  const home = fileURLToPath(new URL('../src/providers/catalogue/lists', import.meta.url));
  write(options.out ?? home, options, await readLists(options));
}
