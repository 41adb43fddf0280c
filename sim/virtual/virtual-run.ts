/**
 * Drives the engine through a scripted world in virtual time, as the runtime does in real time: one request, its
 * attempts' timers and its client, no policy of its own.
 */
import { decide, initialState } from '../../src/core/failover/decide.ts';
import type { CutAnswer, EngineAction, EngineEvent, FailoverState } from '../../src/core/failover/machine.ts';
import type { FailoverOptions } from '../../src/core/failover/options.ts';
import type { Plan } from '../../src/core/failover/plan-types.ts';
import { makeFailure } from '../../src/core/failure.ts';
import type { Random } from '../random.ts';
import type { Outcome } from './outcome.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface RunInput {
  readonly plan: Plan;
  readonly options: FailoverOptions;
  readonly keyed: boolean;
  readonly actsUpstream: boolean;
  readonly attemptOffset: number;
  /** What the target of `rank` does with this call. `draws`: a repeat on the retry budget. */
  readonly script: (rank: number, call: { readonly draws: boolean; readonly insist: boolean }) => Outcome;
  readonly random: Random;
  /** How long an admission takes, ms; absent = at once. */
  readonly admissionMs?: () => number;
  /** Sees every step; throws to fail the run. */
  readonly watch?: (step: WatchedStep) => void;
  /** Events nobody sent for: late, doubled, unknown. */
  readonly noise?: (state: FailoverState) => EventBody | null;
}

export interface WatchedStep {
  readonly before: FailoverState;
  readonly event: EngineEvent;
  readonly after: FailoverState;
  readonly actions: readonly EngineAction[];
}

export interface RunResult {
  readonly initial: FailoverState;
  readonly state: FailoverState;
  readonly events: readonly EngineEvent[];
  readonly actions: readonly EngineAction[];
  /** Ranks called, in order. */
  readonly calls: readonly number[];
  /** Virtual ms from begin to finish. */
  readonly tookMs: number;
}

/** An event before the clock and chance are put in. */
export type EventBody = EngineEvent extends infer E
  ? E extends EngineEvent
    ? Omit<E, 'now' | 'wall' | 'random'>
    : never
  : never;

/** More steps than any run can need: a loop shows as a failure instead of a hang. */
const MOST_STEPS = 2000;

class VirtualRun {
  readonly #input: RunInput;
  readonly #clock = new VirtualClock(1000);
  readonly #events: EngineEvent[] = [];
  readonly #actions: EngineAction[] = [];
  readonly #calls: number[] = [];
  readonly #queue: EventBody[] = [];
  readonly #granted = new Map<number, Outcome>();
  /** Attempts whose answer came in one piece: they complete when it is committed. */
  readonly #whole = new Set<number>();
  /** Cancels what an attempt still has coming. */
  readonly #pending = new Map<number, (() => void)[]>();
  readonly #initial: FailoverState;
  #state: FailoverState;
  #cancelWait: (() => void) | null = null;

  constructor(input: RunInput) {
    this.#input = input;
    const { plan, options, keyed, actsUpstream, attemptOffset } = input;
    this.#initial = initialState({ plan, options, keyed, actsUpstream, attemptOffset, now: this.#clock.now() });
    this.#state = this.#initial;
  }

  run(): RunResult {
    const startedAt = this.#clock.now();
    this.#send({ type: 'begin' });
    for (let steps = 0; this.#state.phase !== 'done'; steps += 1) {
      if (steps > MOST_STEPS) throw new Error('the run does not end');
      const event = this.#queue.shift();
      if (event !== undefined) this.#step(event);
      else if (!this.#clock.step()) throw new Error('nothing is due and the run is not over');
    }
    return {
      initial: this.#initial,
      state: this.#state,
      events: this.#events,
      actions: this.#actions,
      calls: this.#calls,
      tookMs: this.#clock.now() - startedAt,
    };
  }

  #send(body: EventBody): void {
    const noise = this.#input.noise?.(this.#state) ?? null;
    if (noise !== null) this.#queue.push(noise);
    this.#queue.push(body);
  }

  #step(body: EventBody): void {
    const stamp = { now: this.#clock.now(), wall: this.#clock.wall(), random: this.#input.random() };
    const event = { ...body, ...stamp } as EngineEvent;
    this.#events.push(event);
    const before = this.#state;
    const step = decide(before, event);
    this.#state = step.state;
    this.#actions.push(...step.actions);
    this.#input.watch?.({ before, event, after: step.state, actions: step.actions });
    for (const action of step.actions) this.#carryOut(action);
  }

