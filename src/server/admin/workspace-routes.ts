/** Workspaces over HTTP (G-8). An account admin changes everything; a workspace's admin what is its own affair. */
import { isDeepStrictEqual } from 'node:util';
import type { ManagedObject } from '../../config/objects/config-objects.ts';
import { workspaceSchema } from '../../config/schema/tenants.ts';
import { mayChangeWorkspaceField } from '../../core/access/roles.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { bodyJsonSchema, type JsonObject } from './json-body.ts';
import {
  changeObject,
  findObject,
  LIST_PARAMETERS,
  listObjects,
  managedSchema,
  patched,
  REMOVED,
  removeObject,
  shownObject,
} from './managed.ts';
import { NAME } from './object-name.ts';
import { listOf, schemaRef } from './openapi-parts.ts';
import { patchSchema } from './patch-schema.ts';
import { QueryParameters } from './query-parameters.ts';
import { denied } from './refusals.ts';

const CREATE = workspaceSchema.extend({ name: NAME });

export const WORKSPACE_SCHEMAS: Readonly<Record<string, object>> = {
  Workspace: managedSchema(bodyJsonSchema(workspaceSchema)),
};

export function workspaceRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/workspaces',
      summary: 'Workspaces by name; of a workspace’s admin its own.',
      needs: 'workspaces.read',
      parameters: LIST_PARAMETERS,
      answer: listOf('Workspace'),
      handle: (call) => listObjects(deps, call, 'workspace'),
    },
    {
      method: 'POST',
      path: '/v1/workspaces',
      summary: 'Makes a workspace.',
      needs: 'workspaces.make',
      parameters: [],
      body: CREATE,
      answer: schemaRef('Workspace'),
      status: 201,
      handle: async ({ query, body: { name, ...body }, caller }) => {
        new QueryParameters(query, []);
        return shownObject(await deps.objects.put('workspace', String(name), body, { by: caller.name, create: true }));
      },
    },
    {
      method: 'GET',
      path: '/v1/workspaces/{id}',
      summary: 'One workspace.',
      needs: 'workspaces.read',
      parameters: [],
      answer: schemaRef('Workspace'),
      handle: ({ query, id, scope }) => {
        new QueryParameters(query, []);
        return shownObject(findObject(deps, 'workspace', id, scope));
      },
    },
    {
      method: 'PUT',
      path: '/v1/workspaces/{id}',
      summary: 'Replaces what a workspace is: fields that are not sent go back to their defaults.',
      needs: 'workspaces.change',
      parameters: [],
      body: workspaceSchema,
      answer: schemaRef('Workspace'),
      handle: (call) => changeWorkspace(deps, call, () => call.body),
    },
    {
      method: 'PATCH',
      path: '/v1/workspaces/{id}',
      summary: 'Changes single fields of a workspace; null takes one away.',
      needs: 'workspaces.change',
      parameters: [],
      body: patchSchema(workspaceSchema),
      answer: schemaRef('Workspace'),
      handle: (call) => changeWorkspace(deps, call, (body) => patched(body, call.body)),
    },
    {
      method: 'DELETE',
      path: '/v1/workspaces/{id}',
      summary: 'Removes a workspace that no key, credential or member belongs to.',
      needs: 'workspaces.make',
      parameters: [],
      answer: REMOVED,
      handle: (call) => removeObject(deps, call, 'workspace'),
    },
  ];
}

async function changeWorkspace(
  deps: AdminDeps,
  call: AdminCall,
  next: (body: JsonObject) => JsonObject,
): Promise<JsonObject> {
  new QueryParameters(call.query, []);
  const current = findObject(deps, 'workspace', call.id, call.scope);
  return shownObject(await putWorkspace(deps, call, current, next(current.body)));
}

/** G-8: refuses a change of fields that the caller's role may not change; those that stay as they are do no harm. */
export function putWorkspace(
  deps: AdminDeps,
  call: AdminCall,
  current: ManagedObject,
  body: JsonObject,
): Promise<ManagedObject> {
  const fields = new Set([...Object.keys(current.body), ...Object.keys(body)]);
  for (const field of fields) {
    if (isDeepStrictEqual(current.body[field], body[field])) continue;
    if (mayChangeWorkspaceField(call.caller.role, field)) continue;
    throw denied(`The role ${call.caller.role} may not change \`${field}\` of a workspace; ask an account admin.`);
  }
  return changeObject(deps, call, current, { body, schema: workspaceSchema });
}
