/** Models and channels as configured, with what they cost (the admin's view). */
import type { Catalogued, ChannelEntry, ModelEntry, Snapshot, WildcardEntry } from '../../config/snapshot.ts';
import { type ModelMatcher, modelMatcher } from '../../core/request/allowed-models.ts';
import { shownLimits, shownPrice } from '../money-form.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import {
  arrayOf,
  FLAG,
  listOf,
  NUMBER_OR_NULL,
  object,
  orNull,
  schemaRef,
  TEXT,
  TEXT_OR_NULL,
  TEXTS,
  WHOLE,
  WHOLE_OR_NULL,
} from './openapi-parts.ts';
import { pageOf, pageParameters, readPage } from './paging.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

const TEXTS_OR_NULL = { type: ['array', 'null'], items: TEXT } as const;
const CAPABILITIES = object(
  { apis: TEXTS_OR_NULL, input: TEXTS_OR_NULL, features: TEXTS_OR_NULL },
  { lacks: { type: 'object', description: 'Known to be missing from a list that is not the whole truth.' } },
);
/** Dates of figures. */
const CATALOGUED = {
  type: ['object', 'null'],
  description: 'Figures that are the shipped catalogue’s and not the file’s, with the dates they are of.',
  properties: {
    price: object({ date: TEXT, estimate: { ...TEXT_OR_NULL, description: 'Why the bill may say otherwise.' } }),
    context_window: TEXT,
    max_output_tokens: TEXT,
    capabilities: TEXT,
  },
} as const;

const PRICES = {
  input: NUMBER_OR_NULL,
  output: NUMBER_OR_NULL,
  cached_input: NUMBER_OR_NULL,
  cache_write: NUMBER_OR_NULL,
  audio_in: NUMBER_OR_NULL,
  audio_out: NUMBER_OR_NULL,
};

export const MODEL_SCHEMAS: Readonly<Record<string, object>> = {
  Price: {
    ...object(PRICES, {
      tiers: {
        type: 'array',
        items: object({ above: WHOLE, ...PRICES }),
        description: 'Other prices for requests with more input tokens than `above`; the last that holds counts.',
      },
    }),
    description: 'USD per million tokens; null = unknown, which is not 0.',
  },
  Model: object({
    id: TEXT,
    wildcard: { ...FLAG, description: 'Stands for every `PROVIDER/NAME`.' },
    context_window: WHOLE_OR_NULL,
    max_output_tokens: WHOLE_OR_NULL,
    capabilities: CAPABILITIES,
    price: orNull(schemaRef('Price')),
    catalogued: CATALOGUED,
    channels: arrayOf('Channel'),
  }),
  Channel: object({
    id: { ...TEXT, description: '`MODEL#CHANNEL`.' },
    model: TEXT,
    channel: TEXT,
    provider: TEXT,
    upstream_model: TEXT,
    priority: WHOLE,
    weight: WHOLE,
    region: TEXT_OR_NULL,
    max_privacy: TEXT,
    context_window: WHOLE_OR_NULL,
    max_output_tokens: WHOLE_OR_NULL,
    capabilities: CAPABILITIES,
    price: orNull(schemaRef('Price')),
    catalogued: CATALOGUED,
    limits: { type: ['object', 'null'], description: 'As in the configuration file.' },
    credentials: { ...TEXTS, description: 'In the order they are tried.' },
  }),
};

export function modelRoutes(deps: AdminDeps): AdminRoute[] {
  const page = pageParameters(DEFAULT_LIMIT, MAX_LIMIT);
  return [
    {
      method: 'GET',
      path: '/v1/models',
      summary: 'Models with their channels, prices and capabilities.',
      needs: 'models.read',
      parameters: page,
      answer: listOf('Model'),
      handle: (call) => {
        const view = new ModelView(deps, call.scope);
        return pageFor(call, view.models(), (model) => model.id);
      },
    },
    {
      method: 'GET',
      path: '/v1/channels',
      summary: 'Channels of all models.',
      needs: 'models.read',
      parameters: page,
      answer: listOf('Channel'),
      handle: (call) => {
        const view = new ModelView(deps, call.scope);
        return pageFor(call, view.channels(), (channel) => channel.id);
      },
    },
  ];
}

