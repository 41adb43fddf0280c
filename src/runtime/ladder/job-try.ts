/**
 * One try of a queued request (E-4): a request like any other, planned anew (G-1), with a record of its own and nobody
 * waiting. The queue itself repeats, so no target is repeated inside a try (D-7, D-9).
 */
import { gatewayError } from '../../core/errors/catalogue.ts';
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import { NO_RUNGS } from '../../core/ladder/rungs.ts';
import { climbs } from '../../core/ladder/when.ts';
import { type LimitLease, LOW_PRIORITY_SHARE } from '../../core/limits/limit-board.ts';
import { limitError } from '../../core/limits/limit-error.ts';
import { good, type Read } from '../../core/request/read.ts';
import type { ClientRequest } from '../../dialects/contract.ts';
import type { JobOrder, JobResult, StoredJob } from '../../ports/job-store.ts';
import { requestBill, tokensOf } from '../attempt-bill.ts';
import { homeNamedBy } from '../bound-state.ts';
import { callerScopes } from '../caller-scopes.ts';
import { expectedUse } from '../expected-use.ts';
import type { Gateway } from '../gateway.ts';
import type { Job } from '../job.ts';
import { restError } from '../key-rests.ts';
import { tellCrossed } from '../limit-alerts.ts';
import { makeJob } from '../make-job.ts';
import { type Principal, principalOfKey } from '../principal.ts';
import { type Arrival, type DataRoute, LiveEntry } from '../reception.ts';
import { Relay } from '../relay.ts';
import { RequestLog } from '../request-log.ts';
import type { Identity } from '../response-headers.ts';
import { FailoverRun } from '../run-failover.ts';
import { isOf, LONGEST_WAIT_MS, waitMs } from './enqueue.ts';
import { JobDelivery } from './job-delivery.ts';
import type { TryEnd } from './job-queue.ts';

const NO_WATCH = { retry: { count: 0, how: null, callsBefore: 0 }, ended: () => undefined };
/** Where all targets rest: what is no word about when they are back, and how long such a try waits. */
const SHORT_MS = 2000;
const UNKNOWN_MS = 60_000;
/** How long a try waits that its caller's limits refuse without a promise. */
const LIMITED_MS = 5000;

/** `cuttable` gets what ends it when the process stops. */
export async function tryJob(
  gateway: Gateway,
  job: StoredJob,
  { order, route }: { readonly order: JobOrder; readonly route: DataRoute },
  cuttable: (cut: () => void) => void,
): Promise<TryEnd> {
  const arrival: Arrival = {
    route,
    http: { headers: order.headers },
    identity: { requestId: gateway.newId('req_'), clientRequestId: null },
    snapshot: gateway.snapshot(),
  };
  const log = new RequestLog(gateway, route.endpoint, arrival.identity, { id: job.id, try: job.tries });
  const refused = (error: GatewayError): TryEnd => {
    log.rejected(error);
    return { kind: 'failed', result: jobError(gateway, route, arrival.identity, error) };
  };
  const principal = principalOf(gateway, arrival, job);
  if (!principal.ok) return refused(principal.error);
  log.principal(principal.value);
  const request = route.codec.readRequest(order.body, order.place);
  if (!request.ok) return refused(request.error);
  log.received(request.value, NO_WATCH);
  const home = await homeNamedBy(gateway, route.codec, job.workspace, request.value);
  if (!home.ok) return later(gateway, job, home.error, jobError(gateway, route, arrival.identity, home.error));
  arrival.home = home.value;
  const rest = restError(gateway, job.key);
  if (rest?.code === 'api_key_banned') return refused(rest);
  const admitted: Read<LimitLease> =
    rest === null ? await admit(gateway, arrival, principal.value, request.value) : { ok: false, error: rest };
  if (!admitted.ok)
    return later(gateway, job, admitted.error, jobError(gateway, route, arrival.identity, admitted.error));
  const live = new LiveEntry(log);
  gateway.live.add(live);
  try {
    const made = makeJob(gateway, arrival, principal.value, request.value);
    if (!made.ok) return refused(made.error);
    return await run(gateway, job, bounded(made.value, job), { log, live, cuttable });
  } finally {
    leave(gateway, live, arrival.identity, admitted.value);
  }
}

/** A key that is gone, has moved or has expired calls nobody any more (G-1). */
function principalOf(gateway: Gateway, { snapshot }: Arrival, job: StoredJob): Read<Principal> {
  for (const key of snapshot.keys.values()) {
    if (!isOf(job, key)) continue;
    if (key.expiresAt === null || key.expiresAt > gateway.clock.wall()) return good(principalOfKey(key));
  }
  return { ok: false, error: gatewayError('invalid_api_key', 'the client key of this job is gone or has expired') };
}

