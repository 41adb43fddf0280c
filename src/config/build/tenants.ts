/** Workspaces and client keys of a snapshot. */
import type { Config } from '../schema/config-schema.ts';
import { parseInstant } from '../schema/tenants.ts';
import { secretHash } from '../secret-hash.ts';
import type { FailoverDefaults, KeyEntry, WorkspaceEntry } from '../snapshot.ts';

/** Follows aliases to the model. The rules have ruled out circles. */
export function followAliases(
  aliases: Readonly<Record<string, string>>,
  models: (id: string) => boolean,
  name: string,
): string {
  let current = name;
  while (!models(current)) {
    const next: string | undefined = Object.hasOwn(aliases, current) ? aliases[current] : undefined;
    if (next === undefined) break;
    current = next;
  }
  return current;
}

/** `default` is always there. */
export function buildWorkspaces(config: Config): Map<string, WorkspaceEntry> {
  const workspaces = new Map<string, WorkspaceEntry>([
    ['default', { name: 'default', enabledModels: ['*'], redundancy: {}, ceilings: {} }],
  ]);
  for (const [name, entry] of Object.entries(config.workspaces)) {
    workspaces.set(name, {
      name,
      enabledModels: entry.enabled_models,
      redundancy: entry.redundancy,
      ceilings: entry.ceilings,
    });
  }
  return workspaces;
}

type KeyConfig = Config['keys'][number];

function failoverDefaults(config: KeyConfig, resolve: (name: string) => string): FailoverDefaults | null {
  if (config.failover_defaults === undefined) return null;
  const { models, ...options } = config.failover_defaults;
  return { models: models === undefined ? null : [...new Set(models.map(resolve))], options };
}

/** A client key the gateway made itself (first run): known by its hash only. */
export function generatedKey(hash: string): KeyEntry {
  return {
    name: 'first-run',
    workspace: 'default',
    hash,
    models: ['*'],
    expiresAt: null,
    failoverDefaults: null,
    redundancy: {},
    ceilings: {},
  };
}

/** By hash. */
export function buildKeys(config: Config, resolve: (name: string) => string): Map<string, KeyEntry> {
  return new Map(
    config.keys.map((entry) => {
      const key: KeyEntry = {
        name: entry.name,
        workspace: entry.workspace,
        hash: secretHash(entry.secret),
        models: entry.models,
        expiresAt: entry.expires_at === undefined ? null : parseInstant(entry.expires_at),
        failoverDefaults: failoverDefaults(entry, resolve),
        redundancy: entry.redundancy,
        ceilings: entry.ceilings,
      };
      return [key.hash, key] as const;
    }),
  );
}
