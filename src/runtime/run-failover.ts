/**
 * Drives `decide`: turns what happens into events, carries out the actions, and holds no policy of its own. One
 * instance per request.
 */
import { decide, initialState, type RunSetup } from '../core/failover/decide.ts';
import type {
  AttemptRole,
  Decision,
  EngineAction,
  EngineEvent,
  FailoverState,
  Verdict,
} from '../core/failover/machine.ts';
import { type Failure, makeFailure } from '../core/failure.ts';
import type { NanoUsd } from '../core/usage/usage.ts';
import type { ContentKind } from '../dialects/contract.ts';
import type { Cancel } from '../ports/clock.ts';
import { Admission, type AdmitAction, type Answer } from './admission.ts';
import { billOf } from './attempt-bill.ts';
import { attemptSpec } from './attempt-spec.ts';
import { type AttemptTrace, attemptId } from './attempt-trace.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import { isMeasuredAsStream, measuredCall } from './measured-call.ts';
import { rehearsedTransport } from './rehearsal.ts';
import { Attempt, type AttemptListener } from './run-attempt.ts';

/** What the engine's driver needs of the client's side; `relay.ts` provides it. */
export interface FailoverClient {
  /** The winner: open the response and let it flow. Whole answers end here. */
  committed(run: FailoverRun, attempt: Attempt): void;
  bytes(attempt: Attempt, bytes: Uint8Array): boolean;
  /** The end, once. */
  finished(run: FailoverRun, verdict: Verdict): void;
  /** A fault of the gateway's own, also one inside `finished`: the last that is heard. */
  crashed(run: FailoverRun): void;
}

type EventBody = EngineEvent extends infer E
  ? E extends EngineEvent
    ? Omit<E, 'now' | 'wall' | 'random'>
    : never
  : never;

const NO_COST = {};

export class FailoverRun implements AttemptListener {
  state: FailoverState;
  readonly setup: RunSetup;
  readonly traces: AttemptTrace[] = [];
  /** As they were decided upon: enough to run `decide` again (replay). */
  readonly events: EngineEvent[] = [];

  readonly #gateway: Gateway;
  readonly #job: Job;
  readonly #client: FailoverClient;
  readonly #admission: Admission;
  readonly #live = new Map<number, AttemptTrace>();
  readonly #queue: EventBody[] = [];
  readonly #roles = new Map<number, AttemptRole>();
  #dispatching = false;
  #cancelWait: Cancel | null = null;
  #finished = false;

  constructor(gateway: Gateway, job: Job, setup: RunSetup, client: FailoverClient) {
    this.#gateway = gateway;
    this.#job = job;
    this.#client = client;
    this.#admission = new Admission(gateway, job);
    this.setup = setup;
    this.state = initialState(setup);
  }

  begin(): void {
    this.#dispatch({ type: 'begin' });
  }

  /** The client went away; `detach` lets the run go on for others (T-6). */
  clientGone(detach: boolean): void {
    this.#dispatch({ type: 'client-gone', detach });
  }

  // --- what attempts tell ---

  attemptReady(attempt: Attempt, content: ContentKind, failure: Failure | null): void {
    const trace = this.#live.get(attempt.no);
    if (trace !== undefined) {
      trace.content = content;
      trace.unwanted = failure;
    }
    this.#dispatch({ type: 'attempt-ready', attempt: attempt.no, content, failure });
  }

  attemptFailed(attempt: Attempt, told: Failure): void {
    const failure = this.#guarded(attempt, told);
    const trace = this.#ended(attempt.no, 'failed', failure);
    this.#dispatch({ type: 'attempt-failed', attempt: attempt.no, failure, ...this.#costOf(trace) });
  }

  attemptBytes(attempt: Attempt, bytes: Uint8Array): boolean {
    return this.#client.bytes(attempt, bytes);
  }

  attemptCompleted(attempt: Attempt): void {
    const trace = this.#ended(attempt.no, 'served', null);
    this.#dispatch({ type: 'attempt-completed', attempt: attempt.no, ...this.#costOf(trace) });
  }

