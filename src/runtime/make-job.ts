/** From a read request to a job: chain, options, plan, all under the snapshot the request keeps (C, P). */
import type { KeyEntry } from '../config/snapshot.ts';
import type { PlannedTarget } from '../core/failover/plan-types.ts';
import { buildPlan } from '../core/plan/plan.ts';
import { resolveRequest } from '../core/request/resolve-request.ts';
import type { ClientRequest, Read } from '../dialects/contract.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import { preparedFor } from './prepared.ts';
import type { Reception } from './serve-request.ts';

export function makeJob(gateway: Gateway, reception: Reception, key: KeyEntry, request: ClientRequest): Read<Job> {
  const { headers } = reception.http;
  const current = gateway.snapshot();
  const wild = current.wildcards !== undefined;
  const snapshot = wild ? gateway.snapshotFor(namesIn(request, headers['x-understudy-models'])) : current;
  const { catalogue, rulesOf } = prepare(snapshot, key);
  const resolved = resolveRequest(request, headers, rulesOf);
  if (!resolved.ok) return resolved;
  const { chain, options } = resolved.value;
  const plan = buildPlan(chain, catalogue, gateway.board, {
    now: gateway.clock.now(),
    wall: gateway.clock.wall(),
    workspace: key.workspace,
    options,
    rotation: gateway.rotation,
  });
  const byRank: PlannedTarget[] = [];
  for (const model of plan.models) for (const target of model.targets) byRank[target.rank] = target;
  return {
    ok: true,
    value: {
      identity: reception.identity,
      snapshot,
      codec: reception.route.codec,
      upstreamPath: reception.route.upstreamPath,
      classic: reception.route.classic,
      request,
      chain,
      options,
      plan,
      clientHeaders: headers,
      planned: (rank) => byRank[rank]!,
      healthKeys: (target) => catalogue.keysOf(target),
    },
  };
}

function prepare(snapshot: ReturnType<Gateway['snapshot']>, key: KeyEntry) {
  const prepared = preparedFor(snapshot);
  return { catalogue: prepared.catalogue, rulesOf: prepared.rulesOf(key) };
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
