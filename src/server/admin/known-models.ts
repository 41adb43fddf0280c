/** G-8: models are the account's to grant; a workspace's admin names those there are. */
import { namedModels } from '../../config/rules/named-models.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { JsonObject } from './json-body.ts';
import { denied } from './refusals.ts';

/** Refuses, inside a scope, a body that would make a model by naming it. `body`: a workspace's or a key's. */
export function mustNameKnownModels(deps: AdminDeps, scope: string | null, body: JsonObject): void {
  if (scope === null) return;
  const { modelById, aliases, wildcards, workspaces } = deps.gateway.snapshot();
  const own = workspaces.get(scope)?.virtualModels;
  for (const name of namedModels({ workspaces: { [scope]: body }, keys: [body] })) {
    const slash = name.indexOf('/');
    if (slash < 0 || modelById.has(name) || aliases.has(name) || own?.has(name) === true) continue;
    if (wildcards?.byProvider.has(name.slice(0, slash)) === true) continue;
    throw denied(`No model \`${name.slice(0, 256)}\` is listed here; ask an account admin to add it.`);
  }
}