  attemptInterrupted(attempt: Attempt, told: Failure): void {
    const failure = this.#guarded(attempt, told);
    const trace = this.#ended(attempt.no, 'interrupted', failure);
    this.#dispatch({ type: 'attempt-interrupted', attempt: attempt.no, failure, ...this.#costOf(trace) });
  }

  attemptCrashed(_attempt: Attempt, error: unknown): void {
    this.#crash(error);
  }

  /** Ids and headers go into the record as the upstream wrote them, unless it wrote a secret of ours (E-5). */
  #guarded(attempt: Attempt, failure: Failure): Failure {
    const { requestId, rateLimitHeaders } = failure;
    if (requestId === null && rateLimitHeaders === null) return failure;
    const guard = (text: string): string => attempt.guarded(text);
    const pairs = Object.entries(rateLimitHeaders ?? {}).map(([name, value]) => [guard(name), guard(value)]);
    return {
      ...failure,
      requestId: requestId === null ? null : guard(requestId),
      rateLimitHeaders: rateLimitHeaders === null ? null : Object.fromEntries(pairs),
    };
  }

  // --- the loop ---

  /** Events that actions cause are queued: `decide` never runs inside itself. */
  #dispatch(body: EventBody): void {
    this.#queue.push(body);
    if (this.#dispatching) return;
    this.#dispatching = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#step(next);
    } catch (error) {
      this.#crash(error);
    } finally {
      this.#dispatching = false;
    }
  }

  /** A bug of ours: told once, everything given back, the client answered. Nobody above could do it: events come from timers and sockets. */
  #crash(error: unknown): void {
    this.#gateway.reportBug(error, this.#job.identity.requestId);
    this.#finished = true;
    this.#queue.length = 0;
    this.#release();
    this.#client.crashed(this);
  }

  #step(body: EventBody): void {
    if (this.#finished) return;
    const { clock, random } = this.#gateway;
    const event = body as { -readonly [K in keyof EventBody]: EventBody[K] } & {
      now: number;
      wall: number;
      random: number;
    };
    event.now = clock.now();
    event.wall = clock.wall();
    event.random = random();
    this.events.push(event as EngineEvent);
    const step = decide(this.state, event as EngineEvent);
    this.state = step.state;
    // Nobody waits for it any more: what was granted goes back.
    if (body.type === 'admitted' && step.actions[0]?.type !== 'start-attempt') {
      this.#admission.settle(body.attempt, 'cancelled', null, null);
    }
    for (const action of step.actions) this.#carryOut(action);
  }

  #carryOut(action: EngineAction): void {
    switch (action.type) {
      case 'admit-attempt':
        this.#admit(action);
        return;
      case 'start-attempt':
        this.#start(action.attempt, action.rank, action.timeoutMs, action.firstTokenTimeoutMs);
        return;
      case 'commit-attempt':
        this.#commit(action.attempt);
        return;
      case 'abort-attempt':
        this.#abort(action.attempt, action.why);
        return;
      case 'explain':
        this.#explain(action.attempt, action.decision, action.reason);
        return;
      case 'wait':
        this.#after(action.ms, 'wait-elapsed');
        return;
      case 'arm-hedge':
        this.#after(action.ms, 'hedge-due');
        return;
      case 'alert':
        this.#alert(action.attempt, action.failure);
        return;
      case 'finish':
        this.#finish(action.verdict);
        return;
    }
  }

  #admit(action: AdmitAction): void {
    const answer = this.#isRehearsed(action.attempt)
      ? this.#admission.peek(action)
      : this.#admission.ask(this.#drawing(action));
    if (!(answer instanceof Promise)) {
      this.#answered(action, answer);
      return;
    }
    answer.then(
      (late) => this.#answered(action, late),
      (error: unknown) => {
        if (!this.#finished) this.#crash(error);
      },
    );
  }

  /** the first attempts of a rehearsal call nobody, take nothing and count for nothing (H-2). */
  #isRehearsed(no: number): boolean {
    const { rehearsal } = this.#job;
    if (rehearsal === null) return false;
    const nth = no - this.setup.attemptOffset;
    return nth >= 1 && nth <= rehearsal.times;
  }

  /** What follows a rehearsed failure repeats nothing: the channel has not been called (D-6). */
  #drawing(action: AdmitAction): AdmitAction {
    return action.draws && this.#isRehearsed(action.attempt - 1) ? { ...action, draws: false } : action;
  }

  #answered({ attempt, role }: AdmitAction, answer: Answer): void {
    if (answer.type === 'admitted') this.#roles.set(attempt, role);
    this.#dispatch(answer);
  }

  #start(no: number, rank: number, timeoutMs: number, firstTokenTimeoutMs: number | null): void {
    const planned = this.#job.planned(rank);
    const { spec, changes } = attemptSpec(this.#gateway, this.#job, planned, { no, timeoutMs, firstTokenTimeoutMs });
    const { clock, transport, measurements } = this.#gateway;
    const attempt = new Attempt(spec, clock, this);
    const rehearsed = this.#isRehearsed(no);
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

  #commit(no: number): void {
    const trace = this.#live.get(no);
    if (trace !== undefined) this.#client.committed(this, trace.attempt);
  }

  #abort(no: number, why: 'client_closed' | 'lost_hedge' | 'rejected'): void {
    const trace = this.#live.get(no);
    if (trace === undefined) return;
    const { phase } = trace.attempt;
    trace.attempt.abort();
    if (why === 'rejected') {
      this.#ended(no, 'failed', trace.unwanted);
      return;
    }
    // F-2: what was sent and is not waited for may be carried out all the same.
    const maybeExecuted = phase !== 'unsent';
    const failure =
      why === 'client_closed'
        ? makeFailure({ class: 'client_closed', message: 'the client went away', phase, maybeExecuted })
        : null;
    this.#ended(no, 'cancelled', failure);
  }

  #explain(no: number, decision: Decision, reason: string): void {
    const trace = this.traces.find((candidate) => candidate.no === no);
    if (trace === undefined) return;
    trace.decision = decision;
    trace.reason = reason;
  }

  /** D-4: what the attempt is known to have cost. A guess says nothing: the worst case stands. */
  #costOf(trace: AttemptTrace | null): { readonly cost?: NanoUsd } {
    if (this.#job.options.maxCostNanoUsd === null) return NO_COST;
    const bill = trace?.bill;
    if (bill == null || bill.cost === null || bill.usage?.estimated === true) return NO_COST;
    return { cost: bill.cost };
  }

  #ended(no: number, result: AttemptTrace['result'], failure: Failure | null): AttemptTrace | null {
    const trace = this.#live.get(no);
    if (trace === undefined) return null;
    this.#live.delete(no);
    trace.result = result;
    trace.failure = failure;
    if (!trace.rehearsed) this.#measure(trace);
    trace.bill = billOf(this.#job, trace);
    this.#admission.settle(no, result, failure, trace.bill);
    return trace;
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

  /** With its target: alerts that say the same are one, and another credential's refusal is another's. */
  #alert(no: number, failure: Failure): void {
    const trace = this.traces.find((candidate) => candidate.no === no);
    if (trace?.rehearsed === true) return;
    const keys = trace === undefined ? null : this.#job.healthKeys(trace.planned.target);
    const credential = keys?.credential == null ? '' : ` (${keys.credential})`;
    const where = keys === null ? '' : `${keys.model} via ${keys.channelId}${credential}: `;
    this.#gateway.alerts.raise({
      kind: `upstream.${failure.class}`,
      message: where + failure.message,
      requestId: this.#job.identity.requestId,
      at: this.#gateway.clock.wall(),
    });
  }

  /** One timer at a time: a wait, or the next attempt's hedge, takes the place of the hedge that was armed before. */
  #after(ms: number, type: 'wait-elapsed' | 'hedge-due'): void {
    this.#cancelWait?.();
    this.#cancelWait = this.#gateway.clock.after(ms, () => this.#dispatch({ type }));
  }

  #finish(verdict: Verdict): void {
    this.#finished = true;
    this.#release();
    this.#client.finished(this, verdict);
  }

  #release(): void {
    this.#cancelWait?.();
    for (const no of [...this.#live.keys()]) this.#abort(no, 'client_closed');
    this.#admission.releaseAll();
  }
}
