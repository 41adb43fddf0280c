/** A request's record, made of what is known of it at its end (O-1). Reads what it is given, writes nothing. */

import type { GatewayError } from '../core/errors/gateway-error.ts';
import { packEvents } from '../core/failover/pack-events.ts';
import { type SplitSetup, splitSetup } from '../core/failover/split-setup.ts';
import { outcomeOf } from '../core/outcome.ts';
import type { Ending, JobLink, RecordDraft, StageRecord } from '../core/record.ts';
import { shownMs } from '../core/shown-ms.ts';
import type { ClientRequest } from '../dialects/contract.ts';
import { requestBill } from './attempt-bill.ts';
import { amountRecord, attemptRecord, candidateCodes, usageRecord } from './attempt-record.ts';
import type { AttemptTrace } from './attempt-trace.ts';
import { isoTime } from './iso-time.ts';
import type { Job } from './job.ts';
import { preparedFor } from './prepared.ts';
import type { Principal } from './principal.ts';
import type { RetryWatch } from './recognise-retry.ts';
import type { RelayResult } from './relay.ts';
import type { Identity } from './response-headers.ts';
import type { FailoverRun } from './run-failover.ts';

const NO_RETRY = { count: 0, how: null, callsBefore: 0 } as const;

/** What is known of a request so far; later stations add to it. Null = it has not come that far. */
export interface RequestFacts {
  readonly endpoint: string;
  readonly identity: Identity;
  /** The job it is a try of (E-4); null = somebody's own request. */
  readonly link: JobLink | null;
  /** On the clock that only goes forward, ms. */
  readonly startedAt: number;
  /** Wall ms. */
  readonly startedWall: number;
  principal: Principal | null;
  request: ClientRequest | null;
  watch: RetryWatch | null;
  job: Job | null;
  keyed: KeyedFacts | null;
  /** When its body was whole, and when its chain was chosen: ms as `startedAt`; 0 = not yet. */
  receivedAt: number;
  plannedAt: number;
}

/** What the record says of a request's key. */
export interface KeyedFacts {
  readonly key_hash: string;
  /** The key's state when this request ended. */
  state: string;
  readonly round: number;
  /** `owner` ran it, `joiner` and `replay` got what another request's run came to, `refused` got nothing. */
  readonly role: 'owner' | 'joiner' | 'replay' | 'refused';
  /** SHA-256 of the success it was given, hex; null = it was given none. */
  digest: string | null;
  /** Whose answer it was, of joiners and replays. */
  readonly original_request_id?: string;
}

/** How it ended; `run` and `result` null = nothing ran. */
export interface RequestEnd {
  readonly status: number;
  readonly ending: Ending;
  readonly error: GatewayError | null;
  readonly run: FailoverRun | null;
  readonly result: Pick<RelayResult, 'servedModel' | 'degradedReasons' | 'job'> | null;
}

