/** Alerts: logged, counted, and remembered for the operator. A storm of one kind is one line a minute, with its count. */
import type { Alert, Alerts } from '../ports/alerts.ts';

/** Alerts that say the same, as one. */
export interface AlertGroup {
  readonly kind: string;
  readonly message: string;
  /** Wall ms. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
  /** Of the latest. */
  readonly requestId: string | null;
}

export interface AlertBook extends Alerts {
  /** Latest first, at most 200 groups. */
  recent(): AlertGroup[];
  /** Alerts of a kind since start. */
  count(kind: string): number;
}

export interface AlertOptions {
  readonly log: { alert(alert: Alert): void };
}

/** An open fault raises its alert with every request: it is logged again only after so long. */
const QUIET_MS = 60_000;
const GROUPS = 200;

export function createAlerts({ log }: AlertOptions): AlertBook {
  /** By kind and message, the latest last. */
  const groups = new Map<string, AlertGroup & { loggedAt: number; unlogged: number }>();
  const counts = new Map<string, number>();
  return {
    raise(alert) {
      counts.set(alert.kind, (counts.get(alert.kind) ?? 0) + 1);
      const name = `${alert.kind} ${alert.message}`;
      const known = groups.get(name);
      groups.delete(name);
      const quiet = known !== undefined && alert.at - known.loggedAt < QUIET_MS;
      const unlogged = quiet ? known.unlogged + 1 : 0;
      groups.set(name, {
        kind: alert.kind,
        message: alert.message,
        firstAt: known?.firstAt ?? alert.at,
        lastAt: alert.at,
        count: (known?.count ?? 0) + 1,
        requestId: alert.requestId,
        loggedAt: quiet ? known.loggedAt : alert.at,
        unlogged,
      });
      if (groups.size > GROUPS) groups.delete(groups.keys().next().value!);
      if (quiet) return;
      const more = known?.unlogged ?? 0;
      log.alert(more === 0 ? alert : { ...alert, message: `${alert.message} (and ${more} more like it since)` });
    },
    recent: () => [...groups.values()].reverse().map(({ loggedAt: _loggedAt, unlogged: _unlogged, ...group }) => group),
    count: (kind) => counts.get(kind) ?? 0,
  };
}
