/** P-1 to P-5, P-7 and G-2 said again by brute force: what a plan must hold, written from the rules, not from the planner. */
import type { Candidate, SkipReason, Target } from '../../src/core/failover/plan-types.ts';
import type { Standing } from '../../src/core/health/standing.ts';
import type { LimitReached } from '../../src/core/limits/limits.ts';
import type { PlanSource, SourceChannel, SourceCredential } from '../../src/core/plan/plan-source.ts';
import { mayCall } from '../../src/core/request/allowed-models.ts';
import { PRIVACY_LEVELS } from '../../src/core/request/ranges.ts';

export interface World {
  readonly source: PlanSource;
  readonly workspace: string;
  /** Models, in order; the last one may be the workspace's default model. */
  readonly chain: readonly number[];
  readonly withDefault: boolean;
  readonly privacy: string | null;
  standing(target: Target): Standing;
  /** By `credential NAME` or `channel KEY`. */
  reached(scope: string): LimitReached | null;
  /** Null = unmeasured. */
  figure(channelKey: string): number | null;
  /** Null = unknown price; undefined = nobody asks. */
  cost(target: Target): bigint | null | undefined;
}

const rankOf = (level: string | null): number => (level === null ? 0 : PRIVACY_LEVELS.indexOf(level as never));

export function wsOf(world: World) {
  return world.source.workspaces.get(world.workspace)!;
}

/** Some channel of the model is used with the workspace's own credentials only. */
export function isByokOnly(world: World, model: number): boolean {
  const said = wsOf(world).routing.channels.get(world.source.models[model]!.id);
  return channelsOf(world, model).some(({ id }) => said?.get(id)?.byokOnly === true);
}

/** P-3: after a model that uses own credentials only, the default model stays out. */
export function isBarredDefault(world: World, model: number): boolean {
  const { chain, withDefault } = world;
  return withDefault && model === chain.at(-1) && chain.slice(0, -1).some((before) => isByokOnly(world, before));
}

export function channelsOf({ source }: World, model: number): readonly SourceChannel[] {
  return source.models[model]!.channels.map((ix) => source.channels[ix]!);
}

/** Every credential of the channel that this workspace may know of, with null for a provider without any. */
export function credentialsAt({ source, workspace }: World, channel: SourceChannel): (SourceCredential | null)[] {
  if (channel.credentials.length === 0) return [null];
  const all = channel.credentials.map((ix) => source.credentials[ix]!);
  const own = all.filter(({ kind, workspace: owner }) => kind === 'byok' && owner === workspace);
  const platform = all.filter(({ kind }) => kind === 'platform');
  return [...own, ...[0, 1, 2].flatMap((order) => platform.filter((one) => one.order === order))];
}

/** Why a candidate may never be called in this request, whoever is well. */
export function barOf(world: World, channel: SourceChannel, credential: SourceCredential | null): SkipReason | null {
  const { source } = world;
  const { enabledChannels, guardrails, routing } = wsOf(world);
  const model = source.models[channel.model]!;
  const isOwn = credential?.kind === 'byok';
  if (!isOwn && !mayCall(enabledChannels, channel.healthKey)) return 'channel_not_enabled';
  if (isBarredDefault(world, channel.model)) return 'byok_only';
  const only = routing.channels.get(model.id)?.get(channel.id)?.byokOnly === true;
  if (isByokOnly(world, channel.model) && !(only && isOwn)) return 'byok_only';
  const asked = rankOf(world.privacy);
  if (guardrails.maxPrivacy !== null && asked > rankOf(guardrails.maxPrivacy)) return 'guardrail';
  if (asked > rankOf(channel.maxPrivacy)) return 'guardrail';
  if (mayCall(guardrails.denyModels, model.id) || mayCall(guardrails.denyChannels, channel.healthKey)) {
    return 'guardrail';
  }
  const { region } = channel;
  if (guardrails.allowRegions !== null && !guardrails.allowRegions.some((one) => one === region)) return 'guardrail';
  return guardrails.denyRegions.some((one) => one === region) ? 'guardrail' : null;
}

/** Why a candidate is left out of this plan: its bar, its price, its limits, its rest. */
export function reasonOf(world: World, target: Target): SkipReason | null {
  const channel = world.source.channels[target.channel]!;
  const credential = target.credential === null ? null : world.source.credentials[target.credential]!;
  const bar = barOf(world, channel, credential);
  if (bar !== null) return bar;
  if (world.cost(target) === null) return 'price_unknown';
  const { state, reason } = world.standing(target);
  if (state === 'drained') return 'drained';
  const full = (scope: string) => world.reached(scope) !== null;
  if (full(`channel ${channel.healthKey}`) || (credential !== null && full(`credential ${credential.name}`))) {
    return 'limit';
  }
  return state === 'cooling' ? reason : null;
}

/** P-2's order of a model's channels where nothing is drawn; null where chance or turns rule. */
export function channelOrderOf(world: World, model: number): readonly SourceChannel[] | null {
  const channels = channelsOf(world, model);
  const { strategy, channels: said } = wsOf(world).routing;
  const preferences = said.get(world.source.models[model]!.id);
  const prefers = ({ id }: SourceChannel): boolean => preferences?.get(id)?.prefer === true;
  const front = (ordered: readonly SourceChannel[]) => [
    ...ordered.filter(prefers),
    ...ordered.filter((channel) => !prefers(channel)),
  ];
  const by = (figure: (channel: SourceChannel) => number | null) => {
    const known = channels.filter((channel) => figure(channel) !== null);
    const placed = known.map((channel, at) => ({ channel, at, figure: figure(channel)! }));
    placed.sort((a, b) => a.figure - b.figure || a.at - b.at);
    return front([...placed.map(({ channel }) => channel), ...channels.filter((one) => figure(one) === null)]);
  };
  switch (strategy) {
    case 'priority':
      return front(channels);
    case 'price':
      return by(({ price }) =>
        price?.input == null || price.output === null ? null : Number(3n * price.input + price.output),
      );
    case 'latency':
    case 'least_busy':
      return by(({ healthKey }) => world.figure(healthKey));
    case 'throughput':
      return by(({ healthKey }) => {
        const figure = world.figure(healthKey);
        return figure === null ? null : -figure;
      });
    case 'weighted':
    case 'round_robin':
      return null;
  }
}

export function isBehind(world: World, { target, skip }: Candidate): boolean {
  const { state, probeInFlight } = world.standing(target);
  return skip === null && (state === 'open' || (state === 'half_open' && probeInFlight));
}
