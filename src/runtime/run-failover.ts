/**
 * Drives `decide`: turns what happens into events, carries out the actions, and holds no policy of its own. One
 * instance per request.
 */
import { decide, initialState, type RunSetup } from '../core/failover/decide.ts';
import type { EngineAction, EngineEvent, FailoverState, Verdict } from '../core/failover/machine.ts';
import type { Failure } from '../core/failure.ts';
import type { NanoUsd } from '../core/usage/usage.ts';
import type { ContentKind } from '../dialects/contract.ts';
import type { Cancel } from '../ports/clock.ts';
import { Admission, type AdmitAction, type Answer } from './admission.ts';
import { guardedFailure } from './attempt-alert.ts';
import { AttemptBook } from './attempt-book.ts';
import type { AttemptLedger } from './attempt-ledger.ts';
import type { AttemptTrace } from './attempt-trace.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import type { Attempt, AttemptListener } from './run-attempt.ts';

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
const BARE = { bare: true } as const;

/** Does what the engine decides, and tells it what happened, until there is a verdict. Holds no policy. */
export class FailoverRun implements AttemptListener {
  state: FailoverState;
  readonly setup: RunSetup;
  /** As they were decided upon: enough to run `decide` again (replay). */
  readonly events: EngineEvent[] = [];

  readonly #gateway: Gateway;
  readonly #job: Job;
  readonly #client: FailoverClient;
  readonly #admission: Admission;
  readonly #book: AttemptBook;
  readonly #ledger: AttemptLedger | null;
  readonly #queue: EventBody[] = [];
  #dispatching = false;
  #cancelWait: Cancel | null = null;
  #finished = false;

  /** `ledger`: of a request under an idempotency key; its attempts begin there first (I-2). */
  constructor(
    gateway: Gateway,
    job: Job,
    setup: RunSetup,
    client: FailoverClient,
    ledger: AttemptLedger | null = null,
  ) {
    this.#ledger = ledger;
    this.#gateway = gateway;
    this.#job = job;
    this.#client = client;
    this.#admission = new Admission(gateway, job, ledger !== null);
    this.#book = new AttemptBook(gateway, job, this.#admission, setup.attemptOffset);
    this.setup = setup;
    this.state = initialState(setup);
  }

  /** Every attempt started, in order. */
  get traces(): readonly AttemptTrace[] {
    return this.#book.traces;
  }

  begin(): void {
    this.#dispatch({ type: 'begin' });
  }

  /** Under a key, once: whether the answer counts is known now, and so who pays for it (I-3, G-4). */
  pay(): void {
    this.#admission.pay((no) => this.traces.find((trace) => trace.no === no)?.bill ?? null);
  }

  /** The client went away; `detach` lets the run go on for others (T-6). */
  clientGone(detach: boolean): void {
    this.#dispatch({ type: 'client-gone', detach });
  }

  // --- what attempts tell ---

  attemptReady({ no }: Attempt, content: ContentKind, failure: Failure | null): void {
    const cut = this.#book.ready(no, content, failure);
    const ready = { type: 'attempt-ready', attempt: no, content, failure } as const;
    this.#dispatch(cut === null ? ready : { ...ready, cut });
  }

  attemptFailed(attempt: Attempt, told: Failure): void {
    const { no } = attempt;
    const failure = guardedFailure((text) => attempt.guarded(text), told);
    const trace = this.#book.ended(no, 'failed', failure);
    const bare = failure.rejectsOpaque === true && trace?.opaque === true ? BARE : NO_COST;
    this.#dispatch({ type: 'attempt-failed', attempt: no, failure, ...this.#costOf(trace), ...bare });
  }

  attemptBytes(attempt: Attempt, bytes: Uint8Array): boolean {
    return this.#client.bytes(attempt, bytes);
  }

  attemptCompleted({ no }: Attempt): void {
    const trace = this.#book.ended(no, 'served', null);
    this.#dispatch({ type: 'attempt-completed', attempt: no, ...this.#costOf(trace) });
  }

  attemptInterrupted(attempt: Attempt, told: Failure): void {
    const { no } = attempt;
    const failure = guardedFailure((text) => attempt.guarded(text), told);
    const trace = this.#book.ended(no, 'interrupted', failure);
    this.#dispatch({ type: 'attempt-interrupted', attempt: no, failure, ...this.#costOf(trace) });
  }

