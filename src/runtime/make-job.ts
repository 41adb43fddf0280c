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
  const snapshot = gateway.snapshotFor(namesIn(request, headers['x-understudy-models']));
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

/** Every model name the request speaks of, valid or not: wildcards make the ones they cover. */
function namesIn(request: ClientRequest, header: string | string[] | undefined): string[] {
  const names: string[] = [];
  if (request.model !== null) names.push(request.model);
  for (const list of [request.models, request.fallbackModels]) {
    if (!Array.isArray(list)) continue;
    for (const entry of list as unknown[]) {
      if (typeof entry === 'string') names.push(entry);
      else if (typeof entry === 'object' && entry !== null && 'model' in entry && typeof entry.model === 'string') {
        names.push(entry.model);
      }
    }
  }
  if (typeof header === 'string') names.push(...header.split(',').map((name) => name.trim()));
  return names;
}
