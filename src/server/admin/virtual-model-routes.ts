/** Virtual models over HTTP (C-6): parts of workspaces, by workspace and name. */
import type { ManagedObject } from '../../config/objects/config-objects.ts';
import { workspaceSchema } from '../../config/schema/tenants.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { bodyJsonSchema, type JsonObject } from './json-body.ts';
import { findObject, LIST_PARAMETERS, objectsIn, REMOVED } from './managed.ts';
import { listOf, object, schemaRef, TEXT } from './openapi-parts.ts';
import { pageOf, readPage } from './paging.ts';
import { noSuch } from './refusals.ts';
import { putWorkspace } from './workspace-routes.ts';

const VIRTUAL_MODEL = workspaceSchema.shape.virtual_models.unwrap().valueType;

const { properties } = bodyJsonSchema(VIRTUAL_MODEL) as { readonly properties: Readonly<Record<string, object>> };

export const VIRTUAL_MODEL_SCHEMAS: Readonly<Record<string, object>> = {
  VirtualModel: object({ workspace: TEXT, name: TEXT, managed_by: { enum: ['file', 'store'] } }, properties),
};

const PATH = '/v1/virtual-models/{workspace}/{name}';

export function virtualModelRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/virtual-models',
      summary: 'Virtual models of all workspaces, or of one.',
      needs: 'workspaces.read',
      parameters: LIST_PARAMETERS,
      answer: listOf('VirtualModel'),
      handle: (call) => listVirtualModels(deps, call),
    },
    {
      method: 'PUT',
      path: PATH,
      summary: 'Makes or replaces a virtual model of a workspace.',
      needs: 'workspaces.change',
      parameters: [],
      body: VIRTUAL_MODEL,
      answer: schemaRef('VirtualModel'),
      audit: 'in_change',
      handle: async (call) => {
        const workspace = await change(deps, call, (models, name) => ({ ...models, [name]: call.body }));
        return shown(workspace, call.params['name'] ?? '');
      },
    },
    {
      method: 'DELETE',
      path: PATH,
      summary: 'Removes a virtual model from its workspace.',
      needs: 'workspaces.change',
      parameters: [],
      answer: REMOVED,
      audit: 'in_change',
      handle: async (call) => {
        await change(deps, call, (models, name) => {
          if (!Object.hasOwn(models, name)) throw noSuch('virtual model', name, '/v1/virtual-models');
          return Object.fromEntries(Object.entries(models).filter(([other]) => other !== name));
        });
        return { name: call.params['name'] ?? '', removed: true };
      },
    },
  ];
}

function modelsOf(workspace: ManagedObject): JsonObject {
  return (workspace.body['virtual_models'] as JsonObject | undefined) ?? {};
}

function shown(workspace: ManagedObject, name: string): JsonObject {
  const model = modelsOf(workspace)[name] as JsonObject;
  return { workspace: workspace.name, name, managed_by: workspace.managedBy, ...model };
}

function listVirtualModels(deps: AdminDeps, { query, scope }: AdminCall): object {
  const workspace = query.text('workspace');
  const all = objectsIn(deps, 'workspace', scope)
    .filter(({ name }) => workspace === undefined || name === workspace)
    .flatMap((one) =>
      Object.keys(modelsOf(one)).map((name) => ({ id: `${one.name} ${name}`, shown: shown(one, name) })),
    );
  const { data, next_cursor } = pageOf(all, ({ id }) => id, readPage(query, 100, 1000));
  return { data: data.map((one) => one.shown), next_cursor };
}

function change(
  deps: AdminDeps,
  call: AdminCall,
  next: (models: JsonObject, name: string) => JsonObject,
): Promise<ManagedObject> {
  const current = findObject(deps, 'workspace', call.params['workspace'] ?? '', call.scope);
  const models = next(modelsOf(current), call.params['name'] ?? '');
  return putWorkspace(deps, call, current, { ...current.body, virtual_models: models });
}
