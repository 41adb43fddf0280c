/** The routes of one kind of configuration object (list, make, show, change, remove), from what the kind says of itself. */
import type { ManagedObject, ObjectKind } from '../../config/objects/config-objects.ts';
import type { Permission } from '../../core/access/roles.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import type { BodySchema, JsonObject } from './json-body.ts';
import {
  changeObject,
  findObject,
  LIST_PARAMETERS,
  LISTS,
  listObjects,
  makeObject,
  patched,
  REMOVED,
  removeObject,
  shownObject,
} from './managed.ts';
import { listOf, schemaRef } from './openapi-parts.ts';

export interface ObjectResource {
  readonly kind: ObjectKind;
  /** What the body of one is as a whole: every change is checked against it, `replace` takes it. */
  readonly whole: BodySchema;
  readonly create: BodySchema;
  readonly patch: BodySchema;
  /** Name of the schema of one in answers. */
  readonly shape: string;
  /** `make` also removes. */
  readonly needs: { readonly read: Permission; readonly make: Permission; readonly change: Permission };
  readonly summaries: {
    readonly list: string;
    readonly make: string;
    readonly show: string;
    /** Absent = there is no PUT. */
    readonly replace?: string;
    readonly change: string;
    readonly remove: string;
  };
  /** Its secret, where the gateway makes it; else what is sent as `secret` is kept. */
  readonly minted?: MintedSecret;
  /** One as answers show it; without it `shownObject`. */
  readonly show?: (found: ManagedObject) => JsonObject;
  /** What a new one is in full, from the fields sent, inside a scope (G-8). */
  readonly filledIn?: (fields: JsonObject, scope: string) => JsonObject;
  /** Throws `ClientError` 403 for a body that the caller may not make of it (G-8). `current` null = a new one. */
  readonly mayBecome?: (call: AdminCall, current: ManagedObject | null, body: JsonObject) => void;
  /** After a new one is in force. */
  readonly onMade?: (made: ManagedObject) => void;
  /** After one is gone. */
  readonly onRemoved?: (name: string) => Promise<void>;
}

/** A secret that only the answer which made it shows: `{[field]: SECRET, [kind]: OBJECT}`. */
export interface MintedSecret {
  readonly field: 'secret' | 'token';
  readonly mint: () => string;
  /** Name of the schema of that answer. */
  readonly shape: string;
}

/** Their paths are `LISTS` of the kind and, for one object, its name below. */
export function objectRoutes(deps: AdminDeps, resource: ObjectResource): AdminRoute[] {
  const { kind, whole, create, patch, shape, needs, summaries, minted, show = shownObject } = resource;
  const list = LISTS[kind];
  const one = `${list}/{id}`;
  const change = async (call: AdminCall, next: (body: JsonObject, sent: JsonObject) => JsonObject) =>
    show(await changeOne(deps, resource, call, next));
  const replace: AdminRoute[] =
    summaries.replace === undefined
      ? []
      : [
          {
            method: 'PUT',
            path: one,
            summary: summaries.replace,
            needs: needs.change,
            parameters: [],
            body: whole,
            answer: schemaRef(shape),
            audit: 'in_change',
            handle: (call) => change(call, (_body, sent) => sent),
          },
        ];
  return [
    {
      method: 'GET',
      path: list,
      summary: summaries.list,
      needs: needs.read,
      parameters: LIST_PARAMETERS,
      answer: listOf(shape),
      handle: (call) => listObjects(deps, call, kind, show),
    },
    {
      method: 'POST',
      path: list,
      summary: summaries.make,
      needs: needs.make,
      parameters: [],
      body: create,
      answer: schemaRef(minted?.shape ?? shape),
      status: 201,
      audit: 'in_change',
      handle: (call) => makeOne(deps, resource, call),
    },
    {
      method: 'GET',
      path: one,
      summary: summaries.show,
      needs: needs.read,
      parameters: [],
      answer: schemaRef(shape),
      handle: ({ id, scope }) => show(findObject(deps, kind, id, scope)),
    },
    ...replace,
    {
      method: 'PATCH',
      path: one,
      summary: summaries.change,
      needs: needs.change,
      parameters: [],
      body: patch,
      answer: schemaRef(shape),
      audit: 'in_change',
      handle: (call) => change(call, patched),
    },
    {
      method: 'DELETE',
      path: one,
      summary: summaries.remove,
      needs: needs.make,
      parameters: [],
      answer: REMOVED,
      audit: 'in_change',
      handle: async (call) => {
        const removed = await removeObject(deps, call, kind);
        await resource.onRemoved?.(call.id);
        return removed;
      },
    },
  ];
}

async function makeOne(deps: AdminDeps, resource: ObjectResource, call: AdminCall): Promise<JsonObject> {
  const { kind, minted, filledIn, mayBecome, onMade, show = shownObject } = resource;
  const { name, secret: sent, ...fields } = call.body;
  const body = call.scope === null || filledIn === undefined ? fields : filledIn(fields, call.scope);
  mayBecome?.(call, null, body);
  const secret = minted === undefined ? sent : minted.mint();
  const made = await makeObject(deps, call, { kind, name: String(name), body, ...given(secret) });
  onMade?.(made);
  return minted === undefined ? show(made) : { [minted.field]: secret, [kind]: show(made) };
}

function changeOne(
  deps: AdminDeps,
  { kind, whole, mayBecome }: ObjectResource,
  call: AdminCall,
  next: (body: JsonObject, sent: JsonObject) => JsonObject,
): Promise<ManagedObject> {
  const current = findObject(deps, kind, call.id, call.scope);
  const { secret, ...fields } = call.body;
  const body = next(current.body, fields);
  mayBecome?.(call, current, body);
  return changeObject(deps, call, current, { body, schema: whole, ...given(secret) });
}

function given(secret: unknown): { readonly secret?: string } {
  return typeof secret === 'string' ? { secret } : {};
}
