/**
 * What a request would do if every call failed in the same way: the engine itself, walked through in virtual time. Nobody
 * is called, nothing is taken.
 */
import { finalError } from '../core/errors/final-error.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import { decide, initialState, type RunSetup } from '../core/failover/decide.ts';
import type { Decision, EngineAction, EngineEvent, FailoverState } from '../core/failover/machine.ts';
import type { Failure } from '../core/failure.ts';
import type { Admission } from './admission.ts';

export interface WalkedAttempt {
  readonly no: number;
  readonly rank: number;
  /** What it waits before it starts, ms; of a backoff drawn at random, its middle. */
  readonly waitMs: number;
  readonly timeoutMs: number;
  readonly firstTokenTimeoutMs: number | null;
  decision: Decision;
  /** As a record would say it. */
  reason: string;
}

export interface Walk {
  readonly attempts: readonly WalkedAttempt[];
  /** What the client is told in the end; null = it goes on for longer than a walk. */
  readonly ends: GatewayError | null;
}

/** An operator may allow any number of attempts; more of them tell nobody anything. */
const MOST_ATTEMPTS = 50;
/** Targets may refuse in any number, too. */
const MOST_EVENTS = 2000;
/** The middle of what is drawn at random. */
const MIDDLE = 0.5;

type EventBody = EngineEvent extends infer E
  ? E extends EngineEvent
    ? Omit<E, 'now' | 'wall' | 'random'>
    : never
  : never;

/** Where a walk starts. */
export interface WalkStart {
  readonly setup: RunSetup;
  /** Wall ms at `setup.now`. */
  readonly wall: number;
  /** Of a whole answer there is no first token to wait for (T-3). */
  readonly stream: boolean;
  readonly admission: Pick<Admission, 'peek'>;
}

/** `failure`: what becomes of every call. */
export function walk(start: WalkStart, failure: Failure): Walk {
  return new DryWalk(start, failure).run();
}

class DryWalk {
  readonly #start: WalkStart;
  readonly #failure: Failure;
  readonly #queue: EventBody[] = [{ type: 'begin' }];
  readonly #attempts: WalkedAttempt[] = [];
  #state: FailoverState;
  /** Since the beginning, ms. */
  #elapsed = 0;
  #waited = 0;

  constructor(start: WalkStart, failure: Failure) {
    this.#start = start;
    this.#failure = failure;
    this.#state = initialState(start.setup);
  }

  run(): Walk {
    const { setup, wall } = this.#start;
    for (let events = 0; events < MOST_EVENTS && this.#attempts.length <= MOST_ATTEMPTS; events += 1) {
      const body = this.#queue.shift();
      if (body === undefined) break;
      const at = { now: setup.now + this.#elapsed, wall: wall + this.#elapsed, random: MIDDLE };
      const step = decide(this.#state, { ...body, ...at } as EngineEvent);
      this.#state = step.state;
      for (const action of step.actions) this.#carryOut(action);
    }
    const { verdict } = this.#state;
    const ends = verdict === null ? null : finalError(this.#state, { wallNow: wall + this.#elapsed });
    return { attempts: this.#attempts.slice(0, MOST_ATTEMPTS), ends };
  }

  #carryOut(action: EngineAction): void {
    switch (action.type) {
      case 'admit-attempt':
        this.#queue.push(this.#start.admission.peek(action));
        return;
      case 'start-attempt':
        this.#begin(action);
        return;
      case 'wait':
        this.#waited = action.ms;
        this.#elapsed += action.ms;
        this.#queue.push({ type: 'wait-elapsed' });
        return;
      case 'explain':
        this.#explain(action);
        return;
      default:
      // A hedge needs time to pass; what is left tells nobody anything in a walk.
    }
  }

  /** A failure comes at once, but for the one that is a matter of time. */
  #begin(action: Extract<EngineAction, { type: 'start-attempt' }>): void {
    const { attempt: no, rank, timeoutMs } = action;
    const firstTokenTimeoutMs = this.#start.stream ? action.firstTokenTimeoutMs : null;
    const waitMs = this.#waited;
    this.#waited = 0;
    this.#attempts.push({ no, rank, waitMs, timeoutMs, firstTokenTimeoutMs, decision: 'stop', reason: '' });
    if (this.#failure.class === 'timeout') this.#elapsed += Math.min(timeoutMs, firstTokenTimeoutMs ?? timeoutMs);
    this.#queue.push({ type: 'attempt-failed', attempt: no, failure: this.#failure });
  }

  #explain({ attempt, decision, reason }: Extract<EngineAction, { type: 'explain' }>): void {
    const told = this.#attempts.find(({ no }) => no === attempt);
    if (told === undefined) return;
    told.decision = decision;
    told.reason = reason;
  }
}