function pageFor<T>({ query }: AdminCall, items: readonly T[], idOf: (item: T) => string): object {
  return pageOf(items, idOf, readPage(query, DEFAULT_LIMIT, MAX_LIMIT));
}

interface ShownChannel extends Readonly<Record<string, unknown>> {
  readonly id: string;
}
interface ShownModel extends Readonly<Record<string, unknown>> {
  readonly id: string;
}

/** Models and channels as one workspace may know them; null = all of it. */
class ModelView {
  readonly #snapshot: Snapshot;
  readonly #scope: string | null;
  readonly #enabled: ModelMatcher;

  constructor(deps: AdminDeps, scope: string | null) {
    this.#snapshot = deps.gateway.snapshot();
    this.#scope = scope;
    const patterns = scope === null ? ['*'] : (this.#snapshot.workspaces.get(scope)?.enabledModels ?? []);
    this.#enabled = modelMatcher(patterns);
  }

  models(): ShownModel[] {
    const named = this.#named().map((model) => this.#model(model));
    const wild = [...(this.#snapshot.wildcards?.byProvider ?? [])].map(([name, entry]) => wildcard(name, entry));
    return [...named, ...wild];
  }

  channels(): ShownChannel[] {
    return this.#named().flatMap((model) => model.channels.map((ix) => this.#channel(this.#snapshot.channels[ix]!)));
  }

  /** Those made on demand from a wildcard are the wildcard's, not the configuration's. */
  #named(): ModelEntry[] {
    return this.#snapshot.models.filter(({ id, wildcard: made }) => made !== true && this.#enabled(id));
  }

  #model(model: ModelEntry): ShownModel {
    return {
      id: model.id,
      wildcard: false,
      context_window: model.contextWindow,
      max_output_tokens: model.maxOutputTokens ?? null,
      capabilities: model.capabilities,
      price: model.price === null ? null : shownPrice(model.price),
      catalogued: shownCatalogued(model.catalogued),
      channels: model.channels.map((ix) => this.#channel(this.#snapshot.channels[ix]!)),
    };
  }

  #channel(channel: ChannelEntry): ShownChannel {
    const model = this.#snapshot.models[channel.model]!;
    const price = channel.price ?? model.price;
    return {
      id: channel.healthKey,
      model: model.id,
      channel: channel.id,
      provider: channel.provider.name,
      upstream_model: channel.upstreamModel,
      priority: channel.priority,
      weight: channel.weight,
      region: channel.region,
      max_privacy: channel.maxPrivacy,
      context_window: channel.contextWindow ?? model.contextWindow,
      max_output_tokens: channel.maxOutputTokens ?? model.maxOutputTokens ?? null,
      capabilities: channel.capabilities ?? model.capabilities,
      price: price === null ? null : shownPrice(price),
      catalogued: shownCatalogued(channel.catalogued ?? model.catalogued),
      limits: shownLimits(channel.limits),
      credentials: this.#credentials(channel),
    };
  }

  /** G-8: of other workspaces' credentials not even the name. */
  #credentials(channel: ChannelEntry): string[] {
    return channel.credentials
      .map((ix) => this.#snapshot.credentials[ix]!)
      .filter(({ kind, workspace }) => this.#scope === null || kind === 'platform' || workspace === this.#scope)
      .map(({ name }) => name);
  }
}

function wildcard(name: string, { like }: WildcardEntry): ShownModel {
  return {
    id: `${name}/*`,
    wildcard: true,
    context_window: like.contextWindow,
    max_output_tokens: like.maxOutputTokens ?? null,
    capabilities: like.capabilities,
    price: like.price === null ? null : shownPrice(like.price),
    catalogued: null,
    channels: [],
  };
}

/** Null: every figure is the file's, or nobody's. */
function shownCatalogued(from: Catalogued | undefined): object | null {
  if (from === undefined) return null;
  const dates = {
    price: from.price,
    context_window: from.contextWindow,
    max_output_tokens: from.maxOutputTokens,
    capabilities: from.capabilities,
  };
  return Object.fromEntries(Object.entries(dates).filter(([, date]) => date !== undefined));
}