  attemptCrashed(_attempt: Attempt, error: unknown): void {
    this.#crash(error);
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
      this.#ledger?.unused(body.attempt);
    }
    for (const action of step.actions) this.#carryOut(action);
    this.#ledger?.look(this.#book.traces);
  }

  #carryOut(action: EngineAction): void {
    switch (action.type) {
      case 'admit-attempt':
        this.#admit(action);
        return;
      case 'start-attempt':
        this.#book.start(action, this);
        return;
      case 'commit-attempt':
        this.#commit(action.attempt);
        return;
      case 'hold-attempt':
        this.#book.hold(action.attempt);
        return;
      case 'abort-attempt':
        this.#book.abort(action);
        return;
      case 'explain':
        this.#book.explain(action.attempt, action.decision, action.reason);
        return;
      case 'wait':
        this.#after(action.ms, 'wait-elapsed');
        return;
      case 'arm-hedge':
        this.#after(action.ms, 'hedge-due');
        return;
      case 'alert':
        this.#book.alert(action.attempt, action.failure);
        return;
      case 'finish':
        this.#finish(action.verdict);
        return;
    }
  }

  #admit(action: AdmitAction): void {
    const answer = this.#book.isRehearsed(action.attempt)
      ? this.#admission.peek(action)
      : this.#asked(action, this.#admission.ask(this.#drawing(action)));
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

  /** Under a key what was granted is also written down, before anything is sent (I-2). */
  #asked(action: AdmitAction, answer: Answer | Promise<Answer>): Answer | Promise<Answer> {
    if (this.#ledger === null || (!(answer instanceof Promise) && answer.type !== 'admitted')) return answer;
    return this.#writtenDown(this.#ledger, action, answer);
  }

  async #writtenDown(ledger: AttemptLedger, action: AdmitAction, asked: Answer | Promise<Answer>): Promise<Answer> {
    const answer = await asked;
    if (answer.type !== 'admitted' || this.#finished) return answer;
    const { attempt, rank } = action;
    const failure = await ledger.begin(attempt, this.#job.planned(rank));
    if (failure === null) {
      if (this.#finished) ledger.unused(attempt);
      return answer;
    }
    this.#admission.settle(attempt, 'cancelled', null, null);
    return { type: 'refused', attempt, reason: 'store_unavailable', availableAt: null, failure };
  }

  /** What follows a rehearsed failure repeats nothing: the channel has not been called (D-6). */
  #drawing(action: AdmitAction): AdmitAction {
    return action.draws && this.#book.isRehearsed(action.attempt - 1) ? { ...action, draws: false } : action;
  }

  #answered({ attempt, role }: AdmitAction, answer: Answer): void {
    if (answer.type === 'admitted') this.#book.admitted(attempt, role);
    this.#dispatch(answer);
  }

  #commit(no: number): void {
    const attempt = this.#book.shown(no);
    if (attempt !== null) this.#client.committed(this, attempt);
  }

  /** D-4: what the attempt is known to have cost. A guess says nothing: the worst case stands. */
  #costOf(trace: AttemptTrace | null): { readonly cost?: NanoUsd } {
    if (this.#job.options.maxCostNanoUsd === null) return NO_COST;
    const bill = trace?.bill;
    if (bill == null || bill.cost === null || bill.usage?.estimated === true) return NO_COST;
    return { cost: bill.cost };
  }

  /** One timer at a time: a wait, or the next attempt's hedge, takes the place of the hedge that was armed before. */
  #after(ms: number, type: 'wait-elapsed' | 'hedge-due'): void {
    this.#cancelWait?.();
    this.#cancelWait = this.#gateway.clock.after(ms, () => {
      // A stream that is held until its end has shown its first token, though not to the client (T-9, D-8).
      if (type === 'wait-elapsed' || !this.#book.hasToken) this.#dispatch({ type });
    });
  }

  #finish(verdict: Verdict): void {
    this.#finished = true;
    this.#release();
    this.#client.finished(this, verdict);
  }

  #release(): void {
    this.#cancelWait?.();
    this.#book.abortAll();
    this.#admission.releaseAll();
    this.#ledger?.look(this.#book.traces);
  }
}
