/** Workspaces over HTTP (G-8). An account admin changes everything; a workspace's admin what is its own affair. */
import { isDeepStrictEqual } from 'node:util';
import type { ManagedObject } from '../../config/objects/config-objects.ts';
import { workspaceSchema } from '../../config/schema/tenants.ts';
import { mayChangeWorkspaceField } from '../../core/access/roles.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { bodyJsonSchema, type JsonObject } from './json-body.ts';
import { changeObject, managedSchema } from './managed.ts';
import { NAME } from './object-name.ts';
import { objectRoutes } from './object-routes.ts';
import { patchSchema } from './patch-schema.ts';
import { denied } from './refusals.ts';

export const WORKSPACE_SCHEMAS: Readonly<Record<string, object>> = {
  Workspace: managedSchema(bodyJsonSchema(workspaceSchema)),
};

export function workspaceRoutes(deps: AdminDeps): AdminRoute[] {
  return objectRoutes(deps, {
    kind: 'workspace',
    shape: 'Workspace',
    whole: workspaceSchema,
    create: workspaceSchema.extend({ name: NAME }),
    patch: patchSchema(workspaceSchema),
    needs: { read: 'workspaces.read', make: 'workspaces.make', change: 'workspaces.change' },
    summaries: {
      list: 'Workspaces by name; of a workspace’s admin its own.',
      make: 'Makes a workspace.',
      show: 'One workspace.',
      replace: 'Replaces what a workspace is: fields that are not sent go back to their defaults.',
      change: 'Changes single fields of a workspace; null takes one away.',
      remove: 'Removes a workspace that no key, credential or member belongs to.',
    },
    mayBecome: mayChangeFields,
  });
}

/** A workspace with another body, as far as the caller's role may change it. */
export function putWorkspace(
  deps: AdminDeps,
  call: AdminCall,
  current: ManagedObject,
  body: JsonObject,
): Promise<ManagedObject> {
  mayChangeFields(call, current, body);
  return changeObject(deps, call, current, { body, schema: workspaceSchema });
}

/** G-8: refuses a change of fields that the caller's role may not change; those that stay as they are do no harm. */
function mayChangeFields({ caller }: AdminCall, current: ManagedObject | null, body: JsonObject): void {
  // Who may make one may say everything of it.
  if (current === null) return;
  const fields = new Set([...Object.keys(current.body), ...Object.keys(body)]);
  for (const field of fields) {
    if (isDeepStrictEqual(current.body[field], body[field])) continue;
    if (mayChangeWorkspaceField(caller.role, field)) continue;
    throw denied(`The role ${caller.role} may not change \`${field}\` of a workspace; ask an account admin.`);
  }
}
