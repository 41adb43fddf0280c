/** Credentials over HTTP: kept sealed, never shown (G-8, G-9). A workspace's admin sees and changes its own alone. */
import type { ManagedObject } from '../../config/objects/config-objects.ts';
import { credentialSchema } from '../../config/schema/upstreams.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { bodyJsonSchema, type JsonObject } from './json-body.ts';
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
import { NAME } from './object-name.ts';
import { listOf, schemaRef, WHOLE } from './openapi-parts.ts';
import { patchSchema } from './patch-schema.ts';
import { QueryParameters } from './query-parameters.ts';
import { denied } from './refusals.ts';

const CREATE = credentialSchema.extend({ name: NAME });
const BODY = credentialSchema.omit({ secret: true });

export const CREDENTIAL_SCHEMAS: Readonly<Record<string, object>> = {
  Credential: managedSchema(bodyJsonSchema(BODY), { kind: { enum: ['platform', 'byok'] }, order: WHOLE }),
};

export function credentialRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/credentials',
      summary: 'Credentials by name, without their secrets.',
      needs: 'credentials.read',
      parameters: LIST_PARAMETERS,
      answer: listOf('Credential'),
      handle: (call) => listObjects(deps, call, 'credential', shownCredential),
    },
    {
      method: 'POST',
      path: '/v1/credentials',
      summary: 'Adds a credential. Its secret is sealed and never shown again.',
      needs: 'credentials.change',
      parameters: [],
      body: CREATE,
      answer: schemaRef('Credential'),
      status: 201,
      handle: async (call) => shownCredential(await makeCredential(deps, call)),
    },
    {
      method: 'GET',
      path: '/v1/credentials/{id}',
      summary: 'One credential, without its secret.',
      needs: 'credentials.read',
      parameters: [],
      answer: schemaRef('Credential'),
      handle: ({ query, id, scope }) => {
        new QueryParameters(query, []);
        return shownCredential(findObject(deps, 'credential', id, scope));
      },
    },
    {
      method: 'PATCH',
      path: '/v1/credentials/{id}',
      summary: 'Changes fields of a credential, its `secret` among them; null takes one away.',
      needs: 'credentials.change',
      parameters: [],
      body: patchSchema(credentialSchema).extend({ secret: credentialSchema.shape.secret.optional() }),
      answer: schemaRef('Credential'),
      handle: async (call) => shownCredential(await changeCredential(deps, call)),
    },
    {
      method: 'DELETE',
      path: '/v1/credentials/{id}',
      summary: 'Removes a credential; calls under way with it finish.',
      needs: 'credentials.change',
      parameters: [],
      answer: REMOVED,
      handle: (call) => removeObject(deps, call, 'credential'),
    },
  ];
}

export function shownCredential(found: ManagedObject): JsonObject {
  const { kind, order } = found.body;
  return shownObject(found, { kind: kind ?? 'platform', order: order ?? 0 });
}

function makeCredential(deps: AdminDeps, call: AdminCall): Promise<ManagedObject> {
  const { query, body, scope } = call;
  new QueryParameters(query, []);
  const { name, secret, ...fields } = body;
  const own = scope === null ? {} : { kind: fields['kind'] ?? 'byok', workspace: fields['workspace'] ?? scope };
  const whole = { ...fields, ...own };
  mustBeOwn(whole, scope);
  return makeObject(deps, call, { kind: 'credential', name: String(name), body: whole, secret: String(secret) });
}

function changeCredential(deps: AdminDeps, call: AdminCall): Promise<ManagedObject> {
  new QueryParameters(call.query, []);
  const current = findObject(deps, 'credential', call.id, call.scope);
  const { secret, ...fields } = call.body;
  const body = patched(current.body, fields);
  mustBeOwn(body, call.scope);
  const renewed = typeof secret === 'string' ? { secret } : {};
  return changeObject(deps, call, current, { body, schema: BODY, ...renewed });
}

/** G-8: platform credentials are the account admin's; another workspace's are nobody's business. */
function mustBeOwn(body: JsonObject, scope: string | null): void {
  if (scope === null || (body['kind'] === 'byok' && body['workspace'] === scope)) return;
  throw denied(`Your credentials are of the kind \`byok\` and belong to your workspace \`${scope}\`.`);
}
