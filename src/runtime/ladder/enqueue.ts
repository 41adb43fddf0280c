/** E-4's `queue`: the request becomes a job, durable before its client hears of it. */
import type { KeyEntry } from '../../config/snapshot.ts';
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import { backoffMs } from '../../core/failover/backoff.ts';
import type { FailoverState } from '../../core/failover/machine.ts';
import type { PolicyName } from '../../core/failover/policy.ts';
import { keyHashOf, scopeOf } from '../../core/idempotency/derive.ts';
import { fingerprintOf } from '../../core/idempotency/fingerprint.ts';
import type { StoredJob } from '../../ports/job-store.ts';
import { isForwarded } from '../../providers/headers.ts';
import type { Gateway } from '../gateway.ts';
import type { Job } from '../job.ts';

export interface Queued {
  readonly id: string;
  readonly status: JobStatus;
  readonly statusUrl: string;
}

export type JobStatus = 'processing' | 'succeeded' | 'failed';

export function statusOf({ state }: Pick<StoredJob, 'state'>): JobStatus {
  return state === 'succeeded' || state === 'failed' ? state : 'processing';
}

/** How long a job and its result can be asked for. */
export const JOB_LIFE_MS = 24 * 60 * 60 * 1000;
/** A provider may state hours: it is asked again before. */
export const LONGEST_WAIT_MS = 5 * 60 * 1000;

/**
 * The job is held until it is released or withdrawn. Null = there is no room, or nothing that could be done later. Rejects
 * with `StateStoreUnavailable`.
 */
export async function enqueue(
  gateway: Gateway,
  job: Job,
  {
    state,
    error,
    maxTries,
  }: { readonly state: FailoverState; readonly error: GatewayError; readonly maxTries: number },
): Promise<Queued | null> {
  const { options, route, request, key, workspace, identity, codec } = job;
  // A stream has nobody to flow to later. What the request may cost is used up: later is no cheaper. A form is not kept.
  if (request.stream || error.budget === 'cost' || request.upload !== undefined) return null;
  const path = gateway.ladder.jobs.pathOf(route);
  if (path === null) return null;
  const at = gateway.storeClock.wall();
  const id = gateway.newId('job_');
  const ref = refOf(job);
  const added = await gateway.ladder.jobs.add({
    id,
    workspace,
    key: key.name,
    keyHash: key.hash,
    requestId: identity.requestId,
    ref,
    maxTries,
    // D-10, D-11: under an idempotency key what may have been executed may be repeated.
    strict: ref === null && isStrict(options.policy, codec.actsUpstream(request)),
    costLeft: state.budgets.costLeft,
    at,
    dueAt: at + waitMs(gateway, job, 0, error.retryAt, gateway.clock.wall()),
    expiresAt: at + JOB_LIFE_MS,
    order: { path, place: request.place, headers: keptHeaders(job), body: request.view.bytes },
  });
  if (added === 'full') return null;
  if (added === 'added' || ref === null) return { id, status: 'processing', statusUrl: urlOf(id) };
  const known = await gateway.ladder.jobs.findByRef(ref);
  return known === null ? null : { id: known.id, status: statusOf(known), statusUrl: urlOf(known.id) };
}

function isStrict(policy: PolicyName, actsUpstream: boolean): boolean {
  return policy === 'strict' || (policy === 'standard' && actsUpstream);
}

/** A job belongs to the key that sent its request, not to whoever has a key of that name later. */
export function isOf(job: StoredJob, key: Pick<KeyEntry, 'name' | 'workspace' | 'hash'>): boolean {
  if (job.key !== key.name || job.workspace !== key.workspace) return false;
  return job.keyHash !== '' && key.hash.startsWith(job.keyHash);
}

export function urlOf(id: string): string {
  return `/v1/jobs/${id}`;
}

/** How long until the next try, ms: until something is known to be back, else D-3's backoff. */
export function waitMs(
  gateway: Gateway,
  { options }: Pick<Job, 'options'>,
  triesMade: number,
  retryAt: number | null,
  wall: number,
): number {
  const backoff = backoffMs(options.backoff, triesMade, gateway.random());
  const stated = retryAt === null ? 0 : retryAt - wall;
  // Whole milliseconds: instants in a store have no others.
  return Math.ceil(Math.min(Math.max(backoff, stated), LONGEST_WAIT_MS));
}

/** What a plan reads of a request's headers, and what its providers' rows pass on (G-10); the rest is not kept. */
function keptHeaders({ clientHeaders, snapshot }: Job): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(clientHeaders)) {
    if (typeof value !== 'string' || name === 'x-understudy-rehearse') continue;
    const passedOn = snapshot.channels.some(({ provider: { forwardHeaders } }) => isForwarded(forwardHeaders, name));
    if (passedOn || name.startsWith('x-understudy-')) kept[name] = value;
  }
  return kept;
}

/** One job per idempotency key and request (I-1); null = the request has no key. */
function refOf({ clientHeaders, key, workspace, route, request }: Job): string | null {
  const header = clientHeaders['idempotency-key'];
  if (typeof header !== 'string') return null;
  const { endpoint } = route;
  const scope = scopeOf({ by: key.idempotency.scope, key, workspace, endpoint });
  return `${keyHashOf(header)} ${scope} ${fingerprintOf({ endpoint, place: request.place, body: request.view.bytes })}`;
}
