/** What operators are told is an event, too (G-7); what is done to a client key is written down besides. */
import type { JsonObject } from '../../core/failover/json-form.ts';
import type { AuditEntry, NewEvent } from '../../core/signals/event.ts';
import type { Alert, Alerts } from '../../ports/alerts.ts';
import { Quiet } from './quiet.ts';

export interface AlertEventParts {
  readonly emit: (event: NewEvent) => unknown;
  readonly audit: (entry: AuditEntry) => void;
  /** Of a client key, by its name; null = there is none of that name. */
  readonly workspaceOf: (key: string) => string | null;
  /** Hides configured secrets (E-5). */
  readonly mask: (text: string) => string;
}

/** Families with names of their own; every other alert is one of `alert.*`. */
const OWN = /^(?:alert|key|budget|job|webhook)\./;
/** Each of these is one happening; of the others, those that say the same within a minute are one. */
const SINGLE = /^(?:key|job)\./;
const QUIET_MS = 60_000;

/** Alerts as they were, and whatever is made of them beside. */
export class ToldAlerts implements Alerts {
  readonly #alerts: Alerts;
  #tell: ((alert: Alert) => void) | null = null;

  constructor(alerts: Alerts) {
    this.#alerts = alerts;
  }

  /** From now on; what was raised before went to the log alone. */
  tellAlso(tell: (alert: Alert) => void): void {
    this.#tell = tell;
  }

  raise(alert: Alert): void {
    this.#alerts.raise(alert);
    this.#tell?.(alert);
  }
}

/** Alerts → events. One instance per process. */
export function alertEvents(parts: AlertEventParts): (alert: Alert) => void {
  const quiet = new Quiet(QUIET_MS);
  return (alert) => {
    const { kind, at, requestId, signal } = alert;
    const isSingle = signal !== undefined || SINGLE.test(kind);
    const unsaid = isSingle ? 0 : quiet.ask(`${kind} ${alert.message}`, at);
    if (unsaid === null) return;
    const type = OWN.test(kind) ? kind : `alert.${kind}`;
    const workspace = workspaceOf(alert, parts);
    const data: JsonObject = {
      message: parts.mask(alert.message),
      ...alert.data,
      ...(signal === undefined ? {} : { ...signal }),
      ...(unsaid === 0 ? {} : { more_like_it: unsaid }),
    };
    parts.emit({ type, at, workspace, requestId, data });
    if (kind.startsWith('key.')) parts.audit(keyEntry(alert, workspace, data));
  };
}

function workspaceOf({ workspace, data }: Alert, parts: AlertEventParts): string | null {
  if (workspace !== undefined) return workspace;
  const key = data?.['key'];
  return typeof key === 'string' ? parts.workspaceOf(key) : null;
}

function keyEntry({ kind, at, requestId, data }: Alert, workspace: string | null, after: JsonObject): AuditEntry {
  const object = `key ${String(data?.['key'] ?? '')}`.trimEnd();
  const action = kind === 'key.banned' ? 'key.ban' : 'key.suspend';
  return { at, actor: 'gateway', action, object, workspace, requestId, before: null, after, ip: null };
}
