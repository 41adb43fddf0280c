/** Members over HTTP: people with a role and a token of their own (G-8). */
import { newMemberToken } from '../../config/objects/new-secret.ts';
import { memberSchema } from '../../config/schema/members.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminRoute } from './admin-route.ts';
import { bodyJsonSchema } from './json-body.ts';
import { managedSchema } from './managed.ts';
import { NAME } from './object-name.ts';
import { objectRoutes } from './object-routes.ts';
import { object, schemaRef, TEXT } from './openapi-parts.ts';
import { patchSchema } from './patch-schema.ts';

const BODY = memberSchema.omit({ token: true });

export const MEMBER_SCHEMAS: Readonly<Record<string, object>> = {
  Member: managedSchema(bodyJsonSchema(BODY), { role: { enum: BODY.shape.role.options } }),
  NewMember: object({
    token: { ...TEXT, description: 'The member’s token. Shown this once: only its hash is kept.' },
    member: schemaRef('Member'),
  }),
};

export function memberRoutes(deps: AdminDeps): AdminRoute[] {
  return objectRoutes(deps, {
    kind: 'member',
    shape: 'Member',
    whole: BODY,
    create: BODY.extend({ name: NAME }),
    patch: patchSchema(BODY),
    needs: { read: 'members.read', make: 'members.change', change: 'members.change' },
    summaries: {
      list: 'Members by name, with their roles.',
      make: 'Adds a member. The token is in this answer and nowhere else.',
      show: 'One member, without token.',
      change: 'Changes a member’s role or workspace; null takes the workspace away. The token stays.',
      remove: 'Removes a member; the token is refused from then on.',
    },
    minted: { field: 'token', mint: newMemberToken, shape: 'NewMember' },
  });
}
