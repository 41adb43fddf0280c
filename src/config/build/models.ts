/** Models and channels of a snapshot: dense tables that only grow at their end. */

import { dialectOfApi } from '../apis.ts';
import { impliedProvider } from '../rules/model-ids.ts';
import { impliedModels, namedModels } from '../rules/named-models.ts';
import type { ChannelConfig, Config, ModelConfig } from '../schema/config-schema.ts';
import type {
  CapabilitiesEntry,
  ChannelEntry,
  CredentialEntry,
  ModelEntry,
  PriceEntry,
  ProviderEntry,
  WildcardEntry,
} from '../snapshot.ts';
import { channelFigures, modelFigures, type StatedOfChannel } from './figures.ts';
import { limitsOf, nanoUsd } from './limits.ts';
import { credentialsOf } from './upstreams.ts';

export interface ModelTables {
  readonly models: ModelEntry[];
  readonly channels: ChannelEntry[];
}

function priceOf(price: NonNullable<ModelConfig['price']>): PriceEntry {
  return {
    input: nanoUsd(price.input),
    output: nanoUsd(price.output),
    cachedInput: nanoUsd(price.cached_input),
    cacheWrite: nanoUsd(price.cache_write),
    audioIn: nanoUsd(price.audio_in),
    audioOut: nanoUsd(price.audio_out),
  };
}

function capabilitiesOf(capabilities: ModelConfig['capabilities']): CapabilitiesEntry {
  return {
    apis: capabilities?.apis ?? null,
    input: capabilities?.input ?? null,
    features: capabilities?.features ?? null,
  };
}

/** What the file says of a model beside its channels. */
export function describeModel(config: ModelConfig): WildcardEntry['like'] {
  return {
    contextWindow: config.context_window ?? null,
    capabilities: capabilitiesOf(config.capabilities),
    price: config.price === undefined ? null : priceOf(config.price),
    ...(config.max_output_tokens === undefined ? {} : { maxOutputTokens: config.max_output_tokens }),
  };
}

/** What a channel says otherwise than its model. */
function ownWords(channel: ChannelConfig): StatedOfChannel {
  return {
    contextWindow: channel.context_window ?? null,
    ...(channel.price === undefined ? {} : { price: priceOf(channel.price) }),
    ...(channel.capabilities === undefined ? {} : { capabilities: capabilitiesOf(channel.capabilities) }),
    ...(channel.max_output_tokens === undefined ? {} : { maxOutputTokens: channel.max_output_tokens }),
  };
}

/** An implied channel has no words of its own. */
const NO_WORDS: StatedOfChannel = { contextWindow: null };

/** How a model comes into the tables: `listed`, only `named` elsewhere, or `on_demand`; `day`: see BuildOptions. */
export interface Arrival {
  readonly by: 'listed' | 'named' | 'on_demand';
  readonly day: string;
}

const MARKS = { listed: {}, named: { implied: true }, on_demand: { wildcard: true } } as const;

/** Adds the one implied channel's model `PROVIDER/NAME` at the end of the tables. */
export function addImplied(tables: ModelTables, id: string, entry: WildcardEntry, { by, day }: Arrival): void {
  const { provider, like, credentials } = entry;
  const model = tables.models.length;
  const name = id.slice(provider.name.length + 1);
  const channel: ChannelEntry = {
    ix: tables.channels.length,
    model,
    id: provider.name,
    healthKey: `${id}#${provider.name}`,
    provider,
    upstreamModel: name,
    priority: 1,
    weight: 1,
    region: null,
    maxPrivacy: 'restricted',
    limits: null,
    ...channelFigures({ channel: NO_WORDS, model: like }, { provider, name, day }),
    credentials,
  };
  tables.channels.push(channel);
  tables.models.push({ ix: model, id, channels: [channel.ix], ...modelFigures(like, [channel]), ...MARKS[by] });
}

interface Upstreams {
  readonly providers: ReadonlyMap<string, ProviderEntry>;
  readonly credentials: readonly CredentialEntry[];
  /** ISO date whose prices hold. */
  readonly day: string;
}

