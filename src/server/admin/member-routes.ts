/** Members over HTTP: people with a role and a token of their own (G-8). */
import { newMemberToken } from '../../config/objects/new-secret.ts';
import { memberSchema } from '../../config/schema/members.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminRoute } from './admin-route.ts';
import { bodyJsonSchema } from './json-body.ts';
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
import { listOf, object, schemaRef, TEXT } from './openapi-parts.ts';
import { patchSchema } from './patch-schema.ts';
import { QueryParameters } from './query-parameters.ts';

const BODY = memberSchema.omit({ token: true });
const CREATE = BODY.extend({ name: NAME });

export const MEMBER_SCHEMAS: Readonly<Record<string, object>> = {
  Member: managedSchema(bodyJsonSchema(BODY), { role: { enum: BODY.shape.role.options } }),
  NewMember: object({
    token: { ...TEXT, description: 'The member’s token. Shown this once: only its hash is kept.' },
    member: schemaRef('Member'),
  }),
};

export function memberRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/members',
      summary: 'Members by name, with their roles.',
      needs: 'members.read',
      parameters: LIST_PARAMETERS,
      answer: listOf('Member'),
      handle: (call) => listObjects(deps, call, 'member'),
    },
    {
      method: 'POST',
      path: '/v1/members',
      summary: 'Adds a member. The token is in this answer and nowhere else.',
      needs: 'members.change',
      parameters: [],
      body: CREATE,
      answer: schemaRef('NewMember'),
      status: 201,
      handle: async ({ query, body: { name, ...body }, caller }) => {
        new QueryParameters(query, []);
        const token = newMemberToken();
        const made = await deps.objects.put('member', String(name), body, {
          by: caller.name,
          create: true,
          secret: token,
        });
        return { token, member: shownObject(made) };
      },
    },
    {
      method: 'GET',
      path: '/v1/members/{id}',
      summary: 'One member, without token.',
      needs: 'members.read',
      parameters: [],
      answer: schemaRef('Member'),
      handle: ({ query, id, scope }) => {
        new QueryParameters(query, []);
        return shownObject(findObject(deps, 'member', id, scope));
      },
    },
    {
      method: 'PATCH',
      path: '/v1/members/{id}',
      summary: 'Changes a member’s role or workspace; null takes the workspace away. The token stays.',
      needs: 'members.change',
      parameters: [],
      body: patchSchema(BODY),
      answer: schemaRef('Member'),
      handle: async (call) => {
        new QueryParameters(call.query, []);
        const current = findObject(deps, 'member', call.id, call.scope);
        const body = patched(current.body, call.body);
        return shownObject(await changeObject(deps, call, current, { body, schema: BODY }));
      },
    },
    {
      method: 'DELETE',
      path: '/v1/members/{id}',
      summary: 'Removes a member; the token is refused from then on.',
      needs: 'members.change',
      parameters: [],
      answer: REMOVED,
      handle: (call) => removeObject(deps, call, 'member'),
    },
  ];
}
