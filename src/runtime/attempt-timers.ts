/** The clock of one attempt: limits that fire once, and watchdogs that are fed without touching a timer (T-3). */
import type { TimeoutFault } from '../core/classify/transport.ts';
import type { Cancel, Clock } from '../ports/clock.ts';

/** Which limit ran out (T-3). */
export type TimeoutKind = TimeoutFault['kind'];

/** Each kind fires at most once until it is armed again; `onTimeout` is told which. */
export class AttemptTimers {
  readonly #clock: Clock;
  readonly #onTimeout: (kind: TimeoutKind) => void;
  /** One per kind: a re-armed watchdog takes the place of the one that fired. */
  readonly #armed = new Map<TimeoutKind | 'linger', Cancel>();

  constructor(clock: Clock, onTimeout: (kind: TimeoutKind) => void) {
    this.#clock = clock;
    this.#onTimeout = onTimeout;
  }

  /** Fires once, `ms` from now. */
  limit(ms: number, kind: TimeoutKind): void {
    this.#armed.set(
      kind,
      this.#clock.after(ms, () => this.#onTimeout(kind)),
    );
  }

  /**
   * Fires when `ms` have passed since `lastAt()`. It looks when it would be due and re-arms itself for the rest, so that
   * no chunk costs a timer. `lastAt` null = nothing is expected now (the client reads slowly).
   */
  watch(ms: number, kind: TimeoutKind, lastAt: () => number | null): void {
    const arm = (rest: number): void => {
      this.#armed.set(kind, this.#clock.after(rest, look));
    };
    const look = (): void => {
      const last = lastAt();
      const rest = last === null ? ms : last + ms - this.#clock.now();
      if (rest <= 0) this.#onTimeout(kind);
      else arm(rest);
    };
    arm(ms);
  }

  /** Once, after the attempt is over. */
  linger(ms: number, then: () => void): void {
    this.#armed.set('linger', this.#clock.after(ms, then));
  }

  /** One kind, or all. */
  stop(kind?: TimeoutKind): void {
    if (kind !== undefined) {
      this.#armed.get(kind)?.();
      this.#armed.delete(kind);
      return;
    }
    for (const cancel of this.#armed.values()) cancel();
    this.#armed.clear();
  }
}
