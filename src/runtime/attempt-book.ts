/**
 * The attempts of one run: starts them as the engine says, remembers what came of each, and settles what each held. The
 * driver asks; nothing is decided here.
 */
import type { AttemptRole, CutAnswer, Decision, EngineAction } from '../core/failover/machine.ts';
import { type Failure, makeFailure } from '../core/failure.ts';
import type { ContentKind } from '../dialects/contract.ts';
import type { Admission } from './admission.ts';
import { raiseAlert } from './attempt-alert.ts';
import { billOf } from './attempt-bill.ts';
import { attemptSpec } from './attempt-spec.ts';
import { type AttemptTrace, attemptId } from './attempt-trace.ts';
import { cutAnswer } from './cut-answer.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import { isMeasuredAsStream, measuredCall } from './measured-call.ts';
import { gaveUpEarly } from './own-haste.ts';
import { rehearsedTransport } from './rehearsal.ts';
import { Attempt, type AttemptListener } from './run-attempt.ts';

type StartAction = Extract<EngineAction, { readonly type: 'start-attempt' }>;
type AbortAction = Extract<EngineAction, { readonly type: 'abort-attempt' }>;

/** How a call ends that nobody breaks off. */
type Result = Exclude<AttemptTrace['result'], 'cancelled' | 'late_success'>;

/** One per run. An attempt is in `traces` from its start on, whatever becomes of it. */
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

  start(action: StartAction, listener: AttemptListener): void {
    const { attempt: no } = action;
    const planned = this.#job.planned(action.rank);
    const { spec, changes, degrades, opaque } = attemptSpec(this.#gateway, this.#job, planned, action);
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
      degrades,
      opaque,
      attempt,
      content: null,
      unwanted: null,
      shown: false,
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

  /** There is something to show. Answers what the engine is to know of it if its length cut it off (D-5). */
  ready(no: number, content: ContentKind, unwanted: Failure | null): CutAnswer | null {
    const trace = this.#live.get(no);
    if (trace === undefined) return null;
    trace.content = content;
    trace.unwanted = unwanted;
    return cutAnswer(this.#job, trace);
  }

  /** Its answer flows from now on; null = it is over already. */
  shown(no: number): Attempt | null {
    const trace = this.#live.get(no);
    if (trace === undefined) return null;
    trace.shown = true;
    return trace.attempt;
  }

  /** D-5: the call is over; whether its answer is served is not known yet. */
  hold(no: number): void {
    const trace = this.#live.get(no);
    if (trace !== undefined) this.#admission.answered(no, billOf(this.#job, trace));
  }

  /** An attempt has shown a token, though nothing may be committed yet (T-9). */
  get hasToken(): boolean {
    for (const { attempt } of this.#live.values()) if (attempt.contentEvents > 0) return true;
    return false;
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

  #over(trace: AttemptTrace, result: Result | 'cancelled', failure: Failure | null): void {
    this.#live.delete(trace.no);
    trace.result = result;
    trace.failure = failure;
    if (!trace.rehearsed) this.#measure(trace);
    trace.bill = billOf(this.#job, trace);
    const blamed = gaveUpEarly(this.#job, trace.attempt) ? null : failure;
    this.#admission.settle(trace.no, result, blamed, trace.bill);
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
