/**
 * Which targets each model has, prepared once per configuration: order, owners and health names are worked out here, so
 * that planning a request only asks who is well.
 */
import type { ChannelIx, CredentialIx, ModelIx, Target } from '../failover/plan-types.ts';
import { type HealthKeys, healthKeys } from '../health/keys.ts';

/** The part of the configuration that plans are made of. */
export interface PlanSource {
  readonly version: number;
  readonly models: readonly {
    readonly ix: ModelIx;
    readonly id: string;
    /** In the order to try. */
    readonly channels: readonly ChannelIx[];
    readonly contextWindow: number | null;
    readonly capabilities: { readonly features: readonly string[] | null };
  }[];
  readonly channels: readonly {
    readonly ix: ChannelIx;
    readonly model: ModelIx;
    readonly id: string;
    readonly healthKey: string;
    readonly upstreamModel: string;
    readonly contextWindow: number | null;
    /** BYOK by order, then platform by order, of all workspaces. Empty = call without credential. */
    readonly credentials: readonly CredentialIx[];
  }[];
  readonly credentials: readonly {
    readonly name: string;
    readonly kind: 'platform' | 'byok';
    readonly workspace: string | null;
    readonly order: number;
  }[];
}

export interface CallableTarget {
  readonly target: Target;
  readonly keys: HealthKeys;
  readonly contextWindow: number | null;
}

/** One channel as one workspace may call it. */
export interface CallableChannel {
  readonly channel: ChannelIx;
  /** Runs of equal order; only those of several platform credentials take turns (P-1). */
  readonly groups: readonly (readonly CallableTarget[])[];
  /** Some group has several targets that take turns. */
  readonly rotates: boolean;
}

export interface CallableModel {
  readonly model: ModelIx;
  readonly name: string;
  readonly reasons: boolean;
  readonly channels: readonly CallableChannel[];
}

type SourceChannel = PlanSource['channels'][number];

export class PlanCatalogue {
  readonly version: number;
  readonly #source: PlanSource;
  /** By channel: its targets in the order of its credentials. */
  readonly #targets: readonly (readonly CallableTarget[])[];
  /** Workspaces with credentials of their own; all others see the same. */
  readonly #owners: ReadonlySet<string>;
  readonly #models = new Map<string, (CallableModel | undefined)[]>();

  constructor(source: PlanSource) {
    this.version = source.version;
    this.#source = source;
    this.#targets = source.channels.map((channel) => targetsOf(source, channel));
    const owners = source.credentials.map(({ workspace }) => workspace).filter((name) => name !== null);
    this.#owners = new Set(owners);
  }

  /** A model with the channels and credentials a workspace may use, in P-1's order. */
  model(ix: ModelIx, workspace: string): CallableModel {
    // No workspace is called "", so it stands for all without credentials of their own.
    const viewer = this.#owners.has(workspace) ? workspace : '';
    let models = this.#models.get(viewer);
    if (models === undefined) {
      models = [];
      this.#models.set(viewer, models);
    }
    const known = models[ix];
    if (known !== undefined) return known;
    const made = this.#modelFor(ix, viewer);
    models[ix] = made;
    return made;
  }

  /** The health names of a target of this configuration. */
  keysOf(target: Target): HealthKeys {
    const found = this.#targets[target.channel]?.find((known) => known.target.credential === target.credential);
    if (found === undefined) throw new RangeError('a target of another configuration');
    return found.keys;
  }

  /** The names of all targets, whoever may call them: what the health board lists (H-3). */
  allKeys(): HealthKeys[] {
    return this.#targets.flatMap((targets) => targets.map(({ keys }) => keys));
  }

  #modelFor(ix: ModelIx, viewer: string): CallableModel {
    const model = this.#source.models[ix]!;
    const channels = model.channels.map((channel) => this.#channelFor(channel, viewer));
    return {
      model: ix,
      name: model.id,
      reasons: model.capabilities.features?.includes('reasoning') ?? false,
      channels: channels.filter(({ groups }) => groups.length > 0),
    };
  }

  /** BYOK credentials of others are not this workspace's to call, nor to see. */
  #channelFor(channel: ChannelIx, viewer: string): CallableChannel {
    const own: CallableTarget[] = [];
    const platform = new Map<number, CallableTarget[]>();
    for (const callable of this.#targets[channel]!) {
      const ix = callable.target.credential;
      const credential = ix === null ? null : this.#source.credentials[ix]!;
      if (credential === null || (credential.kind === 'byok' && credential.workspace === viewer)) own.push(callable);
      if (credential?.kind !== 'platform') continue;
      const equals = platform.get(credential.order);
      if (equals === undefined) platform.set(credential.order, [callable]);
      else equals.push(callable);
    }
    const byOrder = [...platform.entries()].sort(([a], [b]) => a - b).map(([, equals]) => equals);
    const groups = [...own.map((callable) => [callable]), ...byOrder];
    return { channel, groups, rotates: groups.some((group) => group.length > 1) };
  }
}

function targetsOf(source: PlanSource, channel: SourceChannel): CallableTarget[] {
  const credentials = channel.credentials.length === 0 ? [null] : channel.credentials;
  const model = source.models[channel.model]!;
  return credentials.map((credential) => ({
    target: { model: channel.model, channel: channel.ix, credential },
    keys: healthKeys({
      model: model.id,
      channelId: channel.id,
      channel: channel.healthKey,
      credential: credential === null ? null : source.credentials[credential]!.name,
      upstreamModel: channel.upstreamModel,
    }),
    contextWindow: channel.contextWindow ?? model.contextWindow,
  }));
}
