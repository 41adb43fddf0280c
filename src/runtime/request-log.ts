/** Writes down one request as it goes and hands the record over once (O-1). Never blocks, never fails a request. */

import type { GatewayError } from '../core/errors/gateway-error.ts';
import { storedEvents } from '../core/failover/replay.ts';
import { type SplitSetup, splitSetup } from '../core/failover/split-setup.ts';
import { outcomeOf } from '../core/outcome.ts';
import type { Ending, JobLink, RecordDraft, StageRecord } from '../core/record.ts';
import { shownMs } from '../core/shown-ms.ts';
import type { ClientRequest } from '../dialects/contract.ts';
import { requestBill } from './attempt-bill.ts';
import { amountRecord, attemptRecord, candidateCodes, usageRecord } from './attempt-record.ts';
import type { AttemptTrace } from './attempt-trace.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import { observeKey } from './key-rests.ts';
import { preparedFor } from './prepared.ts';
import type { Principal } from './principal.ts';
import type { RetryWatch } from './recognise-retry.ts';
import type { RelayResult } from './relay.ts';
import type { Identity } from './response-headers.ts';
import type { FailoverRun } from './run-failover.ts';

const GOOD: ReadonlySet<Ending> = new Set(['served', 'joined', 'replayed']);
const NO_RETRY = { count: 0, how: null, callsBefore: 0 } as const;

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

/** How a request ended that another one's run has answered. */
export interface FollowedEnd {
  readonly status: number;
  readonly ending: Ending;
  readonly error: GatewayError | null;
  readonly servedModel: string | null;
  readonly degradedReasons: readonly string[];
}

interface RequestEnd {
  readonly status: number;
  readonly ending: Ending;
  readonly error: GatewayError | null;
  readonly run: FailoverRun | null;
  readonly result: Pick<RelayResult, 'servedModel' | 'degradedReasons' | 'job'> | null;
}

export class RequestLog {
  readonly #gateway: Gateway;
  readonly #endpoint: string;
  readonly #identity: Identity;
  readonly #link: JobLink | null;
  readonly #startedAt: number;
  readonly #startedWall: number;
  #principal: Principal | null = null;
  #request: ClientRequest | null = null;
  #watch: RetryWatch | null = null;
  #job: Job | null = null;
  #keyed: KeyedFacts | null = null;
  #receivedAt = 0;
  #plannedAt = 0;
  #written = false;

  /** `job`: it is a try of this job, made by nobody's request (E-4). */
  constructor(gateway: Gateway, endpoint: string, identity: Identity, job: JobLink | null = null) {
    this.#link = job;
    this.#gateway = gateway;
    this.#endpoint = endpoint;
    this.#identity = identity;
    this.#startedAt = gateway.clock.now();
    this.#startedWall = gateway.clock.wall();
  }

  principal(principal: Principal): void {
    this.#principal = principal;
  }

  received(request: ClientRequest, watch: RetryWatch): void {
    this.#request = request;
    this.#watch = watch;
    this.#receivedAt = this.#gateway.clock.now();
  }

  planned(job: Job): void {
    this.#job = job;
    this.#plannedAt = this.#gateway.clock.now();
  }

  /** It runs under a key; told before its end, and may change until then. */
  keyed(facts: KeyedFacts): void {
    this.#keyed = facts;
  }

  /** Its answer was another request's (I-4, I-6). */
  followed({ status, ending, error, ...result }: FollowedEnd): void {
    this.#write({ status, ending, error, run: null, result });
  }

  /** Its client left; the run went on without it, or ended for it (T-6). */
  finishedAlone(run: FailoverRun, result: RelayResult): void {
    this.#write({ status: 499, ending: 'client_closed', error: null, run, result });
  }

  /** Refused before any attempt. */
  rejected(error: GatewayError): void {
    this.#write({ status: error.status, ending: 'rejected', error, run: null, result: null });
  }

  /** The client went away before its request was whole. */
  clientLeft(): void {
    this.#write({ status: 499, ending: 'client_closed', error: null, run: null, result: null });
  }

