/** Writes down one request as it goes and hands the record over once (O-1). Never blocks, never fails a request. */

import type { GatewayError } from '../core/errors/gateway-error.ts';
import type { Ending, JobLink } from '../core/record.ts';
import type { ClientRequest } from '../dialects/contract.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import { observeKey } from './key-rests.ts';
import type { Principal } from './principal.ts';
import type { RetryWatch } from './recognise-retry.ts';
import type { RelayResult } from './relay.ts';
import { draftRecord, type KeyedFacts, type RequestEnd, type RequestFacts } from './request-draft.ts';
import type { Identity } from './response-headers.ts';
import type { FailoverRun } from './run-failover.ts';

const GOOD: ReadonlySet<Ending> = new Set(['served', 'joined', 'replayed']);

/** How a request ended that another one's run has answered. */
export interface FollowedEnd {
  readonly status: number;
  readonly ending: Ending;
  readonly error: GatewayError | null;
  readonly servedModel: string | null;
  readonly degradedReasons: readonly string[];
}

/** Gathers what is known of one request and writes its record once, whichever end is told first (O-1). */
export class RequestLog {
  readonly #gateway: Gateway;
  readonly #facts: RequestFacts;
  #written = false;

  /** `link`: it is a try of this job, made by nobody's request (E-4). */
  constructor(gateway: Gateway, endpoint: string, identity: Identity, link: JobLink | null = null) {
    this.#gateway = gateway;
    this.#facts = {
      endpoint,
      identity,
      link,
      startedAt: gateway.clock.now(),
      startedWall: gateway.clock.wall(),
      principal: null,
      request: null,
      watch: null,
      job: null,
      keyed: null,
      receivedAt: 0,
      plannedAt: 0,
    };
  }

  /** What is known so far. */
  get facts(): Readonly<RequestFacts> {
    return this.#facts;
  }

  /** Its record is on its way to the log. */
  get isWritten(): boolean {
    return this.#written;
  }

  principal(principal: Principal): void {
    this.#facts.principal = principal;
  }

  received(request: ClientRequest, watch: RetryWatch): void {
    this.#facts.request = request;
    this.#facts.watch = watch;
    this.#facts.receivedAt = this.#gateway.clock.now();
  }

  planned(job: Job): void {
    this.#facts.job = job;
    this.#facts.plannedAt = this.#gateway.clock.now();
  }

  /** It runs under a key; told before its end, and may change until then. */
  keyed(facts: KeyedFacts): void {
    this.#facts.keyed = facts;
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
    const draft = draftRecord(this.#facts, end, this.#gateway.clock.now());
    this.#gateway.metrics.observe(draft);
    this.#gateway.records.append(draft);
    const traceparent = this.#facts.identity.traceparent ?? null;
    for (const watcher of this.#gateway.watchers) watcher.observe(draft, traceparent);
    if (this.#facts.link === null && !this.#rehearsed(end.run)) observeKey(this.#gateway, draft);
    const how = end.ending === 'client_closed' ? 'left' : GOOD.has(end.ending) ? 'served' : 'failed';
    this.#facts.watch?.ended(how, draft.upstream_calls);
  }

  /** How such a request went says nothing about its key (H-2). */
  #rehearsed(run: FailoverRun | null): boolean {
    return run !== null && this.#facts.job?.rehearsal != null && run.traces.some(({ rehearsed }) => rehearsed);
  }
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
