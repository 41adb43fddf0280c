/**
 * Which targets each workspace has, prepared once per configuration: order, owners, health and limit names are worked
 * out here, so that planning a request only asks who is well.
 */
import type { Target } from '../failover/plan-types.ts';
import { type HealthKeys, healthKeys } from '../health/keys.ts';
import type { LimitScope } from '../limits/limits.ts';
import { modelMatcher } from '../request/allowed-models.ts';
import type { Routing } from '../request/routing.ts';
import type { CallableModel, CallableTarget } from './callable.ts';
import { compileGuardrails, NO_GUARDRAILS } from './guardrails.ts';
import type { PlanSource, SourceChannel, SourceWorkspace } from './plan-source.ts';
import { type Viewer, type ViewSource, WorkspaceView } from './workspace-view.ts';

/** A workspace as it is looked up: its own view, and those of its virtual models' routings. */
interface Known {
  readonly viewer: Viewer;
  readonly own: WorkspaceView;
  readonly byRouting: Map<Routing, WorkspaceView>;
}

/** Channel id → what is wanted of it. */
type Preferences = ReadonlyMap<string, { readonly prefer: boolean; readonly byokOnly: boolean }>;

const NO_SCOPES: LimitScope[] = [];
const PLAIN_ROUTING: Routing = { strategy: 'priority', affinity: 'none', channels: new Map() };

export class PlanCatalogue {
  readonly version: number;
  readonly #from: ViewSource;
  /** Workspaces with credentials of their own. */
  readonly #owners: ReadonlySet<string | null>;
  readonly #workspaces = new Map<string, Known>();
  /** Workspaces that see the same share what they see. */
  readonly #plainViewer: Viewer = { owner: null, enabled: modelMatcher(['*']), guardrails: NO_GUARDRAILS };
  readonly #plainModels: (CallableModel | undefined)[] = [];

  constructor(source: PlanSource) {
    this.version = source.version;
    const credentialScopes = source.credentials.map(({ name, limits }): LimitScope | null =>
      limits === null ? null : { kind: 'credential', id: name, limits },
    );
    const targets = source.channels.map((channel) => targetsOf(source, channel, credentialScopes));
    this.#from = { source, targets };
    this.#owners = new Set(source.credentials.map(({ workspace }) => workspace));
  }

  /** What a workspace may call; `routing`: a virtual model's own, null = the workspace's. */
  view(workspace: string, routing: Routing | null = null): WorkspaceView {
    let known = this.#workspaces.get(workspace);
    if (known === undefined) {
      known = this.#learn(workspace);
      this.#workspaces.set(workspace, known);
    }
    if (routing === null) return known.own;
    let view = known.byRouting.get(routing);
    if (view === undefined) {
      view = this.#viewOf(known.viewer, over(routing, known.own.routing));
      known.byRouting.set(routing, view);
    }
    return view;
  }

  /** The health names of a target of this configuration. */
  keysOf(target: Target): HealthKeys {
    return this.#find(target).keys;
  }

  /** The limits that count a call of this target: its channel's and its credential's (P-4). */
  limitsOf(target: Target): readonly LimitScope[] {
    return this.#find(target).scopes;
  }

  /** The names of all targets, whoever may call them: what the health board lists (H-3). */
  allKeys(): HealthKeys[] {
    return this.#from.targets.flatMap((targets) => targets.map(({ keys }) => keys));
  }

  #find(target: Target): CallableTarget {
    const found = this.#from.targets[target.channel]?.find((known) => known.target.credential === target.credential);
    if (found === undefined) throw new RangeError('a target of another configuration');
    return found;
  }

  /** One nobody knows may use nothing of the operator's. */
  #learn(workspace: string): Known {
    const said = this.#from.source.workspaces.get(workspace);
    const viewer = this.#viewerOf(workspace, said);
    return { viewer, own: this.#viewOf(viewer, said?.routing ?? PLAIN_ROUTING), byRouting: new Map() };
  }

  #viewerOf(workspace: string, said: SourceWorkspace | undefined): Viewer {
    const owner = this.#owners.has(workspace) ? workspace : null;
    const guardrails = said === undefined ? NO_GUARDRAILS : compileGuardrails(said.guardrails);
    const everything = said?.enabledChannels.includes('*') === true;
    if (owner === null && everything && guardrails === NO_GUARDRAILS) return this.#plainViewer;
    return { owner, enabled: modelMatcher(said?.enabledChannels ?? []), guardrails };
  }

  #viewOf(viewer: Viewer, routing: Routing): WorkspaceView {
    const plain = viewer === this.#plainViewer && routing.channels.size === 0;
    return new WorkspaceView(this.#from, viewer, routing, plain ? this.#plainModels : []);
  }
}

/**
 * A virtual model's routing over its workspace's: what it says of a model's channels holds, but a restriction to the
 * workspace's own credentials is never lifted by it (P-3).
 */
function over(routing: Routing, workspace: Routing): Routing {
  if (workspace.channels.size === 0) return routing;
  const channels = new Map(workspace.channels);
  for (const [model, said] of routing.channels) channels.set(model, restricted(said, workspace.channels.get(model)));
  return { ...routing, channels };
}

function restricted(said: Preferences, workspace: Preferences | undefined): Preferences {
  const kept = new Map(said);
  for (const [channel, { byokOnly }] of workspace ?? []) {
    if (byokOnly) kept.set(channel, { prefer: said.get(channel)?.prefer ?? false, byokOnly });
  }
  return kept;
}

function targetsOf(
  source: PlanSource,
  channel: SourceChannel,
  ofCredentials: readonly (LimitScope | null)[],
): CallableTarget[] {
  const credentials = channel.credentials.length === 0 ? [null] : channel.credentials;
  const model = source.models[channel.model]!;
  const own: LimitScope[] =
    channel.limits === null ? NO_SCOPES : [{ kind: 'channel', id: channel.healthKey, limits: channel.limits }];
  return credentials.map((credential) => {
    const limits = credential === null ? null : ofCredentials[credential]!;
    const ownAddress = credential !== null && source.credentials[credential]!.baseUrl != null;
    return {
      target: { model: channel.model, channel: channel.ix, credential },
      keys: healthKeys({
        model: model.id,
        channelId: channel.id,
        channel: channel.healthKey,
        credential: credential === null ? null : source.credentials[credential]!.name,
        upstreamModel: channel.upstreamModel,
        ownAddress,
      }),
      ownAddress,
      contextWindow: channel.contextWindow ?? model.contextWindow,
      limits,
      scopes: limits === null ? own : [...own, limits],
    };
  });
}
