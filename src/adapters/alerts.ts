/** Alerts: logged, counted, and remembered for the operator. A storm of one kind is one line a minute, with its count. */
import type { Alert, AlertGroup, AlertHistory, Alerts } from '../ports/alerts.ts';

export interface AlertBook extends Alerts, AlertHistory {
  /** Alerts of a kind since start. */
  count(kind: string): number;
}

export interface AlertOptions {
  readonly log: { alert(alert: Alert): void };
}

/** An open fault raises its alert with every request: it is logged again only after so long. */
const QUIET_MS = 60_000;
const GROUPS = 200;

interface Remembered {
  readonly group: AlertGroup;
  readonly loggedAt: number;
  readonly unlogged: number;
}

export function createAlerts({ log }: AlertOptions): AlertBook {
  /** By what makes alerts the same, the latest last. */
  const remembered = new Map<string, Remembered>();
  const counts = new Map<string, number>();
  return {
    raise(alert) {
      counts.set(alert.kind, (counts.get(alert.kind) ?? 0) + 1);
      const name = nameOf(alert);
      const known = remembered.get(name);
      remembered.delete(name);
      // A built-in alert is told when it begins and when it is over: neither is a repetition.
      const quiet = alert.signal === undefined && known !== undefined && alert.at - known.loggedAt < QUIET_MS;
      remembered.set(name, {
        group: grouped(alert, known?.group),
        loggedAt: quiet ? known.loggedAt : alert.at,
        unlogged: quiet ? known.unlogged + 1 : 0,
      });
      if (remembered.size > GROUPS) remembered.delete(remembered.keys().next().value!);
      if (quiet) return;
      const more = known?.unlogged ?? 0;
      log.alert(more === 0 ? alert : { ...alert, message: `${alert.message} (and ${more} more like it since)` });
    },
    recent: () => [...remembered.values()].reverse().map(({ group }) => group),
    count: (kind) => counts.get(kind) ?? 0,
  };
}

function nameOf({ kind, message, signal }: Alert): string {
  return signal === undefined ? `${kind} ${message}` : `${kind} of ${signal.subject ?? 'all'}`;
}

function grouped(alert: Alert, known: AlertGroup | undefined): AlertGroup {
  const { kind, message, at, requestId, workspace = null, signal = null } = alert;
  const counts = signal?.state === 'resolved' ? 0 : 1;
  return {
    kind,
    message,
    firstAt: signal?.since ?? known?.firstAt ?? at,
    lastAt: at,
    count: (known?.count ?? 0) + counts,
    requestId,
    workspace,
    signal,
  };
}
