/** Client keys over HTTP: made, shown once, listed, changed, revoked (G-8, G-9). */
import type { ManagedObject } from '../../config/objects/config-objects.ts';
import { newClientKey } from '../../config/objects/new-secret.ts';
import { keySchema } from '../../config/schema/tenants.ts';
import { startAfresh } from '../../runtime/key-rests.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { bodyJsonSchema, type JsonObject } from './json-body.ts';
import { KEY_USE, keyUse } from './key-use.ts';
import {
  changeObject,
  findObject,
  LIST_PARAMETERS,
  listObjects,
  makeObject,
  managedSchema,
  patched,
  REMOVED,
  removeObject,
  shownObject,
} from './managed.ts';
import { listOf, object, schemaRef, TEXT } from './openapi-parts.ts';
import { patchSchema } from './patch-schema.ts';
import { QueryParameters } from './query-parameters.ts';
import { denied } from './refusals.ts';

const CREATE = keySchema.omit({ secret: true });
const BODY = CREATE.omit({ name: true });

export const KEY_SCHEMAS: Readonly<Record<string, object>> = {
  Key: managedSchema(bodyJsonSchema(BODY), { workspace: TEXT, ...KEY_USE }),
  NewKey: object({
    secret: { ...TEXT, description: 'The client key. Shown this once: only its hash is kept.' },
    key: schemaRef('Key'),
  }),
};

export function keyRoutes(deps: AdminDeps): AdminRoute[] {
  const show = (found: ManagedObject): JsonObject =>
    shownObject(found, { workspace: found.body['workspace'] ?? 'default', ...keyUse(deps, found) });
  return [
    {
      method: 'GET',
      path: '/v1/keys',
      summary: 'Client keys by name, with what they used and whether they are suspended.',
      needs: 'keys.read',
      parameters: LIST_PARAMETERS,
      answer: listOf('Key'),
      handle: (call) => listObjects(deps, call, 'key', show),
    },
    {
      method: 'POST',
      path: '/v1/keys',
      summary: 'Makes a client key. Its secret is in this answer and nowhere else.',
      needs: 'keys.change',
      parameters: [],
      body: CREATE,
      answer: schemaRef('NewKey'),
      status: 201,
      handle: async (call) => {
        const { secret, made } = await makeKey(deps, call);
        return { secret, key: show(made) };
      },
    },
    {
      method: 'GET',
      path: '/v1/keys/{id}',
      summary: 'One client key, without its secret.',
      needs: 'keys.read',
      parameters: [],
      answer: schemaRef('Key'),
      handle: ({ query, id, scope }) => {
        new QueryParameters(query, []);
        return show(findObject(deps, 'key', id, scope));
      },
    },
    {
      method: 'PATCH',
      path: '/v1/keys/{id}',
      summary: 'Changes fields of a client key; null takes one away. Its secret stays.',
      needs: 'keys.change',
      parameters: [],
      body: patchSchema(BODY),
      answer: schemaRef('Key'),
      handle: async (call) => show(await changeKey(deps, call)),
    },
    {
      method: 'DELETE',
      path: '/v1/keys/{id}',
      summary: 'Revokes a client key, at once and for good.',
      needs: 'keys.change',
      parameters: [],
      answer: REMOVED,
      handle: (call) => removeObject(deps, call, 'key'),
    },
  ];
}

async function makeKey(
  deps: AdminDeps,
  call: AdminCall,
): Promise<{ readonly secret: string; readonly made: ManagedObject }> {
  const {
    query,
    body: { name, ...fields },
    scope,
  } = call;
  new QueryParameters(query, []);
  const body = { ...fields, ...(scope === null ? {} : { workspace: fields['workspace'] ?? scope }) };
  mustStayInside(body, scope);
  const secret = newClientKey();
  const made = await makeObject(deps, call, { kind: 'key', name: String(name), body, secret });
  startAfresh(deps.gateway, made.name);
  return { secret, made };
}

function changeKey(deps: AdminDeps, call: AdminCall): Promise<ManagedObject> {
  new QueryParameters(call.query, []);
  const current = findObject(deps, 'key', call.id, call.scope);
  const body = patched(current.body, call.body);
  mustStayInside(body, call.scope);
  return changeObject(deps, call, current, { body, schema: BODY });
}

/** G-8. In the same words for a workspace that exists and for one that does not. */
function mustStayInside(body: JsonObject, scope: string | null): void {
  if (scope !== null && (body['workspace'] ?? 'default') !== scope) {
    throw denied(`Your keys belong to your workspace \`${scope}\`.`);
  }
}