function addListed(tables: ModelTables, id: string, config: ModelConfig, upstreams: Upstreams): void {
  const like = describeModel(config);
  const model = tables.models.length;
  const channels = (config.channels ?? []).map((channel: ChannelConfig): ChannelEntry => {
    const provider = upstreams.providers.get(channel.provider);
    if (provider === undefined)
      throw new Error(`no provider ${channel.provider}: the rules let only known ones through`);
    const name = channel.id ?? provider.name;
    const stem = id.startsWith(`${provider.name}/`) ? id.slice(provider.name.length + 1) : id;
    const ix = tables.channels.length;
    const upstreamModel = channel.model ?? stem;
    const entry: ChannelEntry = {
      ix,
      model,
      id: name,
      healthKey: `${id}#${name}`,
      provider,
      upstreamModel,
      ...(channel.api === undefined ? {} : { api: dialectOfApi(channel.api) }),
      priority: channel.priority,
      weight: channel.weight,
      region: channel.region ?? null,
      maxPrivacy: channel.max_privacy,
      limits: limitsOf(channel.limits),
      ...channelFigures(
        { channel: ownWords(channel), model: like },
        { provider, name: upstreamModel, day: upstreams.day },
      ),
      credentials: credentialsOf(provider.name, upstreams.credentials),
    };
    tables.channels.push(entry);
    return entry;
  });
  const order = [...channels].sort((a, b) => a.priority - b.priority || a.ix - b.ix);
  tables.models.push({ ix: model, id, channels: order.map((channel) => channel.ix), ...modelFigures(like, order) });
}

/** What `PROVIDER/*` of the file stand for, by provider. */
export function buildWildcards(config: Config, upstreams: Omit<Upstreams, 'day'>): Map<string, WildcardEntry> {
  const wildcards = new Map<string, WildcardEntry>();
  for (const [id, model] of Object.entries(config.models)) {
    const provider = id.endsWith('/*') ? upstreams.providers.get(id.slice(0, -2)) : undefined;
    if (provider === undefined) continue;
    const credentials = credentialsOf(provider.name, upstreams.credentials);
    wildcards.set(provider.name, { provider, credentials, like: describeModel(model) });
  }
  return wildcards;
}

/** Adds what is named without being listed, at the end of the tables: a wildcard's, or as if it were listed empty. */
export function addNamed(tables: ModelTables, config: Config, upstreams: Upstreams): void {
  const known = new Set(tables.models.map(({ id }) => id));
  const implied = impliedModels(config);
  const wildcards = buildWildcards(config, upstreams);
  for (const id of namedModels(config)) {
    if (known.has(id) || Object.hasOwn(config.aliases, id)) continue;
    const name = id.slice(0, Math.max(0, id.indexOf('/')));
    const wildcard = wildcards.get(name);
    const provider = implied.has(id) ? upstreams.providers.get(name) : undefined;
    if (wildcard !== undefined) addImplied(tables, id, wildcard, { by: 'listed', day: upstreams.day });
    else if (provider !== undefined) {
      const credentials = credentialsOf(provider.name, upstreams.credentials);
      addImplied(tables, id, { provider, credentials, like: describeModel({}) }, { by: 'named', day: upstreams.day });
    } else continue;
    known.add(id);
  }
}

/** Every model the file lists, in its order; wildcards are no models. */
export function buildModels(config: Config, upstreams: Upstreams): ModelTables {
  const tables: ModelTables = { models: [], channels: [] };
  for (const [id, model] of Object.entries(config.models)) {
    if (id.includes('*')) continue;
    if (model.channels !== undefined) {
      addListed(tables, id, model, upstreams);
      continue;
    }
    const name = impliedProvider(id, (provider) => upstreams.providers.has(provider));
    const provider = name === null ? undefined : upstreams.providers.get(name);
    if (provider === undefined) throw new Error(`model ${id} has no channel: the rules let none such through`);
    const credentials = credentialsOf(provider.name, upstreams.credentials);
    const entry = { provider, credentials, like: describeModel(model) };
    addImplied(tables, id, entry, { by: 'listed', day: upstreams.day });
  }
  return tables;
}
