/** What others are told of, and what is written down for ever (G-7): the shapes of both. */
import type { JsonObject } from '../failover/json-form.ts';

/** One event, on its way to whoever asked for its kind. */
export interface GatewayEvent {
  /** `evt_…`, unique. */
  readonly id: string;
  /** As in `api:model_failover`, `key.banned`, `alert.p99`. */
  readonly type: string;
  /** Wall ms. */
  readonly at: number;
  /** Whose it is; null = the account's alone: no workspace's hook is told (G-8). */
  readonly workspace: string | null;
  readonly requestId: string | null;
  /** Never a secret (E-5), nor anything of a request's or an answer's content. */
  readonly data: JsonObject;
}

export type NewEvent = Omit<GatewayEvent, 'id'>;

/** One line of the audit log. */
export interface AuditEntry {
  /** Wall ms. */
  readonly at: number;
  /** `admin`, a member's name, `gateway` (by itself), `file` (a reload); of a request its client key, as `key NAME`. */
  readonly actor: string;
  /** As in `key.create`, `balance.topup`, `request.failover`. */
  readonly action: string;
  /** What it was done to: `KIND NAME`. */
  readonly object: string;
  /** Whose object it is; null = the account's: no workspace's admin sees the entry (G-8). */
  readonly workspace: string | null;
  readonly requestId: string | null;
  /** Fields as the API shows them, never a secret; null = it was not there before, or nothing of it matters. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** Of the caller; null = it came from nobody. */
  readonly ip: string | null;
}

/** What a hook wants to hear of. */
export interface Subscription {
  /** Null = everybody's events, and the account's own. */
  readonly workspace: string | null;
  /** Compiled from its patterns. */
  readonly wants: (type: string) => boolean;
}

/** G-8: whether an event is this hook's affair. */
export function concerns({ workspace, wants }: Subscription, event: Pick<NewEvent, 'type' | 'workspace'>): boolean {
  return (workspace === null || workspace === event.workspace) && wants(event.type);
}
