/** Credentials over HTTP: kept sealed, never shown (G-8, G-9). A workspace's admin sees and changes its own alone. */
import type { ManagedObject } from '../../config/objects/config-objects.ts';
import { credentialSchema } from '../../config/schema/upstreams.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { bodyJsonSchema, type JsonObject } from './json-body.ts';
import { managedSchema, shownObject } from './managed.ts';
import { NAME } from './object-name.ts';
import { objectRoutes } from './object-routes.ts';
import { WHOLE } from './openapi-parts.ts';
import { patchSchema } from './patch-schema.ts';
import { denied } from './refusals.ts';

const BODY = credentialSchema.omit({ secret: true });

export const CREDENTIAL_SCHEMAS: Readonly<Record<string, object>> = {
  Credential: managedSchema(bodyJsonSchema(BODY), { kind: { enum: ['platform', 'byok'] }, order: WHOLE }),
};

export function credentialRoutes(deps: AdminDeps): AdminRoute[] {
  return objectRoutes(deps, {
    kind: 'credential',
    shape: 'Credential',
    whole: BODY,
    create: credentialSchema.extend({ name: NAME }),
    patch: patchSchema(credentialSchema).extend({ secret: credentialSchema.shape.secret.optional() }),
    needs: { read: 'credentials.read', make: 'credentials.change', change: 'credentials.change' },
    summaries: {
      list: 'Credentials by name, without their secrets.',
      make: 'Adds a credential. Its secret is sealed and never shown again.',
      show: 'One credential, without its secret.',
      change: 'Changes fields of a credential, its `secret` among them; null takes one away.',
      remove: 'Removes a credential; calls under way with it finish.',
    },
    show: shownCredential,
    filledIn: (fields, scope) => ({
      ...fields,
      kind: fields['kind'] ?? 'byok',
      workspace: fields['workspace'] ?? scope,
    }),
    mayBecome: mustBeOwn,
  });
}

export function shownCredential(found: ManagedObject): JsonObject {
  const { kind, order } = found.body;
  return shownObject(found, { kind: kind ?? 'platform', order: order ?? 0 });
}

/** G-8: platform credentials are the account admin's; another workspace's are nobody's business. */
function mustBeOwn({ scope }: AdminCall, _current: unknown, body: JsonObject): void {
  if (scope === null || (body['kind'] === 'byok' && body['workspace'] === scope)) return;
  throw denied(`Your credentials are of the kind \`byok\` and belong to your workspace \`${scope}\`.`);
}
