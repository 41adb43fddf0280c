/** The catalogue's lists as they are shipped: one row for each model of a provider. `scripts/import-catalogue.mjs` makes them. */

/** Nano-dollars per million tokens; absent = unknown. */
interface RowPrices {
  readonly input?: number;
  readonly output?: number;
  readonly cached_input?: number;
  readonly cache_write?: number;
  readonly audio_in?: number;
  readonly audio_out?: number;
}

export interface RowPrice extends RowPrices {
  /** Which sources state it. */
  readonly by: 'm' | 'g' | 'gm';
  /** Dearer for requests with more input tokens than `tokens`; by `tokens`. */
  readonly over?: readonly (RowPrices & { readonly tokens: number })[];
  /** Why it may differ from the bill; absent = it is the list's word. */
  readonly estimate?: string;
  /** Changes announced when the list was made, by day (ISO date). */
  readonly later?: readonly (Omit<RowPrice, 'by' | 'later'> & { readonly from: string })[];
}

export interface CatalogueRow {
  readonly id: string;
  /** Other names for exactly the same. */
  readonly aka?: readonly string[];
  /** Context window and longest answer, in tokens. */
  readonly window?: number;
  readonly output?: number;
  /** All inputs it takes; absent = unknown. */
  readonly in?: readonly string[];
  /** Features stated to be there, and stated to be missing; of all others nothing is known. */
  readonly can?: readonly string[];
  readonly cannot?: readonly string[];
  readonly price?: RowPrice;
}

export interface ShippedList {
  /** Why none of its prices is more than an estimate; null = they are what is charged. */
  readonly estimate: string | null;
  readonly models: readonly CatalogueRow[];
}

/** Where figures were taken from. */
export interface CatalogueSource {
  readonly name: string;
  readonly address: string;
  readonly version: string;
  /** ISO date. */
  readonly date: string;
  readonly licence: string;
}
