/** The order of credentials as one call (P-1): what an admin drags into place. */
import * as z from 'zod';
import type { ManagedObject } from '../../config/objects/config-objects.ts';
import { list, text } from '../../config/schema/fields.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { badParameter } from './bad-parameter.ts';
import { shownCredential } from './credential-routes.ts';
import { objectsIn } from './managed.ts';
import { listOf } from './openapi-parts.ts';
import { conflict, noSuch } from './refusals.ts';

const ORDER = z.strictObject({
  workspace: text('must be the name of a workspace')
    .describe('Whose credentials; absent = the platform’s, or of a workspace’s admin its own.')
    .exactOptional(),
  names: list(text('must be the name of a credential'), { min: 1, of: 'names of credentials' }).describe(
    'All of them, the one to try first in front.',
  ),
});

export function credentialOrderRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'POST',
      path: '/v1/credentials/reorder',
      summary: 'Sets the order in which the credentials of a workspace, or of the platform, are tried.',
      needs: 'credentials.change',
      parameters: [],
      body: ORDER,
      answer: listOf('Credential'),
      audit: 'in_change',
      handle: (call) => reorder(deps, call),
    },
  ];
}

async function reorder(deps: AdminDeps, { body, caller, scope, origin }: AdminCall): Promise<object> {
  const workspace = typeof body['workspace'] === 'string' ? body['workspace'] : scope;
  if (scope !== null && workspace !== scope) throw noSuch('workspace', String(workspace), '/v1/workspaces');
  const found = inOrder(credentialsOf(deps, workspace), body['names'] as readonly string[]);
  const changes = placed(found).filter(({ one, order }) => (one.body['order'] ?? 0) !== order);
  for (const { one, order } of changes) {
    const changed = { ...one.body, order };
    await deps.objects.put('credential', one.name, changed, {
      by: caller.name,
      call: origin,
      create: false,
      expectedVersion: one.version,
      ...(scope === null ? {} : { inside: scope }),
    });
  }
  const after = inOrder(credentialsOf(deps, workspace), body['names'] as readonly string[]);
  return { data: after.map(shownCredential), next_cursor: null };
}

function credentialsOf(deps: AdminDeps, workspace: string | null): readonly ManagedObject[] {
  const kind = workspace === null ? 'platform' : 'byok';
  return objectsIn(deps, 'credential', workspace).filter((one) => (one.body['kind'] ?? 'platform') === kind);
}

/** All of them, each once, as named. */
function inOrder(found: readonly ManagedObject[], names: readonly string[]): ManagedObject[] {
  const byName = new Map(found.map((one) => [one.name, one] as const));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw badParameter('names', `names \`${twice}\` twice`);
  const unknown = names.find((name) => !byName.has(name));
  if (unknown !== undefined) throw badParameter('names', `names \`${unknown.slice(0, 128)}\`, which is not among them`);
  const missing = found.find(({ name }) => !names.includes(name));
  if (missing !== undefined) throw badParameter('names', `must name all of them; \`${missing.name}\` is missing`);
  return names.map((name) => byName.get(name)!);
}

/** Rising numbers; those of the file's stay, and the others go around them. */
function placed(found: readonly ManagedObject[]): { readonly one: ManagedObject; readonly order: number }[] {
  let last = -1;
  return found.map((one) => {
    const fixed = one.managedBy === 'file' ? Number(one.body['order'] ?? 0) : null;
    if (fixed !== null && fixed <= last) {
      throw conflict(`The file gives \`${one.name}\` the order ${fixed}: there is no room for those before it.`);
    }
    last = fixed ?? last + 1;
    return { one, order: last };
  });
}