/** The record as it is written; `now`: the clock's ms at the end. */
export function draftRecord(facts: RequestFacts, end: RequestEnd, now: number): RecordDraft {
  const { job, principal, request, identity } = facts;
  const { run, result, ending, error } = end;
  const traces = run?.traces ?? [];
  const calls = traces.filter(({ rehearsed }) => !rehearsed).length;
  const retry = retryOf(facts);
  const winner = shownTo(traces);
  const bill = requestBill(traces);
  // The last to start need not be the last to fail: a hedge that lost has no failure (D-8).
  const lastFailed = traces.findLast(({ failure }) => failure !== null);
  const lastFailure = run === null || refusedByUs(run) ? null : (lastFailed?.failure ?? null);
  return {
    id: identity.requestId,
    client_request_id: identity.clientRequestId,
    at: isoTime(facts.startedWall),
    workspace: principal?.workspace ?? 'default',
    key: principal?.key.name ?? null,
    endpoint: facts.endpoint,
    stream: request?.stream ?? false,
    requested_model: job?.chain.requestedModel ?? request?.model ?? null,
    virtual_model: job?.chain.virtual ?? null,
    served_model: result?.servedModel ?? null,
    chain: job === null ? [] : job.chain.entries.map((entry) => entry.name),
    policy: job?.options.policy ?? 'standard',
    status: end.status,
    outcome: outcomeOf({
      // A failure told inside a stream whose 200 had left is none the less a failure (T-11).
      status: error?.status ?? end.status,
      ending,
      errorCode: error?.code ?? null,
      failureClass: lastFailure?.class ?? null,
      maybeExecuted: lastFailure?.maybeExecuted ?? false,
      content: winner?.content ?? null,
    }),
    ending,
    error_code: error?.code ?? null,
    degraded: (result?.degradedReasons.length ?? 0) > 0,
    degraded_reasons: result?.degradedReasons ?? [],
    ...jobOf(facts.link, result),
    idempotency: facts.keyed,
    client_retry: { count: retry.count, how: retry.how, upstream_calls: retry.callsBefore + calls },
    upstream_calls: calls,
    latency_ms: shownMs(now - facts.startedAt),
    ttft_ms: winner?.attempt.readyAt == null ? null : shownMs(winner.attempt.readyAt - facts.startedAt),
    usage: usageRecord(bill.usage),
    cost_nano_usd: amountRecord(bill.cost),
    waste_nano_usd: amountRecord(bill.waste),
    snapshotVersion: job?.snapshot.version ?? 0,
    stages: stagesOf(facts, run, now),
    candidates: job === null || run === null ? [] : candidateCodes(job.plan, run),
    attempts: job === null ? [] : traces.map((trace) => attemptRecord(job, trace)),
    clamped: job?.options.clamped ?? [],
    events: run === null ? [] : packEvents(run.events),
    setup: setupOf(facts, run),
  };
}

/** D-7: a repeated key is a retry too. */
function retryOf({ watch, keyed }: RequestFacts): {
  readonly count: number;
  readonly how: string | null;
  readonly callsBefore: number;
} {
  const known = watch?.retry ?? NO_RETRY;
  if (known.count > 0 || keyed === null || keyed.role === 'refused') return known;
  const count = keyed.role === 'owner' ? keyed.round - 1 : keyed.round;
  return count === 0 ? known : { count, how: 'idempotency_key', callsBefore: known.callsBefore };
}

/** What a replay starts from. */
function setupOf({ job, principal }: RequestFacts, run: FailoverRun | null): SplitSetup | null {
  if (run === null || job === null || principal === null) return null;
  const rules = preparedFor(job.snapshot).rulesOf(principal.key);
  return splitSetup(run.setup, rules.defaultsFor(job.chain.virtual).options, job.planRecurs);
}

function stagesOf(facts: RequestFacts, run: FailoverRun | null, now: number): StageRecord[] {
  const received = facts.receivedAt === 0 ? now : facts.receivedAt;
  const stages: StageRecord[] = [{ name: 'receive', ms: shownMs(received - facts.startedAt) }];
  if (facts.plannedAt === 0 || run === null) return stages;
  const first = run.traces[0]?.attempt.startedAt ?? now;
  const shown = shownTo(run.traces)?.attempt.readyAt ?? now;
  stages.push(
    { name: 'plan', ms: shownMs(facts.plannedAt - received) },
    { name: 'admit', ms: shownMs(first - facts.plannedAt) },
    { name: 'upstream', ms: shownMs(shown - first), attempts: run.traces.length },
    { name: 'deliver', ms: shownMs(now - shown) },
  );
  return stages;
}

/** The attempt whose answer the client saw, whole or in part: of a cancelled one, if it had begun to show it (T-6). */
function shownTo(traces: readonly AttemptTrace[]): AttemptTrace | null {
  const answered = traces.find(({ result }) => result === 'served' || result === 'interrupted');
  return answered ?? traces.find(({ result, shown }) => result === 'cancelled' && shown) ?? null;
}

/** The gateway's own word ended it, whatever attempts had failed before (G-1). */
function refusedByUs({ state: { verdict } }: FailoverRun): boolean {
  return verdict?.kind === 'stopped' && verdict.failure.class === 'gateway_rejected';
}

function jobOf(
  link: JobLink | null,
  result: Pick<RelayResult, 'servedModel' | 'degradedReasons' | 'job'> | null,
): { readonly job?: JobLink } {
  if (link !== null) return { job: link };
  return result?.job === undefined ? {} : { job: { id: result.job, try: 0 } };
}
