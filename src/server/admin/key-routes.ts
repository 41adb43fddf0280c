/** Client keys over HTTP: made, shown once, listed, changed, revoked (G-8, G-9). */
import { newClientKey } from '../../config/objects/new-secret.ts';
import { keySchema } from '../../config/schema/tenants.ts';
import { startAfresh } from '../../runtime/key-rests.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { bodyJsonSchema, type JsonObject } from './json-body.ts';
import { KEY_USE, keyUse } from './key-use.ts';
import { managedSchema, shownObject } from './managed.ts';
import { objectRoutes } from './object-routes.ts';
import { object, schemaRef, TEXT } from './openapi-parts.ts';
import { patchSchema } from './patch-schema.ts';
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
  return objectRoutes(deps, {
    kind: 'key',
    shape: 'Key',
    whole: BODY,
    create: CREATE,
    patch: patchSchema(BODY),
    needs: { read: 'keys.read', make: 'keys.change', change: 'keys.change' },
    summaries: {
      list: 'Client keys by name, with what they used and whether they are suspended.',
      make: 'Makes a client key. Its secret is in this answer and nowhere else.',
      show: 'One client key, without its secret.',
      change: 'Changes fields of a client key; null takes one away. Its secret stays.',
      remove: 'Revokes a client key, at once and for good.',
    },
    minted: { field: 'secret', mint: newClientKey, shape: 'NewKey' },
    show: (found) => shownObject(found, { workspace: found.body['workspace'] ?? 'default', ...keyUse(deps, found) }),
    filledIn: (fields, scope) => ({ ...fields, workspace: fields['workspace'] ?? scope }),
    mayBecome: mustStayInside,
    onMade: ({ name }) => startAfresh(deps.gateway, name),
  });
}

/** G-8. In the same words for a workspace that exists and for one that does not. */
function mustStayInside({ scope }: AdminCall, _current: unknown, body: JsonObject): void {
  if (scope !== null && (body['workspace'] ?? 'default') !== scope) {
    throw denied(`Your keys belong to your workspace \`${scope}\`.`);
  }
}
