/**
 * Calls that another table would have given another time limit: how many models a run can still reach decides how long each
 * call may take (D-4). How such a call ended says nothing once the other limit would have ended it, or where its own did.
 */
import type { EngineAction, EngineEvent } from './machine.ts';

type Start = Extract<EngineAction, { readonly type: 'start-attempt' }>;

interface Shifted {
  readonly startedAt: number;
  /** Ms after its start at which the other run would have ended it, unless it had answered. */
  readonly otherLimit: number;
}

/** At most one entry per running attempt, so it is bounded by them. */
export class ShiftedLimits {
  readonly #shifted = new Map<number, Shifted>();

  /** Notes the attempts that both started under different limits. */
  compare(now: number, actions: readonly EngineAction[], others: readonly EngineAction[]): void {
    for (const start of actions) {
      if (start.type !== 'start-attempt') continue;
      const other = others.find((one) => one.type === 'start-attempt' && one.attempt === start.attempt);
      if (other?.type !== 'start-attempt' || !differ(start, other)) continue;
      this.#shifted.set(start.attempt, { startedAt: now, otherLimit: limitOf(other) });
    }
  }

  /** The event might not have come in the other run, or something else before it. */
  unsettles(event: EngineEvent): boolean {
    if (this.#shifted.size === 0) return false;
    for (const { startedAt, otherLimit } of this.#shifted.values()) {
      if (event.now - startedAt >= otherLimit) return true;
    }
    if (!('attempt' in event)) return false;
    const isOurs = this.#shifted.delete(event.attempt);
    return isOurs && event.type === 'attempt-failed' && event.failure.class === 'timeout';
  }
}

function differ(one: Start, other: Start): boolean {
  return one.timeoutMs !== other.timeoutMs || one.firstTokenTimeoutMs !== other.firstTokenTimeoutMs;
}

function limitOf({ timeoutMs, firstTokenTimeoutMs }: Start): number {
  return firstTokenTimeoutMs === null ? timeoutMs : Math.min(timeoutMs, firstTokenTimeoutMs);
}
