/**
 * Figures of models and channels: the file's words where it has some, then the shipped catalogue's. Each channel's are its
 * own provider's. A model's are those of its first channel, and only where every channel has its own: a channel of which
 * nothing is known must not borrow another provider's price (G-4).
 */
import { type CataloguePrice, lookUp, type ModelFacts } from '../../providers/catalogue/catalogue.ts';
import type {
  CapabilitiesEntry,
  Catalogued,
  ChannelEntry,
  ModelEntry,
  PriceEntry,
  ProviderEntry,
  WildcardEntry,
} from '../snapshot.ts';

/** What the file says of a model beside its channels. */
export type Stated = WildcardEntry['like'];
/** What the file says of a channel alone. */
export type StatedOfChannel = Pick<ChannelEntry, 'price' | 'capabilities' | 'maxOutputTokens'> & {
  readonly contextWindow: number | null;
};
type ChannelFigures = StatedOfChannel & Pick<ChannelEntry, 'catalogued'>;

/** Before any day: the prices of the catalogue's own. */
export const CATALOGUE_DAY = '';

/** `day`: ISO date whose prices hold. */
export function channelFigures(
  stated: { readonly channel: StatedOfChannel; readonly model: Stated },
  upstream: { readonly provider: ProviderEntry; readonly name: string; readonly day: string },
): ChannelFigures {
  const { channel, model } = stated;
  const own = { ...channel, contextWindow: channel.contextWindow ?? model.contextWindow };
  const { catalogue } = upstream.provider;
  const facts = catalogue === null ? null : lookUp(catalogue, upstream.name, upstream.day);
  if (facts === null) return own;
  const filled = fill(own, model, facts);
  return Object.keys(filled.catalogued).length === 0 ? own : { ...own, ...filled };
}

function fill(own: StatedOfChannel, model: Stated, facts: ModelFacts): ChannelFigures & { catalogued: Catalogued } {
  const { price, contextWindow, date } = facts;
  const longest = own.maxOutputTokens ?? model.maxOutputTokens ?? null;
  const capabilities = fillCapabilities(own.capabilities, model.capabilities, facts);
  const needsPrice = own.price === undefined && model.price === null && price !== null;
  const needsWindow = own.contextWindow === null && contextWindow !== null;
  const needsLongest = longest === null && facts.maxOutputTokens !== null;
  return {
    contextWindow: own.contextWindow ?? contextWindow,
    ...(needsPrice ? { price: priceEntry(price) } : {}),
    ...(needsLongest ? { maxOutputTokens: facts.maxOutputTokens } : {}),
    ...(capabilities === null ? {} : { capabilities }),
    catalogued: {
      ...(needsPrice ? { price: { date: price.date, estimate: price.estimate } } : {}),
      ...(needsWindow ? { contextWindow: date } : {}),
      ...(needsLongest ? { maxOutputTokens: date } : {}),
      ...(capabilities === null ? {} : { capabilities: date }),
    },
  };
}

function priceEntry({ date: _date, estimate: _estimate, ...price }: CataloguePrice): PriceEntry {
  const { tiers, ...base } = price;
  return tiers.length === 0 ? base : price;
}

/** List by list; a list of the file is the whole truth. Null = the catalogue has nothing to add. */
function fillCapabilities(
  channel: CapabilitiesEntry | undefined,
  model: CapabilitiesEntry,
  { capabilities: known }: ModelFacts,
): CapabilitiesEntry | null {
  if (known === null) return null;
  const input = channel?.input ?? model.input;
  const features = channel?.features ?? model.features;
  const fillsInput = input === null && known.input !== null;
  const fillsFeatures = features === null && known.features !== null;
  const fillsApis = (channel?.apis ?? model.apis) === null && known.apis !== null;
  if (!fillsInput && !fillsFeatures && !fillsApis) return null;
  return {
    apis: fillsApis ? known.apis : (channel?.apis ?? null),
    input: input ?? known.input,
    features: features ?? known.features,
    lacks: { input: fillsInput ? known.lacks.input : null, features: fillsFeatures ? known.lacks.features : null },
  };
}

type ModelFigures = Stated & Pick<ModelEntry, 'catalogued'>;

/** `channels`: the model's, first to be tried first. */
export function modelFigures(stated: Stated, channels: readonly ChannelEntry[]): ModelFigures {
  const contextWindow = stated.contextWindow ?? shared(channels, (channel) => channel.contextWindow);
  const maxOutputTokens = stated.maxOutputTokens ?? shared(channels, (channel) => channel.maxOutputTokens);
  const price = stated.price ?? shared(channels, (channel) => channel.price);
  const capabilities = sharedCapabilities(stated.capabilities, channels);
  const catalogued = borrowed(channels[0]?.catalogued, {
    price: stated.price === null && price !== null,
    contextWindow: stated.contextWindow === null && contextWindow !== null,
    maxOutputTokens: stated.maxOutputTokens === undefined && maxOutputTokens !== null,
    capabilities: capabilities !== stated.capabilities,
  });
  return {
    contextWindow,
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    price,
    capabilities,
    ...(catalogued === null ? {} : { catalogued }),
  };
}

/** The first channel's, if each has one. */
function shared<T>(channels: readonly ChannelEntry[], read: (channel: ChannelEntry) => T | null | undefined): T | null {
  const values = channels.map(read);
  return values.every((value) => value !== null && value !== undefined) ? (values[0] ?? null) : null;
}

/** List by list. */
function sharedCapabilities(stated: CapabilitiesEntry, channels: readonly ChannelEntry[]): CapabilitiesEntry {
  const input = stated.input === null ? shared(channels, ({ capabilities }) => capabilities?.input) : null;
  const features = stated.features === null ? shared(channels, ({ capabilities }) => capabilities?.features) : null;
  const apis = stated.apis === null ? shared(channels, ({ capabilities }) => capabilities?.apis) : null;
  if (input === null && features === null && apis === null) return stated;
  const lacks = channels[0]?.capabilities?.lacks;
  return {
    apis: stated.apis ?? apis,
    input: stated.input ?? input,
    features: stated.features ?? features,
    lacks: {
      input: input === null ? null : (lacks?.input ?? null),
      features: features === null ? null : (lacks?.features ?? null),
    },
  };
}

/** What the first channel has from the catalogue, of the figures that are its. */
function borrowed(of: Catalogued | undefined, taken: Readonly<Record<keyof Catalogued, boolean>>): Catalogued | null {
  const names = Object.entries(of ?? {}).filter(([name]) => taken[name as keyof Catalogued]);
  return names.length === 0 ? null : Object.fromEntries(names);
}
