/** What the audit log says of a changed object (G-7): its fields before and after, never its secret. */

import type { Json, JsonObject } from '../../core/failover/json-form.ts';
import type { AuditEntry } from '../../core/signals/event.ts';
import { type CallOrigin, type ObjectKind, workspaceOf } from './config-objects.ts';
import { type Body, KEPT_FIELDS, shownBody } from './stored-entry.ts';

export interface ChangedObject {
  readonly kind: ObjectKind;
  readonly name: string;
  /** As the store has it; null = it is not there. */
  readonly before: Body | null;
  readonly after: Body | null;
  readonly by: string;
  /** Wall ms. */
  readonly at: number;
  readonly call: CallOrigin | undefined;
}

export function changeEntry({ kind, name, before, after, by, at, call }: ChangedObject): AuditEntry {
  const verb = before === null ? 'create' : after === null ? 'remove' : 'change';
  const secret = before !== null && after !== null && keptOf(before) !== keptOf(after);
  return {
    at,
    actor: by,
    action: `${kind}.${verb}`,
    object: `${kind} ${name}`,
    // Members are the account's affair, wherever they belong (G-8).
    workspace: kind === 'member' ? null : workspaceOf({ kind, name, body: after ?? before ?? {} }),
    requestId: call?.requestId ?? null,
    before: before === null ? null : auditedFields(before),
    after: after === null ? null : { ...auditedFields(after), ...(secret ? { secret: '(changed)' } : {}) },
    ip: call?.ip ?? null,
  };
}

/** Everything that stands for its secret. */
function keptOf(body: Body): string {
  return JSON.stringify(KEPT_FIELDS.map((field) => body[field] ?? null));
}

/** Fields in the file's form; passwords in addresses are left out. */
export function auditedFields(body: Body): JsonObject {
  return masked(shownBody(body) as JsonObject) as JsonObject;
}

function masked(value: Json): Json {
  if (typeof value === 'string') return withoutPassword(value);
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, masked(inner as Json)]));
}

const PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*):[^/?#@]*@/i;

function withoutPassword(text: string): string {
  return text.replace(PASSWORD, '$1:***@');
}