/** Of the caller's limits the part that is left to what can wait. */
async function admit(
  gateway: Gateway,
  { snapshot, route }: Arrival,
  { key }: Principal,
  request: ClientRequest,
): Promise<Read<LimitLease>> {
  const scopes = callerScopes(snapshot, key);
  const expected = scopes.measured ? expectedUse(snapshot, route.codec, request) : { tokens: 0, cost: null };
  const wall = gateway.clock.wall();
  const share = scopes.limited.length > 0 ? LOW_PRIORITY_SHARE : 1;
  const answer = await gateway.limits.admit(scopes.all, expected, gateway.clock.now(), wall, share);
  return answer.ok ? good(answer.lease) : { ok: false, error: limitError(answer.scope, answer.reached, wall) };
}

/** Nobody was called: the try does not count. */
function later(gateway: Gateway, job: StoredJob, { retryAt }: GatewayError, result: JobResult): TryEnd {
  const wait = retryAt === null ? LIMITED_MS : Math.max(retryAt - gateway.clock.wall(), LIMITED_MS);
  return { kind: 'again', waitMs: Math.min(wait, LONGEST_WAIT_MS), costLeft: job.costLeft, counted: false, result };
}

/** The plan's options as far as the queue has its own: no repeats, no further ladder, what is left of the money (D-4). */
function bounded(job: Job, { costLeft }: StoredJob): Job {
  const { maxCostNanoUsd } = job.options;
  const cost = costLeft === null || maxCostNanoUsd === null ? maxCostNanoUsd : min(costLeft, maxCostNanoUsd);
  return { ...job, options: { ...job.options, retries: 0, onExhausted: NO_RUNGS, maxCostNanoUsd: cost } };
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

interface Running {
  readonly log: RequestLog;
  readonly live: LiveEntry;
  readonly cuttable: (cut: () => void) => void;
}

async function run(gateway: Gateway, stored: StoredJob, job: Job, { log, live, cuttable }: Running): Promise<TryEnd> {
  log.planned(job);
  const delivery = new JobDelivery();
  const relay = new Relay(gateway, job, delivery);
  const now = gateway.clock.now();
  const setup = {
    plan: job.plan,
    options: job.options,
    keyed: stored.ref !== null,
    actsUpstream: job.codec.actsUpstream(job.request),
    attemptOffset: 0,
    now,
  };
  const failover = new FailoverRun(gateway, job, setup, relay);
  live.running = { relay, run: failover };
  cuttable(() => relay.terminate(failover));
  failover.begin();
  const ended = await relay.result;
  log.finished(failover, ended);
  const result = { status: delivery.status, body: delivery.body, requestId: job.identity.requestId };
  if (ended.verdict.kind === 'served') return { kind: 'succeeded', result };
  if (ended.verdict.kind === 'client_closed') return { kind: 'cut' };
  const { error } = ended;
  if (error === null || !climbs(failover.state, error.code)) return { kind: 'failed', result };
  const { history, budgets } = failover.state;
  const called = history.length > 0;
  const wait = waitMs(gateway, job, stored.tries, error.retryAt, gateway.clock.wall());
  // Where all rest nobody was called; where nobody knows until when, it is not looked at all the time.
  return {
    kind: 'again',
    waitMs: called || wait > SHORT_MS ? wait : UNKNOWN_MS,
    costLeft: budgets.costLeft,
    counted: called,
    result,
  };
}

function leave(gateway: Gateway, live: LiveEntry, identity: Identity, lease: LimitLease): void {
  const bill = requestBill(live.running?.run.traces ?? []);
  const used = { tokens: tokensOf(bill.usage) ?? 0, cost: bill.cost };
  const crossed = gateway.limits.settle(lease, used, gateway.clock.now(), gateway.clock.wall());
  tellCrossed(gateway, crossed, identity.requestId);
  live.release();
  live.log = null;
  gateway.live.delete(live);
}

/** An error as the client would have got it. */
export function jobError(
  gateway: Pick<Gateway, 'clock'>,
  { codec, classic }: Pick<DataRoute, 'codec' | 'classic'>,
  { requestId }: Identity,
  error: GatewayError,
): JobResult {
  const { status, body } = codec.renderError(error, requestId, classic, gateway.clock.wall());
  return { status, body, requestId };
}
