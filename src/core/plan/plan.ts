/**
 * From a chain to a plan: every target in the order to try it, every candidate with its rank and, where it is left out,
 * the reason and the time it comes back (P-1 to P-5, P-7, G-2). Pure but for the turns it takes.
 */
import type { FailoverOptions } from '../failover/options.ts';
import type { Plan } from '../failover/plan-types.ts';
import type { LimitReader } from '../limits/limits.ts';
import type { Chain, ChainEntry } from '../request/chain.ts';
import type { Routing } from '../request/routing.ts';
import { type AffinityMemory, MAX_MARK } from './affinity.ts';
import type { CallableModel } from './callable.ts';
import { channelOrder, type OrderContext } from './channel-order.ts';
import {
  type Draft,
  type DraftContext,
  draftBarred,
  draftModel,
  type HealthReader,
  isChannelReady,
  plannedModel,
  type Row,
  type WorstCost,
} from './draft.ts';
import { requestPrivacy } from './guardrails.ts';
import type { MeasurementReader } from './measurements.ts';
import { healthyFirst, letOneThrough } from './model-order.ts';
import type { PlanCatalogue } from './plan-catalogue.ts';
import type { Turns } from './rotation.ts';
import type { WorkspaceView } from './workspace-view.ts';

/** What lives longer than a request. For a dry run: `rotation.standing()`, `affinity.standing()`. */
export interface PlanSources {
  readonly board: HealthReader;
  readonly rotation: Turns;
  readonly measurements: MeasurementReader;
  readonly affinity: AffinityMemory;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Absent = nothing is limited. */
  readonly limits?: LimitReader;
}

export interface PlanContext {
  /** Monotonic ms. */
  readonly now: number;
  /** Wall ms at `now`, for `availableAt`. */
  readonly wall: number;
  /** Whose BYOK credentials, channels, routing and guardrails hold. */
  readonly workspace: string;
  readonly options: FailoverOptions;
  /** Streams and whole answers are measured apart (P-2). */
  readonly stream: boolean;
  /** What the caller is known by, asked only where the routing keeps callers on their channel; null = nothing. */
  readonly callerMark?: (by: 'prompt_cache_key' | 'user') => string | null;
  /**
   * Given under `max_cost_usd` and for prepaid workspaces: a target whose price is unknown is left out, the others carry
   * their worst case (D-4, G-4).
   */
  readonly worstCost?: WorstCost | null;
}

/** Plans one request. The chain's models are known to be allowed (G-3 is checked when names are resolved). */
export function buildPlan(chain: Chain, catalogue: PlanCatalogue, sources: PlanSources, context: PlanContext): Plan {
  const { options, workspace } = context;
  const view = catalogue.view(workspace, chain.routing ?? null);
  const privacy = requestPrivacy(options.privacyLevel);
  const at: DraftContext = {
    now: context.now,
    wall: context.wall,
    board: sources.board,
    limits: sources.limits ?? null,
    credentials: [],
    rotation: sources.rotation,
    privacy,
    tooPrivate: privacy > view.privacy,
    worstCost: context.worstCost ?? null,
  };
  let barsDefault = false;
  const drafts = chain.entries.map((entry) => {
    const isDefault = entry.origin === 'default_model';
    // A virtual model's routing is that of its members.
    const from = isDefault && chain.routing ? catalogue.view(workspace) : view;
    const callable = from.model(entry.model);
    if (isDefault && barsDefault) return draftBarred(entry, callable);
    barsDefault ||= callable.byokOnly;
    return draftOrdered(entry, callable, from.routing, sources, context, at);
  });
  letOneThrough(drafts, options);
  const ordered = healthyFirst(drafts, options);

  let rank = 0;
  for (const { rows } of ordered) for (const row of rows) row.rank = ++rank;
  const models = ordered.map(plannedModel);
  const planned = ordered.length === 1 ? ordered[0]!.rows : ordered.flatMap(({ rows }) => rows);
  const candidates = chain.leftOut === undefined ? planned : [...planned, ...leftOutRows(chain.leftOut, view, rank)];
  return { snapshotVersion: catalogue.version, models, candidates, explicit: chain.explicit };
}

/** G-3: members of a virtual model that the key may not call are shown to admins (P-7); no turn of theirs comes. */
function leftOutRows(entries: readonly ChainEntry[], view: WorkspaceView, lastRank: number): Row[] {
  const rows = entries.flatMap((entry) => draftBarred(entry, view.model(entry.model), 'model_not_allowed').rows);
  rows.forEach((row, position) => {
    row.rank = lastRank + position + 1;
  });
  return rows;
}

function draftOrdered(
  entry: ChainEntry,
  callable: CallableModel,
  routing: Routing,
  sources: PlanSources,
  context: PlanContext,
  at: DraftContext,
): Draft {
  const { strategy, affinity } = routing;
  if (strategy === 'priority' && affinity === 'none') return draftModel(entry, callable, callable.channels, at);
  const order: OrderContext = {
    strategy,
    workspace: context.workspace,
    stream: context.stream,
    now: at.now,
    random: sources.random,
    rotation: sources.rotation,
    measurements: sources.measurements,
  };
  const caller = affinity === 'none' ? null : callerOf(entry, affinity, context);
  const stays = caller === null ? null : sources.affinity.channelOf(caller, at.now);
  const channels = channelOrder(callable, order, (channel) => isChannelReady(channel, at), stays);
  const draft = draftModel(entry, callable, channels, at);
  const first = draft.targets[0];
  if (caller !== null && first !== undefined && !first.throughOpenCircuit) {
    const chosen = callable.channels.find(({ channel }) => channel === first.target.channel);
    if (chosen !== undefined) sources.affinity.keep(caller, chosen.key, at.now);
  }
  return draft;
}

/** Workspace, model and mark; null = the request carries none. */
function callerOf(
  { name }: ChainEntry,
  by: 'prompt_cache_key' | 'user',
  { workspace, callerMark }: PlanContext,
): string | null {
  const mark = callerMark?.(by) ?? null;
  return mark === null || mark === '' || mark.length > MAX_MARK ? null : `${workspace}\u0000${name}\u0000${mark}`;
}
