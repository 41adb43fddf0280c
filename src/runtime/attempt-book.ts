/**
 * The attempts of one run: starts them as the engine says, remembers what came of each, and settles what each held. The
 * driver asks; nothing is decided here.
 */
import type { AttemptRole, Decision, EngineAction } from '../core/failover/machine.ts';
import { type Failure, makeFailure } from '../core/failure.ts';
import type { ContentKind } from '../dialects/contract.ts';
import type { Admission } from './admission.ts';
import { raiseAlert } from './attempt-alert.ts';
import { billOf } from './attempt-bill.ts';
import { attemptSpec } from './attempt-spec.ts';
import { type AttemptTrace, attemptId } from './attempt-trace.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import { isMeasuredAsStream, measuredCall } from './measured-call.ts';
import { rehearsedTransport } from './rehearsal.ts';
import { Attempt, type AttemptListener } from './run-attempt.ts';

type StartAction = Extract<EngineAction, { readonly type: 'start-attempt' }>;
type AbortAction = Extract<EngineAction, { readonly type: 'abort-attempt' }>;

/** How a call ends that nobody breaks off. */
type Result = Exclude<AttemptTrace['result'], 'cancelled'>;

export class AttemptBook {
  /** Every attempt started, in order. */
  readonly traces: AttemptTrace[] = [];
  readonly #gateway: Gateway;
  readonly #job: Job;
  readonly #admission: Admission;
  readonly #live = new Map<number, AttemptTrace>();
  readonly #roles = new Map<number, AttemptRole>();
  readonly #attemptOffset: number;

  constructor(gateway: Gateway, job: Job, admission: Admission, attemptOffset: number) {
    this.#gateway = gateway;
    this.#job = job;
    this.#admission = admission;
    this.#attemptOffset = attemptOffset;
  }

  /** the first attempts of a rehearsal call nobody, take nothing and count for nothing (H-2). */
  isRehearsed(no: number): boolean {
    const { rehearsal } = this.#job;
    if (rehearsal === null) return false;
    const nth = no - this.#attemptOffset;
    return nth >= 1 && nth <= rehearsal.times;
  }

  /** The attempt of this number may start, in this role. */
  admitted(no: number, role: AttemptRole): void {
    this.#roles.set(no, role);
  }

  start({ attempt: no, rank, timeoutMs, firstTokenTimeoutMs }: StartAction, listener: AttemptListener): void {
    const planned = this.#job.planned(rank);
    const { spec, changes } = attemptSpec(this.#gateway, this.#job, planned, { no, timeoutMs, firstTokenTimeoutMs });
    const { clock, transport, measurements } = this.#gateway;
    const attempt = new Attempt(spec, clock, listener);
    const rehearsed = this.isRehearsed(no);
    const trace: AttemptTrace = {
      no,
      id: attemptId(this.#job.identity.requestId, no),
      planned,
      role: this.#roles.get(no) ?? 'first',
      rehearsed,
      changes,
      attempt,
      content: null,
      unwanted: null,
      failure: null,
      result: 'cancelled',
      bill: null,
      decision: 'stop',
      reason: '',
    };
    this.traces.push(trace);
    this.#live.set(no, trace);
    if (rehearsed) {
      attempt.start(rehearsedTransport(this.#job.rehearsal!, clock));
      return;
    }
    measurements.started(this.#channelOf(trace));
    attempt.start(transport);
  }

  /** The attempt of this number that is not over yet. */
  live(no: number): AttemptTrace | null {
    return this.#live.get(no) ?? null;
  }

  ready(no: number, content: ContentKind, unwanted: Failure | null): void {
    const trace = this.#live.get(no);
    if (trace === undefined) return;
    trace.content = content;
    trace.unwanted = unwanted;
  }

  /** Breaks a call off and writes down why. */
  abort({ attempt: no, why }: Pick<AbortAction, 'attempt' | 'why'>): void {
    const trace = this.#live.get(no);
    if (trace === undefined) return;
    const { phase } = trace.attempt;
    trace.attempt.abort();
    if (why === 'rejected') {
      this.ended(no, 'failed', trace.unwanted);
      return;
    }
    // F-2: what was sent and is not waited for may be carried out all the same.
    const maybeExecuted = phase !== 'unsent';
    const failure =
      why === 'client_closed'
        ? makeFailure({ class: 'client_closed', message: 'the client went away', phase, maybeExecuted })
        : null;
    this.#over(trace, 'cancelled', failure);
  }

  abortAll(): void {
    for (const no of [...this.#live.keys()]) this.abort({ attempt: no, why: 'client_closed' });
  }

  /** A call is over by itself; null = it was over already. */
  ended(no: number, result: Result, failure: Failure | null): AttemptTrace | null {
    const trace = this.#live.get(no);
    if (trace === undefined) return null;
    this.#over(trace, result, failure);
    return trace;
  }

  /** The last word on an attempt is what happened. */
  explain(no: number, decision: Decision, reason: string): void {
    const trace = this.#find(no);
    if (trace === undefined) return;
    trace.decision = decision;
    trace.reason = reason;
  }

  alert(no: number, failure: Failure): void {
    const trace = this.#find(no);
    if (trace?.rehearsed !== true) raiseAlert(this.#gateway, this.#job, trace?.planned.target ?? null, failure);
  }

  #find(no: number): AttemptTrace | undefined {
    return this.traces.find((candidate) => candidate.no === no);
  }

  #over(trace: AttemptTrace, result: AttemptTrace['result'], failure: Failure | null): void {
    this.#live.delete(trace.no);
    trace.result = result;
    trace.failure = failure;
    if (!trace.rehearsed) this.#measure(trace);
    trace.bill = billOf(this.#job, trace);
    this.#admission.settle(trace.no, result, failure, trace.bill);
  }

  /** Only a whole good answer says how fast its channel is (P-2). */
  #measure(trace: AttemptTrace): void {
    const { measurements, clock } = this.#gateway;
    const { request, options } = this.#job;
    const served = trace.result === 'served';
    const call = served ? measuredCall(trace.attempt, isMeasuredAsStream(request, options)) : null;
    measurements.ended(this.#channelOf(trace), call, clock.now());
  }

  /** A workspace's own server says nothing about the pace of the channel that all share. */
  #channelOf(trace: AttemptTrace): string {
    return this.#job.healthKeys(trace.planned.target).channel;
  }
}
