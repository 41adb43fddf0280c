/** How long a credential, or a credential at one upstream model, rests (H-1). */
import type { SkipReason } from '../failover/plan-types.ts';
import type { FailureClass } from '../failure.ts';

/** Beyond this the cap has long been reached; keeps 2ⁿ finite. */
const MAX_LEVEL = 30;

/** Why and until when; `stated`: the upstream named the time itself. */
export interface Rest {
  readonly reason: SkipReason;
  readonly cause: FailureClass;
  readonly until: number;
  readonly stated: boolean;
}

export class Cooldown {
  /** Monotonic ms; in the past when nothing rests. */
  until = Number.NEGATIVE_INFINITY;
  /** Monotonic ms at which the rest began; prolonging it changes nothing. Means something only while it is active. */
  since = 0;
  reason: SkipReason | null = null;
  cause: FailureClass | null = null;
  stated = false;
  /** n of the next unstated `base · 2ⁿ`. */
  level = 0;
  /**
   * Calls up to this number were already out when the rest began. Twenty calls refused together are one event: without
   * this a single burst would climb straight to the cap.
   */
  #bornAt = 0;

  active(now: number): boolean {
    return this.until > now;
  }

  /**
   * Begins or prolongs a rest. A stated time, or a fault that no backoff heals, takes the place of a guess; among equals
   * the later end stays. `lastCall`: the newest call that is out.
   */
  rest(rest: Rest, lastCall: number, now: number): void {
    if (this.active(now) && this.reason !== 'cooling_backoff') {
      if (rest.reason === 'cooling_backoff' || rest.until <= this.until) return;
    }
    if (!this.active(now)) this.since = now;
    this.until = rest.until;
    this.reason = rest.reason;
    this.cause = rest.cause;
    this.stated = rest.stated;
    this.#bornAt = lastCall;
  }

  /** A rate limit without a stated wait: base · 2ⁿ up to the cap. */
  backOff(call: number, lastCall: number, now: number, figures: { baseMs: number; capMs: number }): void {
    const sameBurst = call <= this.#bornAt;
    if (sameBurst && this.active(now)) return;
    const exponent = sameBurst ? Math.max(0, this.level - 1) : this.level;
    const ms = Math.min(figures.baseMs * 2 ** exponent, figures.capMs);
    this.level = Math.min(exponent + 1, MAX_LEVEL);
    this.rest({ reason: 'cooling_backoff', cause: 'rate_limit', until: now + ms, stated: false }, lastCall, now);
  }

  /** A good answer resets the level; it ends the rest only when it was asked for after the rest had begun. */
  succeeded(call: number): void {
    this.level = 0;
    if (call > this.#bornAt) this.until = Number.NEGATIVE_INFINITY;
  }

  reset(): void {
    this.until = Number.NEGATIVE_INFINITY;
    this.reason = null;
    this.cause = null;
    this.stated = false;
    this.level = 0;
  }
}
