/** Alerts of parts that work on by themselves: no request of a client's is behind them. */
import type { Alerts } from '../ports/alerts.ts';
import type { Clock } from '../ports/clock.ts';

/** What a part of that kind of alert reports its state with; null = it is well again, which is no alert. */
export type Tell = (kind: string) => (problem: string | null) => void;

export function tellOf(alerts: Alerts, clock: Clock): Tell {
  return (kind) => (problem) => {
    if (problem !== null) alerts.raise({ kind, message: problem, requestId: null, at: clock.wall() });
  };
}
