/**
 * Requests under way at this gateway, made visible when somebody asks: what is read is what a drain and the records go by
 * anyway, so a request that nobody looks at pays nothing for it.
 */
import type { JobLink, RequestRecord } from '../core/record.ts';
import { shownMs } from '../core/shown-ms.ts';
import type { Gateway } from './gateway.ts';
import { isoTime } from './iso-time.ts';
import { LiveEntry } from './reception.ts';
import type { RequestFacts } from './request-draft.ts';
import type { FailoverRun } from './run-failover.ts';
import { attemptView, growingAttempt, type RunningAttempt } from './running-attempt.ts';

/** How far a request has come. */
export const RUNNING_STATES = [
  'receiving',
  'admitting',
  'joined',
  'running',
  'waiting',
  'answering',
  'ending',
  'finished',
] as const;
type RunningState = (typeof RUNNING_STATES)[number];

export interface RunningRequest {
  readonly id: string;
  readonly client_request_id: string | null;
  readonly state: RunningState;
  readonly at: string;
  readonly elapsed_ms: number;
  readonly workspace: string | null;
  readonly key: string | null;
  readonly endpoint: string;
  readonly stream: boolean;
  readonly requested_model: string | null;
  readonly virtual_model: string | null;
  readonly chain: readonly string[];
  readonly policy: string | null;
  /** A try of this job (E-4); null = somebody's own request. */
  readonly job: JobLink | null;
  readonly attempts: readonly RunningAttempt[];
}

/** Requests shown at most: somebody who watches reads no more, and an answer must not grow with the load. */
const MOST_SHOWN = 200;
/** Longest name shown: what a client wrote where a model's name belongs may be megabytes. */
const NAME_CHARS = 256;

/** What is under way of a request, as far as it is known. */
interface Known {
  readonly facts: Readonly<RequestFacts>;
  readonly run: FailoverRun | null;
}

type Place = Pick<Gateway, 'live' | 'clock'>;

/** The newest of the workspace's, newest first, and how many there are; null = of all workspaces. */
export function runningRequests(
  { live, clock }: Place,
  scope: string | null,
): { readonly data: RunningRequest[]; readonly total: number } {
  const known: Known[] = [];
  for (const entry of live) {
    const one = knownOf(entry);
    if (one !== null && isOf(scope, one)) known.push(one);
  }
  const now = clock.now();
  const newest = known.slice(-MOST_SHOWN).reverse();
  return { data: newest.map((one) => viewOf(one, now)), total: known.length };
}

/** The newest of this id or client's id; null = nothing of it runs here. */
export function runningRequest({ live, clock }: Place, id: string, scope: string | null): RunningRequest | null {
  let found: Known | null = null;
  for (const entry of live) {
    const one = knownOf(entry);
    if (one === null || !isOf(scope, one)) continue;
    const { requestId, clientRequestId } = one.facts.identity;
    if (requestId === id) return viewOf(one, clock.now());
    if (clientRequestId === id) found = one;
  }
  return found === null ? null : viewOf(found, clock.now());
}

/** One that is over, in the same shape: who watches sees no gap. */
export function finishedRequest(record: RequestRecord): RunningRequest {
  const { id, client_request_id, at, workspace, key, endpoint, stream } = record;
  const { requested_model, virtual_model, chain, policy, job } = record;
  return {
    id,
    client_request_id,
    state: 'finished',
    at,
    elapsed_ms: record.latency_ms,
    workspace,
    key,
    endpoint,
    stream,
    requested_model,
    virtual_model,
    chain,
    policy,
    job: job ?? null,
    attempts: record.attempts.map((attempt) => attemptView(attempt, attempt.result)),
  };
}

function knownOf(entry: object): Known | null {
  if (!(entry instanceof LiveEntry) || entry.log === null || entry.log.isWritten) return null;
  return { facts: entry.log.facts, run: entry.running?.run ?? null };
}

/** Whose it is may not be known yet: then it is nobody's but the account's. */
function isOf(scope: string | null, { facts }: Known): boolean {
  return scope === null || facts.principal?.workspace === scope;
}

function viewOf(known: Known, now: number): RunningRequest {
  const { facts, run } = known;
  const { identity, principal, request, job } = facts;
  return {
    id: identity.requestId,
    client_request_id: identity.clientRequestId,
    state: stateOf(known),
    at: isoTime(facts.startedWall),
    elapsed_ms: shownMs(now - facts.startedAt),
    workspace: principal?.workspace ?? null,
    key: principal?.key.name ?? null,
    endpoint: facts.endpoint,
    stream: request?.stream ?? false,
    requested_model: cut(job?.chain.requestedModel ?? request?.model ?? null),
    virtual_model: job?.chain.virtual ?? null,
    chain: job?.chain.entries.map(({ name }) => name) ?? [],
    policy: job?.options.policy ?? null,
    job: facts.link,
    attempts: job === null || run === null ? [] : run.traces.map((trace) => growingAttempt(job, trace, now)),
  };
}

function cut(name: string | null): string | null {
  return name === null || name.length <= NAME_CHARS ? name : `${name.slice(0, NAME_CHARS)}…`;
}

function stateOf({ facts, run }: Known): RunningState {
  if (run === null) {
    if (facts.request === null) return 'receiving';
    return facts.keyed?.role === 'joiner' || facts.keyed?.role === 'replay' ? 'joined' : 'admitting';
  }
  switch (run.state.phase) {
    case 'waiting':
      return 'waiting';
    case 'committed':
      return 'answering';
    case 'done':
      return 'ending';
    default:
      return 'running';
  }
}