  finished(run: FailoverRun, result: RelayResult): void {
    this.#write({
      status: result.status,
      ending: result.ending ?? endingOf(run, result),
      error: result.error,
      run,
      result,
    });
  }

  #write(end: RequestEnd): void {
    if (this.#written) return;
    this.#written = true;
    const draft = this.#draft(end);
    this.#gateway.metrics.observe(draft);
    this.#gateway.records.append(draft);
    if (this.#link === null && !this.#rehearsed(end.run)) observeKey(this.#gateway, draft);
    const how = end.ending === 'client_closed' ? 'left' : GOOD.has(end.ending) ? 'served' : 'failed';
    this.#watch?.ended(how, draft.upstream_calls);
  }

  /** D-7: a repeated key is a retry too. */
  #retry(): { readonly count: number; readonly how: string | null; readonly callsBefore: number } {
    const known = this.#watch?.retry ?? NO_RETRY;
    const keyed = this.#keyed;
    if (known.count > 0 || keyed === null || keyed.role === 'refused') return known;
    const count = keyed.role === 'owner' ? keyed.round - 1 : keyed.round;
    return count === 0 ? known : { count, how: 'idempotency_key', callsBefore: known.callsBefore };
  }

  /** How such a request went says nothing about its key (H-2). */
  #rehearsed(run: FailoverRun | null): boolean {
    return run !== null && this.#job?.rehearsal != null && run.traces.some(({ rehearsed }) => rehearsed);
  }

  #draft(end: RequestEnd): RecordDraft {
    const now = this.#gateway.clock.now();
    const { run, result, ending, error } = end;
    const job = this.#job;
    const traces = run?.traces ?? [];
    const calls = traces.filter(({ rehearsed }) => !rehearsed).length;
    const retry = this.#retry();
    const winner = shownTo(traces);
    const bill = requestBill(traces);
    // The last to start need not be the last to fail: a hedge that lost has no failure (D-8).
    const lastFailed = traces.findLast(({ failure }) => failure !== null);
    const lastFailure = run === null || refusedByUs(run) ? null : (lastFailed?.failure ?? null);
    return {
      id: this.#identity.requestId,
      client_request_id: this.#identity.clientRequestId,
      at: new Date(this.#startedWall).toISOString(),
      workspace: this.#principal?.workspace ?? 'default',
      key: this.#principal?.key.name ?? null,
      endpoint: this.#endpoint,
      stream: this.#request?.stream ?? false,
      requested_model: job?.chain.requestedModel ?? this.#request?.model ?? null,
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
      ...jobOf(this.#link, result),
      idempotency: this.#keyed,
      client_retry: { count: retry.count, how: retry.how, upstream_calls: retry.callsBefore + calls },
      upstream_calls: calls,
      latency_ms: shownMs(now - this.#startedAt),
      ttft_ms: winner?.attempt.readyAt == null ? null : shownMs(winner.attempt.readyAt - this.#startedAt),
      usage: usageRecord(bill.usage),
      cost_nano_usd: amountRecord(bill.cost),
      waste_nano_usd: amountRecord(bill.waste),
      snapshotVersion: job?.snapshot.version ?? 0,
      stages: this.#stages(now, run),
      candidates: job === null || run === null ? [] : candidateCodes(job.plan, run),
      attempts: job === null ? [] : traces.map((trace) => attemptRecord(job, trace)),
      clamped: job?.options.clamped ?? [],
      events: run === null ? [] : storedEvents(run.events),
      setup: this.#setup(run),
    };
  }

  /** What a replay starts from. */
  #setup(run: FailoverRun | null): SplitSetup | null {
    if (run === null || this.#job === null || this.#principal === null) return null;
    const rules = preparedFor(this.#job.snapshot).rulesOf(this.#principal.key);
    return splitSetup(run.setup, rules.defaultsFor(this.#job.chain.virtual).options);
  }

  #stages(now: number, run: FailoverRun | null): StageRecord[] {
    const received = this.#receivedAt === 0 ? now : this.#receivedAt;
    const stages: StageRecord[] = [{ name: 'receive', ms: shownMs(received - this.#startedAt) }];
    if (this.#plannedAt === 0 || run === null) return stages;
    const first = run.traces[0]?.attempt.startedAt ?? now;
    const shown = shownTo(run.traces)?.attempt.readyAt ?? now;
    stages.push(
      { name: 'plan', ms: shownMs(this.#plannedAt - received) },
      { name: 'admit', ms: shownMs(first - this.#plannedAt) },
      { name: 'upstream', ms: shownMs(shown - first), attempts: run.traces.length },
      { name: 'deliver', ms: shownMs(now - shown) },
    );
    return stages;
  }
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

function endingOf(run: FailoverRun, result: RelayResult): Ending {
  switch (result.verdict.kind) {
    case 'served':
      return 'served';
    case 'interrupted':
      return 'interrupted';
    case 'client_closed':
      // A drain's end is an interruption of ours, not the client's leaving.
      return result.error === null ? 'client_closed' : 'interrupted';
    case 'all_resting':
      return 'rejected';
    case 'stopped':
      // Refused by the gateway itself before any call.
      return run.traces.length === 0 ? 'rejected' : 'failed';
    default:
      return 'failed';
  }
}
