/** What the admin plane writes into the audit log by itself (G-7): calls that change no object, and who came in or not. */

import { ClientError } from '../../core/errors/catalogue.ts';
import type { JsonObject } from '../../core/failover/json-form.ts';
import type { AuditEntry, AuditLog } from '../../ports/audit.ts';
import type { AdminCaller } from './admin-caller.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';

/** What a route tells of a call that did what it was asked for. */
export interface Told {
  readonly action: string;
  readonly object: string;
  readonly workspace: string | null;
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

/** A caller who comes again within this time from the same address is not told again. */
const SESSION_MS = 12 * 60 * 60 * 1000;
/** Refusals from one address within this time are one entry: guessing must not fill the log. */
const REFUSED_MS = 60_000;
/** Callers and addresses remembered. Beyond, the oldest may be told once more. */
const MOST_KNOWN = 1000;
/** Refusals told of all addresses together in a minute. */
const MOST_REFUSED = 20;
/** Codes of who brought something that opens nothing. */
const KEPT_OUT: ReadonlySet<string> = new Set(['invalid_api_key', 'permission_denied', 'sign_in_delayed']);

export class AdminAudit {
  readonly #log: Pick<AuditLog, 'append'>;
  /** When it was last told, wall ms; oldest first. */
  readonly #sessions = new Map<string, number>();
  readonly #refused = new Map<string, number>();

  constructor(log: Pick<AuditLog, 'append'>) {
    this.#log = log;
  }

  /** A call has done what it was asked for. */
  done(route: AdminRoute, call: AdminCall, answer: object, wall: number): void {
    if (typeof route.audit !== 'function') return;
    const told = route.audit(call, answer);
    if (told !== null) this.#log.append(entryOf(call, told, wall));
  }

  /** Somebody came in. */
  login({ name, role }: AdminCaller, { requestId, ip }: AdminCall['origin'], wall: number): void {
    if (!isNew(this.#sessions, `${name} ${ip ?? ''}`, wall, SESSION_MS)) return;
    const entry = { at: wall, actor: name, action: 'admin.login', object: `admin ${name}`, workspace: null };
    this.#log.append({ ...entry, requestId, before: null, after: { role }, ip });
  }

  /** Somebody signed in or out with a browser. */
  session(what: 'sign_in' | 'sign_out', { name, role }: AdminCaller, origin: AdminCall['origin'], wall: number): void {
    const { requestId, ip } = origin;
    const entry = { at: wall, actor: name, action: `admin.${what}`, object: `admin ${name}`, workspace: null };
    this.#log.append({ ...entry, requestId, before: null, after: { role }, ip });
  }

  /** Somebody was kept out. Who sends nothing at all is nobody; a store in trouble is no refusal. */
  refused(error: unknown, { requestId, ip }: AdminCall['origin'], wall: number): void {
    if (!(error instanceof ClientError) || !KEPT_OUT.has(error.error.code ?? '')) return;
    const lately = [...this.#refused.values()].filter((at) => at + REFUSED_MS > wall).length;
    if (lately >= MOST_REFUSED || !isNew(this.#refused, ip ?? '', wall, REFUSED_MS)) return;
    const entry = { at: wall, actor: '(unknown)', action: 'admin.login_refused', object: 'admin', workspace: null };
    this.#log.append({ ...entry, requestId, before: null, after: { code: error.error.code }, ip });
  }
}

function isNew(known: Map<string, number>, name: string, wall: number, forMs: number): boolean {
  const last = known.get(name);
  if (last !== undefined && last + forMs > wall) return false;
  known.delete(name);
  known.set(name, wall);
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value!);
  return true;
}

function entryOf({ caller, origin }: AdminCall, told: Told, at: number): AuditEntry {
  const { action, object, workspace, before = null, after = null } = told;
  return {
    at,
    actor: caller.name,
    action,
    object,
    workspace,
    requestId: origin.requestId,
    before,
    after,
    ip: origin.ip,
  };
}
