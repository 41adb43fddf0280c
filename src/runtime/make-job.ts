/** From a read request to a job: chain, options, plan, all under the snapshot the request keeps (C, P). */
import type { Snapshot } from '../config/snapshot.ts';
import type { FailoverOptions } from '../core/failover/options.ts';
import type { PlannedTarget, Target } from '../core/failover/plan-types.ts';
import { checkRungs } from '../core/ladder/check-rungs.ts';
import type { WorstCost } from '../core/plan/draft.ts';
import { buildPlan, type PlanSources } from '../core/plan/plan.ts';
import { good, type Read } from '../core/request/read.ts';
import { readRehearsal } from '../core/request/rehearsal.ts';
import { resolveRequest } from '../core/request/resolve-request.ts';
import type { ClientRequest } from '../dialects/contract.ts';
import { boundPlan } from './bound-plan.ts';
import { isHome } from './bound-state.ts';
import { lacksEntitlement } from './entitle.ts';
import { Fitness } from './fitness.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import { isMeasuredAsStream } from './measured-call.ts';
import { checkNamedState } from './named-state.ts';
import { preparedFor } from './prepared.ts';
import type { Principal } from './principal.ts';
import type { Arrival } from './reception.ts';
import { RequestMoney } from './request-money.ts';
import { checkSuppliedUrls } from './supplied-urls.ts';

/**
 * The job of one request, or the error that refuses it. It keeps the snapshot it started with, names made on demand aside.
 * `sources`: what the plan asks and takes its turns from; a dry run's take none.
 */
export function makeJob(
  gateway: Gateway,
  arrival: Arrival,
  principal: Principal,
  request: ClientRequest,
  sources: PlanSources = gateway,
): Read<Job> {
  const { key } = principal;
  const { headers } = arrival.http;
  const started = arrival.snapshot;
  const named = (): string[] => namesIn(request, headers['x-understudy-models']);
  const snapshot = started.wildcards === undefined ? started : gateway.snapshotFor(named());
  const prepared = preparedFor(snapshot);
  const { catalogue } = prepared;
  const { codec, classic, crossesModels } = arrival.route;
  const rehearsal = readRehearsal(headers['x-understudy-rehearse'], key.allowRehearse);
  if (!rehearsal.ok) return rehearsal;
  const urls = checkSuppliedUrls(codec, request, snapshot.network);
  if (!urls.ok) return urls;
  const resolved = resolveRequest(request, headers, prepared.rulesOf(key), { crossesModels });
  if (!resolved.ok) return resolved;
  const { chain, options } = resolved.value;
  const ladder = checkRungs(options.onExhausted, snapshot.answers);
  if (!ladder.ok) return ladder;
  const money = new RequestMoney(snapshot, arrival.route, request, chain);
  const made = buildPlan(chain, catalogue, sources, {
    now: gateway.clock.now(),
    wall: gateway.clock.wall(),
    workspace: principal.workspace,
    options,
    stream: isMeasuredAsStream(request, options),
    callerMark: (by) => codec.callerMark(request, by),
    worstCost: costAsked(gateway, principal.workspace, snapshot, options, money),
  });
  const recurring = prepared.plans.find(made);
  const { home } = arrival;
  const bound = home == null ? null : boundPlan(made, isHome(snapshot, home));
  const plan = bound ?? recurring ?? made;
  const state = bound === null ? checkNamedState(codec, request, plan, snapshot) : good(null);
  if (!state.ok) return state;
  const byRank: PlannedTarget[] = [];
  for (const model of plan.models) for (const target of model.targets) byRank[target.rank] = target;
  const fitness = new Fitness(snapshot, { route: arrival.route, request, chain, options, plan });
  return good({
    identity: arrival.identity,
    workspace: principal.workspace,
    key,
    snapshot,
    route: arrival.route,
    codec,
    classic,
    request,
    chain,
    options,
    plan,
    planRecurs: bound === null && recurring !== null,
    rehearsal: rehearsal.value,
    clientHeaders: headers,
    planned: (rank) => byRank[rank]!,
    healthKeys: (target) => catalogue.keysOf(target),
    limitScopes: (target) => catalogue.limitsOf(target),
    money,
    unfit: (target) => fitness.of(target),
    lacksEntitlement: (target) => lacksEntitlement(gateway.entitlement, snapshot, target),
  });
}

/**
 * What planning asks of money (D-4, G-4): null = nobody does. A prepaid workspace's own credentials are paid for by its
 * own account at the provider, so only `max_cost_usd` asks what they cost.
 */
function costAsked(
  gateway: Gateway,
  workspace: string,
  { credentials }: Snapshot,
  { maxCostNanoUsd }: FailoverOptions,
  money: RequestMoney,
): WorstCost | null {
  if (maxCostNanoUsd !== null) return (target) => money.worstCost(target);
  if (!gateway.accounts.isPrepaid(workspace)) return null;
  const isOwn = ({ credential }: Target): boolean => credential !== null && credentials[credential]!.kind === 'byok';
  return (target) => (isOwn(target) ? undefined : money.worstCost(target));
}

/** A chain has at most three models (C-2), under any of their names; what comes later can only fail. */
const MAX_NAMES = 16;

/** The model names the request speaks of, valid or not: wildcards make the ones they cover. */
function namesIn(request: ClientRequest, header: string | string[] | undefined): string[] {
  const names = new Set<string>();
  if (request.model !== null) names.add(request.model);
  const fromHeader = typeof header === 'string' ? header.split(',').map((name) => name.trim()) : [];
  for (const list of [request.models, request.fallbackModels, fromHeader]) {
    if (!Array.isArray(list)) continue;
    for (const entry of list as unknown[]) {
      if (names.size >= MAX_NAMES) return [...names];
      if (typeof entry === 'string') names.add(entry);
      else if (typeof entry === 'object' && entry !== null && 'model' in entry && typeof entry.model === 'string') {
        names.add(entry.model);
      }
    }
  }
  return [...names];
}
