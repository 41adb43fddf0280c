/**
 * What one workspace may call under one routing: its own credentials, platform credentials where the channel is enabled,
 * preferences (P-3) and guardrails (G-2) worked in. Models are made at their first plan.
 */
import type { ChannelIx, ModelIx, SkipReason } from '../failover/plan-types.ts';
import type { ModelMatcher } from '../request/allowed-models.ts';
import type { Routing } from '../request/routing.ts';
import type { BarredTarget, CallableChannel, CallableModel, CallableTarget } from './callable.ts';
import { type Guardrails, privacyRank } from './guardrails.ts';
import type { PlanSource, SourceChannel, SourceModel } from './plan-source.ts';
import { byPrice, typicalPrice } from './typical-price.ts';

export interface ViewSource {
  readonly source: PlanSource;
  /** By channel: its targets in the order of its credentials. */
  readonly targets: readonly (readonly CallableTarget[])[];
}

/** Who looks. */
export interface Viewer {
  /** Whose own credentials are seen; null = nobody's. */
  readonly owner: string | null;
  readonly enabled: ModelMatcher;
  readonly guardrails: Guardrails;
}

export class WorkspaceView {
  readonly routing: Routing;
  /** Requests may be this private at most (G-2). */
  readonly privacy: number;
  readonly #from: ViewSource;
  readonly #viewer: Viewer;
  readonly #models: (CallableModel | undefined)[];

  /** `models`: what other views of the same viewer and preferences have made already; shared. */
  constructor(from: ViewSource, viewer: Viewer, routing: Routing, models: (CallableModel | undefined)[] = []) {
    this.#from = from;
    this.#viewer = viewer;
    this.routing = routing;
    this.privacy = viewer.guardrails.privacy;
    this.#models = models;
  }

  /** A model with its channels and credentials in P-1's order. */
  model(ix: ModelIx): CallableModel {
    let model = this.#models[ix];
    if (model === undefined) {
      model = this.#make(this.#from.source.models[ix]!);
      this.#models[ix] = model;
    }
    return model;
  }

  #make(model: SourceModel): CallableModel {
    const preferences = this.routing.channels.get(model.id);
    const channels = model.channels.map((ix) => this.#from.source.channels[ix]!);
    const byokOnly = channels.some(({ id }) => preferences?.get(id)?.byokOnly === true);
    const made = channels
      .map((channel): CallableChannel => {
        const said = preferences?.get(channel.id);
        const bar = byokOnly && said?.byokOnly !== true ? 'byok_only' : null;
        return this.#channel(channel, { bar, byokOnly, preferred: said?.prefer === true });
      })
      .filter(({ groups, barred }) => groups.length + barred.length > 0);
    return {
      model: model.ix,
      name: model.id,
      reasons: model.capabilities.features?.includes('reasoning') ?? false,
      channels: preferredFirst(made),
      byPrice: preferredFirst(byPrice(made)),
      prefers: made.some(({ preferred }) => preferred),
      byokOnly,
      denied: this.#viewer.guardrails.deniesModel(model.id),
    };
  }

  /** BYOK credentials of others are not this workspace's to call, nor to see. `bar`: none of it is called at all. */
  #channel(
    channel: SourceChannel,
    said: { readonly bar: SkipReason | null; readonly byokOnly: boolean; readonly preferred: boolean },
  ): CallableChannel {
    const { owner, enabled, guardrails } = this.#viewer;
    const { own, platform } = this.#credentials(channel.ix, owner);
    const platformBar = enabled(channel.healthKey) ? (said.byokOnly ? 'byok_only' : null) : 'channel_not_enabled';
    const guard = guardrails.deniesChannel(channel) ? 'guardrail' : null;
    const barred: BarredTarget[] = [];
    const groups: CallableTarget[][] = [];
    const add = (group: CallableTarget[], reason: SkipReason | null) => {
      if (reason === null) groups.push(group);
      else barred.push(...group.map((callable) => ({ callable, reason })));
    };
    for (const callable of own) add([callable], said.bar ?? guard);
    for (const group of platform) add(group, platformBar ?? said.bar ?? guard);
    const { limits } = channel;
    return {
      channel: channel.ix,
      key: channel.healthKey,
      groups,
      rotates: groups.some((group) => group.length > 1),
      barred,
      preferred: said.preferred,
      weight: channel.weight,
      price: typicalPrice(channel.price ?? this.#from.source.models[channel.model]!.price),
      limits: limits === null ? null : { kind: 'channel', id: channel.healthKey, limits },
      privacy: privacyRank(channel.maxPrivacy),
    };
  }

  /** The operator's: platform credentials by order, equals together, and the call without credential. */
  #credentials(channel: ChannelIx, owner: string | null): { own: CallableTarget[]; platform: CallableTarget[][] } {
    const own: CallableTarget[] = [];
    const platform = new Map<number, CallableTarget[]>();
    for (const callable of this.#from.targets[channel]!) {
      const ix = callable.target.credential;
      const credential = ix === null ? null : this.#from.source.credentials[ix]!;
      if (credential?.kind === 'byok') {
        if (owner !== null && credential.workspace === owner) own.push(callable);
        continue;
      }
      const order = credential?.order ?? 0;
      const equals = platform.get(order);
      if (equals === undefined) platform.set(order, [callable]);
      else equals.push(callable);
    }
    const byOrder = [...platform.entries()].sort(([a], [b]) => a - b).map(([, equals]) => equals);
    return { own, platform: byOrder };
  }
}

/** P-3: to the front, the order among them and among the others kept. */
export function preferredFirst(channels: readonly CallableChannel[]): readonly CallableChannel[] {
  if (!channels.some(({ preferred }) => preferred)) return channels;
  return [...channels.filter(({ preferred }) => preferred), ...channels.filter(({ preferred }) => !preferred)];
}
