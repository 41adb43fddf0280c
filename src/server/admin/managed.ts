/** What routes of configuration objects share: finding them inside a scope, changing them, showing them. */

import { type ManagedObject, type ObjectKind, workspaceOf } from '../../config/objects/config-objects.ts';
import { ClientError } from '../../core/errors/catalogue.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall } from './admin-route.ts';
import { type BodySchema, checkBody, type JsonObject } from './json-body.ts';
import { mustNameKnownModels } from './known-models.ts';
import {
  INSTANT_OR_NULL,
  object,
  type QueryParameter,
  queryParameter,
  TEXT,
  TEXT_OR_NULL,
  WHOLE,
} from './openapi-parts.ts';
import { pageOf, pageParameters, readPage } from './paging.ts';
import { conflict, noSuch } from './refusals.ts';

/** Where those of a kind are listed, below `/admin`. */
export const LISTS: Readonly<Record<ObjectKind, string>> = {
  workspace: '/v1/workspaces',
  key: '/v1/keys',
  credential: '/v1/credentials',
  member: '/v1/members',
  webhook: '/v1/webhooks',
};

/** Those a caller may know of. */
export function objectsIn(deps: AdminDeps, kind: ObjectKind, scope: string | null): readonly ManagedObject[] {
  const all = deps.objects.list(kind);
  return scope === null ? all : all.filter((one) => workspaceOf(one) === scope);
}

/** Throws `ClientError` 404 for one that is not there, and for one that is not the caller's (G-8). */
export function findObject(deps: AdminDeps, kind: ObjectKind, name: string, scope: string | null): ManagedObject {
  const found = deps.objects.get(kind, name);
  if (found === null || (scope !== null && workspaceOf(found) !== scope)) throw noSuch(kind, name, LISTS[kind]);
  return found;
}

/** A new object. Inside a scope a taken name says only that it is taken: whose it is may be none of the caller's affair (G-8). */
export async function makeObject(
  deps: AdminDeps,
  { caller, scope, origin }: AdminCall,
  made: { readonly kind: ObjectKind; readonly name: string; readonly body: JsonObject; readonly secret?: string },
): Promise<ManagedObject> {
  const { kind, name, body, secret } = made;
  mustNameKnownModels(deps, scope, body);
  try {
    return await deps.objects.put(kind, name, body, {
      by: caller.name,
      call: origin,
      create: true,
      ...(scope === null ? {} : { inside: scope }),
      ...(secret === undefined ? {} : { secret }),
    });
  } catch (error) {
    const isConflict = error instanceof ClientError && error.error.code === 'conflict';
    throw scope !== null && isConflict ? taken(name) : error;
  }
}

function taken(name: string): ClientError {
  return conflict(`The name \`${name}\` is taken; choose another.`);
}

/** A change of one object: checked as a whole, made from the version the caller saw (or is shown now). */
export async function changeObject(
  deps: AdminDeps,
  { caller, ifVersion, scope, origin }: AdminCall,
  current: ManagedObject,
  change: {
    readonly body: JsonObject;
    readonly schema: BodySchema;
    readonly secret?: string;
    readonly renewal?: 'begin' | 'end';
  },
): Promise<ManagedObject> {
  mustBeStored(current);
  checkBody(change.schema, change.body);
  mustNameKnownModels(deps, scope, change.body);
  return deps.objects.put(current.kind, current.name, change.body, {
    by: caller.name,
    call: origin,
    expectedVersion: ifVersion ?? current.version,
    ...(scope === null ? {} : { inside: scope }),
    ...(change.secret === undefined ? {} : { secret: change.secret }),
    ...(change.renewal === undefined ? {} : { renewal: change.renewal }),
  });
}

/** The kind's object that the path names, gone. */
export async function removeObject(deps: AdminDeps, call: AdminCall, kind: ObjectKind): Promise<object> {
  const current = findObject(deps, kind, call.id, call.scope);
  mustBeStored(current);
  await deps.objects.remove(kind, current.name, {
    by: call.caller.name,
    call: call.origin,
    expectedVersion: call.ifVersion ?? current.version,
    ...(call.scope === null ? {} : { inside: call.scope }),
  });
  return { name: current.name, removed: true };
}

/** What the file owns is changed in the file. */
export function mustBeStored({ kind, name, managedBy }: ManagedObject): void {
  if (managedBy === 'store') return;
  throw conflict(`The ${kind} \`${name}\` belongs to the configuration file and is read-only here; change it there.`);
}

/** RFC 7396 at the top level: null takes a field away. */
export function patched(body: JsonObject, patch: JsonObject): JsonObject {
  const merged = Object.entries({ ...body, ...patch }).filter(([field]) => patch[field] !== null);
  return Object.fromEntries(merged);
}

/** Fields that are a secret or stand for one: not shown even if they should come this far. */
const HIDDEN = new Set(['secret', 'previous_secret', 'hash', 'token', 'sealed', 'sealed_previous']);

/** As answers show it: its fields as in the file, `more` beside them, and how it is kept. */
export function shownObject(found: ManagedObject, more: JsonObject = {}): JsonObject {
  const fields = Object.entries(found.body).filter(([field]) => !HIDDEN.has(field));
  return {
    name: found.name,
    ...Object.fromEntries(fields),
    ...more,
    managed_by: found.managedBy,
    version: found.version,
    created_at: instant(found.createdAt),
    updated_at: instant(found.updatedAt),
    updated_by: found.updatedBy,
    problem: found.problem,
  };
}

/** Wall ms as ISO text. */
export function instant(wall: number | null): string | null {
  return wall === null ? null : new Date(wall).toISOString();
}

/** Members that every object of the store has; `fields` are the kind's own, `sure` those always there. */
export function managedSchema(fields: object, sure: Readonly<Record<string, object>> = {}): object {
  const own = (fields as { readonly properties?: Readonly<Record<string, object>> }).properties ?? {};
  const always = {
    name: TEXT,
    ...sure,
    managed_by: { enum: ['file', 'store'] },
    version: WHOLE,
    created_at: INSTANT_OR_NULL,
    updated_at: INSTANT_OR_NULL,
    updated_by: TEXT_OR_NULL,
    problem: { ...TEXT_OR_NULL, description: 'Why it takes no part at the moment.' },
  };
  return object(always, Object.fromEntries(Object.entries(own).filter(([field]) => !(field in always))));
}

/** Schema of the answer to a removal. */
export const REMOVED = object({ name: TEXT, removed: { const: true } });

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

/** Query parameters of a list of objects. */
export const LIST_PARAMETERS: readonly QueryParameter[] = [
  queryParameter('workspace', TEXT, 'Only those of this workspace.'),
  ...pageParameters(DEFAULT_LIMIT, MAX_LIMIT),
];

/** A page of one kind, by name. */
export function listObjects(
  deps: AdminDeps,
  { query, scope }: AdminCall,
  kind: ObjectKind,
  show: (found: ManagedObject) => object = shownObject,
): object {
  const workspace = query.text('workspace');
  const page = readPage(query, DEFAULT_LIMIT, MAX_LIMIT);
  const found = objectsIn(deps, kind, scope);
  const wanted = workspace === undefined ? found : found.filter((one) => workspaceOf(one) === workspace);
  const { data, next_cursor } = pageOf(wanted, ({ name }) => name, page);
  return { data: data.map((one) => show(one)), next_cursor };
}
