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

/** An attempt that would be made. */
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

/** A request’s way through failures, without a call. */
export interface Walk {
  readonly attempts: readonly WalkedAttempt[];
  /** What the client is told in the end; null = it goes on for longer than a walk. */
  readonly ends: GatewayError | null;
}

/** An operator may allow any number of attempts; more of them tell nobody anything. */
const MOST_ATTEMPTS = 50;
/** Targets may refuse in any number, too: two events each. */
const MOST_EVENTS = 10_000;
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

/** One walk for each failure: what becomes of every call. */
export function walks<Name extends string>(
  start: WalkStart,
  failures: Readonly<Record<Name, Failure>>,
): Readonly<Record<Name, Walk>> {
  // Up to the first call all walks are one; a thousand targets may refuse before it.
  const common = new DryWalk(start);
  common.goOn(() => !common.called);
  const named = Object.entries<Failure>(failures).map(([name, failure]) => [name, common.failing(failure)] as const);
  return Object.fromEntries(named) as Record<Name, Walk>;
}

class DryWalk {
  readonly #start: WalkStart;
  #failure: Failure | null = null;
  #queue: EventBody[] = [{ type: 'begin' }];
  #attempts: WalkedAttempt[] = [];
  #state: FailoverState;
  #events = 0;
  /** Since the beginning, ms. */
  #elapsed = 0;
  #waited = 0;

  constructor(start: WalkStart) {
    this.#start = start;
    this.#state = initialState(start.setup);
  }

  get called(): boolean {
    return this.#attempts.length > 0;
  }

  /** From the first call on, which fails like all others. */
  failing(failure: Failure): Walk {
    const one = new DryWalk(this.#start);
    one.#failure = failure;
    one.#queue = [...this.#queue];
    one.#attempts = this.#attempts.map((attempt) => ({ ...attempt }));
    one.#state = this.#state;
    one.#elapsed = this.#elapsed;
    for (const attempt of one.#attempts) one.#fail(attempt, failure);
    one.goOn(() => one.#attempts.length <= MOST_ATTEMPTS);
    return one.#walked();
  }

  goOn(further: () => boolean): void {
    const { setup, wall } = this.#start;
    while (further() && this.#events < MOST_EVENTS) {
      const body = this.#queue.shift();
      if (body === undefined) return;
      this.#events += 1;
      const at = { now: setup.now + this.#elapsed, wall: wall + this.#elapsed, random: MIDDLE };
      const step = decide(this.#state, { ...body, ...at } as EngineEvent);
      this.#state = step.state;
      for (const action of step.actions) this.#carryOut(action);
    }
  }

  #walked(): Walk {
    const wallNow = this.#start.wall + this.#elapsed;
    const ends = this.#state.verdict === null ? null : finalError(this.#state, { wallNow });
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

  #begin(action: Extract<EngineAction, { type: 'start-attempt' }>): void {
    const { attempt: no, rank, timeoutMs } = action;
    const firstTokenTimeoutMs = this.#start.stream ? action.firstTokenTimeoutMs : null;
    const waitMs = this.#waited;
    this.#waited = 0;
    const attempt: WalkedAttempt = {
      no,
      rank,
      waitMs,
      timeoutMs,
      firstTokenTimeoutMs,
      decision: 'stop',
      reason: '',
    };
    this.#attempts.push(attempt);
    if (this.#failure !== null) this.#fail(attempt, this.#failure);
  }

  /** At once, but for the failure that is a matter of time. */
  #fail({ no, timeoutMs, firstTokenTimeoutMs }: WalkedAttempt, failure: Failure): void {
    if (failure.class === 'timeout') this.#elapsed += Math.min(timeoutMs, firstTokenTimeoutMs ?? timeoutMs);
    this.#queue.push({ type: 'attempt-failed', attempt: no, failure });
  }

  #explain({ attempt, decision, reason }: Extract<EngineAction, { type: 'explain' }>): void {
    const told = this.#attempts.find(({ no }) => no === attempt);
    if (told === undefined) return;
    told.decision = decision;
    told.reason = reason;
  }
}
