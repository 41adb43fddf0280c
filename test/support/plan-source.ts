/** Configurations in short hand, for tests of planning: what the loader would make of them. */
import type { Limits } from '../../src/core/limits/limits.ts';
import { Affinity } from '../../src/core/plan/affinity.ts';
import type { HealthReader } from '../../src/core/plan/draft.ts';
import { Measurements } from '../../src/core/plan/measurements.ts';
import type { PlanSources } from '../../src/core/plan/plan.ts';
import type { PlanSource, SourceChannel, SourceGuardrails, SourceWorkspace } from '../../src/core/plan/plan-source.ts';
import { Rotation } from '../../src/core/plan/rotation.ts';
import type { Routing } from '../../src/core/request/routing.ts';

export interface CredentialSpec {
  readonly order?: number;
  /** Its owner; absent = a platform credential. */
  readonly workspace?: string;
  readonly limits?: Limits;
}

export interface ChannelSpec {
  /** Credential names; all defined in `credentials`. */
  readonly use?: readonly string[];
  readonly window?: number;
  readonly weight?: number;
  readonly region?: string;
  readonly privacy?: string;
  /** Input and output, nano-dollars per million tokens; null = unknown. */
  readonly price?: readonly [bigint | null, bigint | null];
  readonly limits?: Limits;
}

export interface WorkspaceSpec {
  readonly enabled?: readonly string[];
  readonly routing?: RoutingSpec;
  readonly guardrails?: Partial<SourceGuardrails>;
}

export interface RoutingSpec extends Partial<Omit<Routing, 'channels'>> {
  /** Model id → channel id. */
  readonly channels?: Readonly<
    Record<string, Readonly<Record<string, { readonly prefer?: boolean; readonly byokOnly?: boolean }>>>
  >;
}

export interface SourceSpec {
  readonly credentials?: Readonly<Record<string, CredentialSpec>>;
  /** By model and channel id; channels in order of priority. */
  readonly models: Readonly<Record<string, Readonly<Record<string, ChannelSpec>>>>;
  readonly reasoning?: readonly string[];
  /** Default: acme, other and third, which say nothing. */
  readonly workspaces?: Readonly<Record<string, WorkspaceSpec>>;
}

export function routingOf({ strategy = 'priority', affinity = 'none', channels = {} }: RoutingSpec = {}): Routing {
  const preferences = Object.entries(channels).map(([model, byChannel]) => {
    const said = Object.entries(byChannel).map(
      ([id, { prefer = false, byokOnly = false }]) => [id, { prefer, byokOnly }] as const,
    );
    return [model, new Map(said)] as const;
  });
  return { strategy, affinity, channels: new Map(preferences) };
}

export function workspaceOf({ enabled = ['*'], routing, guardrails = {} }: WorkspaceSpec = {}): SourceWorkspace {
  return {
    enabledChannels: enabled,
    routing: routingOf(routing),
    guardrails: {
      denyModels: [],
      denyChannels: [],
      allowRegions: null,
      denyRegions: [],
      maxPrivacy: null,
      ...guardrails,
    },
  };
}

/** What a plan is made from beside the configuration: nothing measured, nobody kept, no limits. */
export function planSources(board: HealthReader, change: Partial<PlanSources> = {}): PlanSources {
  return {
    board,
    rotation: new Rotation(),
    measurements: new Measurements(),
    affinity: new Affinity(),
    random: () => 0.5,
    ...change,
  };
}

const NOBODY_SPECIAL: NonNullable<SourceSpec['workspaces']> = { acme: {}, other: {}, third: {} };

export function planSource({ credentials = {}, models, reasoning = [], workspaces }: SourceSpec): PlanSource {
  const names = Object.keys(credentials);
  const channels: SourceChannel[] = [];
  const made = Object.entries(models).map(([id, specs], ix) => ({
    ix,
    id,
    contextWindow: 1000,
    capabilities: { features: reasoning.includes(id) ? ['tools', 'reasoning'] : null },
    price: null,
    channels: Object.entries(specs).map(([channelId, spec]) => {
      const channelIx = channels.length;
      channels.push({
        ix: channelIx,
        model: ix,
        id: channelId,
        healthKey: `${id}#${channelId}`,
        upstreamModel: `up-${id}`,
        contextWindow: spec.window ?? null,
        weight: spec.weight ?? 1,
        region: spec.region ?? null,
        maxPrivacy: spec.privacy ?? 'restricted',
        limits: spec.limits ?? null,
        ...(spec.price === undefined ? {} : { price: { input: spec.price[0], output: spec.price[1] } }),
        credentials: (spec.use ?? []).map((name) => names.indexOf(name)),
      });
      return channelIx;
    }),
  }));
  return {
    version: 7,
    models: made,
    channels,
    credentials: Object.entries(credentials).map(([name, { order = 0, workspace, limits }]) => ({
      name,
      kind: workspace === undefined ? 'platform' : 'byok',
      workspace: workspace ?? null,
      order,
      limits: limits ?? null,
    })),
    workspaces: new Map(
      Object.entries(workspaces ?? NOBODY_SPECIAL).map(([name, spec]) => [name, workspaceOf(spec)] as const),
    ),
  };
}
