/**
 * What is publicly known of providers' models: prices, context windows, capabilities. A price that is not here is
 * unknown, which is not 0 (G-4); a capability that is not here counts as supported (P-6).
 */
import { endpointsOf } from './modes.ts';
import type { CatalogueRow, RowPrice } from './rows.ts';
import { shippedList, sources } from './shipped-lists.ts';

/** Nano-dollars per million tokens; null = unknown. */
export interface CataloguePrices {
  readonly input: bigint | null;
  readonly output: bigint | null;
  readonly cachedInput: bigint | null;
  readonly cacheWrite: bigint | null;
  readonly audioIn: bigint | null;
  readonly audioOut: bigint | null;
}

export interface CataloguePrice extends CataloguePrices {
  /** For requests with more input tokens than `above`, by `above`. */
  readonly tiers: readonly (CataloguePrices & { readonly above: number })[];
  /** ISO date of the list, or of the change that is in force. */
  readonly date: string;
  /** Why it may differ from the bill: `sources_differ`, `time_of_day`, `region`, `currency`, `routing`, `by_pattern`. */
  readonly estimate: string | null;
}

/** Known and known to be missing; what is in neither is unknown. */
export interface KnownCapabilities {
  /** Endpoints, as configurations name them; null = nothing is known of them. */
  readonly apis: readonly string[] | null;
  readonly input: readonly string[] | null;
  readonly features: readonly string[] | null;
  readonly lacks: { readonly input: readonly string[]; readonly features: readonly string[] };
}

export interface ModelFacts {
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  /** Null = nothing is known of them. */
  readonly capabilities: KnownCapabilities | null;
  readonly price: CataloguePrice | null;
  /** ISO date of all but the price. */
  readonly date: string;
}

/** Inputs that a list of inputs is complete in. Of files it is not: providers take them in ways of their own. */
const COUNTED_INPUTS = ['image', 'audio', 'video'] as const;

/** A snapshot's name is the model's and its day. */
const DATED = /-(?:\d{4}-\d{2}-\d{2}|\d{8})$/;

const indexes = new Map<string, ReadonlyMap<string, CatalogueRow>>();

/** Built when a configuration first asks for the list, and kept. */
function indexOf(list: string): ReadonlyMap<string, CatalogueRow> {
  let index = indexes.get(list);
  if (index === undefined) {
    const rows = shippedList(list)?.models ?? [];
    index = new Map(rows.flatMap((row) => [row.id, ...(row.aka ?? [])].map((name) => [name, row] as const)));
    indexes.set(list, index);
  }
  return index;
}

/**
 * A model by its name at the provider, letter for letter; a dated snapshot that is not listed is taken for its model.
 * `day` (ISO date): prices announced for later hold from then on. Null = unknown.
 */
export function lookUp(list: string, name: string, day: string): ModelFacts | null {
  const index = indexOf(list);
  const row = index.get(name) ?? index.get(name.replace(DATED, ''));
  return row === undefined ? null : factsOf(row, shippedList(list)?.estimate ?? null, day);
}

function factsOf(row: CatalogueRow, listEstimate: string | null, day: string): ModelFacts {
  const isDescribed = row.can !== undefined;
  const apis = endpointsOf(row.id);
  return {
    contextWindow: row.window ?? null,
    maxOutputTokens: row.output ?? null,
    capabilities: isDescribed || row.in !== undefined || apis !== null ? capabilitiesOf(row, apis) : null,
    price: row.price === undefined ? null : priceOn(row.price, listEstimate, day),
    date: sources[isDescribed ? 'm' : 'g'].date,
  };
}

function capabilitiesOf({ in: inputs, can, cannot }: CatalogueRow, apis: readonly string[] | null): KnownCapabilities {
  return {
    apis,
    input: inputs ?? null,
    features: can ?? null,
    lacks: {
      input: inputs === undefined ? [] : COUNTED_INPUTS.filter((input) => !inputs.includes(input)),
      features: cannot ?? [],
    },
  };
}

/** Null = what is charged on that day is unknown. */
function priceOn(price: RowPrice, listEstimate: string | null, day: string): CataloguePrice | null {
  const change = price.later?.findLast(({ from }) => from <= day);
  const { over = [], ...stated } = change ?? price;
  if (stated.input === undefined && stated.output === undefined) return null;
  return {
    ...amounts(stated),
    tiers: over.map((tier) => ({ above: tier.tokens, ...amounts(tier) })),
    date: change?.from ?? sources[price.by === 'm' ? 'm' : 'g'].date,
    estimate: price.estimate ?? listEstimate,
  };
}

function amounts(prices: Omit<RowPrice, 'by'>): CataloguePrices {
  return {
    input: amount(prices.input),
    output: amount(prices.output),
    cachedInput: amount(prices.cached_input),
    cacheWrite: amount(prices.cache_write),
    audioIn: amount(prices.audio_in),
    audioOut: amount(prices.audio_out),
  };
}

function amount(nano: number | undefined): bigint | null {
  return nano === undefined ? null : BigInt(nano);
}