  #carryOut(action: EngineAction): void {
    switch (action.type) {
      case 'admit-attempt':
        this.#admit(action.attempt, action.rank, action);
        return;
      case 'start-attempt':
        this.#start(action.attempt, action.rank, Math.min(action.timeoutMs, action.firstTokenTimeoutMs ?? Infinity));
        return;
      case 'abort-attempt':
        this.#cancel(action.attempt);
        return;
      case 'wait':
        this.#after(action.ms, 'wait-elapsed');
        return;
      case 'arm-hedge':
        this.#after(action.ms, 'hedge-due');
        return;
      case 'finish':
        this.#cancelWait?.();
        return;
      case 'commit-attempt':
        if (this.#whole.has(action.attempt)) this.#end(action.attempt);
        return;
      case 'hold-attempt':
      case 'explain':
      case 'alert':
        return;
    }
  }

  /** One timer at a time, as in the driver. */
  #after(ms: number, type: 'wait-elapsed' | 'hedge-due'): void {
    this.#cancelWait?.();
    this.#cancelWait = this.#clock.after(ms, () => this.#send({ type }));
  }

  #admit(attempt: number, rank: number, call: { readonly draws: boolean; readonly insist: boolean }): void {
    const outcome = this.#input.script(rank, call);
    const ms = this.#input.admissionMs?.() ?? 0;
    if (ms > 0) this.#clock.after(ms, () => this.#answer(attempt, outcome));
    else this.#answer(attempt, outcome);
  }

  #answer(attempt: number, outcome: Outcome): void {
    if (outcome.kind === 'refuse') {
      const availableAt = this.#clock.wall() + 20_000;
      this.#send({ type: 'refused', attempt, reason: outcome.reason, availableAt, failure: outcome.failure });
      return;
    }
    this.#granted.set(attempt, outcome);
    this.#send({ type: 'admitted', attempt, permits: 1 });
  }

  #start(attempt: number, rank: number, timeoutMs: number): void {
    this.#calls.push(rank);
    const outcome = this.#granted.get(attempt)!;
    this.#later(attempt, timeoutMs, () => {
      this.#cancel(attempt);
      const failure = makeFailure({ class: 'timeout', message: 'no answer', maybeExecuted: true, phase: 'sent' });
      this.#send({ type: 'attempt-failed', attempt, failure });
    });
    this.#play(attempt, outcome);
  }

  #play(attempt: number, outcome: Outcome): void {
    switch (outcome.kind) {
      case 'answer':
        this.#later(attempt, outcome.afterMs, () => this.#ready(attempt, 'content'));
        this.#later(attempt, outcome.afterMs + outcome.restMs, () => this.#end(attempt));
        return;
      case 'odd-answer':
        this.#later(attempt, outcome.afterMs, () => this.#ready(attempt, outcome.content));
        this.#later(attempt, outcome.afterMs, () => this.#end(attempt));
        return;
      case 'truncated':
        this.#later(attempt, outcome.afterMs, () => {
          this.#whole.add(attempt);
          this.#ready(attempt, 'content', { length: outcome.length, extendTo: outcome.extendTo });
        });
        return;
      case 'fail':
        this.#later(attempt, outcome.afterMs, () => {
          this.#cancel(attempt);
          const { failure, bare } = outcome;
          this.#send({ type: 'attempt-failed', attempt, failure, ...(bare === undefined ? {} : { bare }) });
        });
        return;
      case 'break':
        this.#later(attempt, outcome.afterMs, () => this.#ready(attempt, 'content'));
        this.#later(attempt, outcome.afterMs + outcome.restMs, () => {
          this.#cancel(attempt);
          this.#send({ type: 'attempt-interrupted', attempt, failure: outcome.failure });
        });
        return;
      case 'leave':
        this.#later(attempt, outcome.afterMs, () => this.#send({ type: 'client-gone', detach: outcome.detach }));
        this.#later(attempt, outcome.afterMs + 500, () => this.#ready(attempt, 'content'));
        this.#later(attempt, outcome.afterMs + 900, () => this.#end(attempt));
        return;
      case 'hang':
      case 'refuse':
        return;
    }
  }

  /** The timer that bounds the attempt until commit is the first one armed. */
  #ready(attempt: number, content: 'content' | 'refusal' | 'filtered' | 'empty', cut?: CutAnswer): void {
    this.#pending.get(attempt)?.[0]?.();
    this.#send({ type: 'attempt-ready', attempt, content, failure: null, ...(cut === undefined ? {} : { cut }) });
  }

  #end(attempt: number): void {
    this.#cancel(attempt);
    this.#send({ type: 'attempt-completed', attempt });
  }

  #later(attempt: number, ms: number, tell: () => void): void {
    const known = this.#pending.get(attempt) ?? [];
    known.push(this.#clock.after(ms, tell));
    this.#pending.set(attempt, known);
  }

  #cancel(attempt: number): void {
    for (const cancel of this.#pending.get(attempt) ?? []) cancel();
    this.#pending.delete(attempt);
  }
}

/** One request from begin to finish. */
export function runVirtually(input: RunInput): RunResult {
  return new VirtualRun(input).run();
}
