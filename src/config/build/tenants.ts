/** Workspaces and client keys of a snapshot. */

import { KEPT_DEFAULTS } from '../schema/answers.ts';
import type { Config } from '../schema/config-schema.ts';
import { parseInstant } from '../schema/tenants.ts';
import { secretHash } from '../secret-hash.ts';
import type {
  AnswerKeeping,
  FailoverDefaults,
  GuardrailsEntry,
  KeyEntry,
  KeyIdempotency,
  ManagedBy,
  RoutingEntry,
  VirtualModelEntry,
  WorkspaceEntry,
} from '../snapshot.ts';
import { limitsOf, nanoUsd } from './limits.ts';
import { ownerOf, type StoredParts } from './stored-parts.ts';

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

type WorkspaceConfig = Config['workspaces'][string];
type Resolve = (name: string) => string;

const NO_ROUTING: RoutingEntry = { strategy: 'priority', affinity: 'none', channels: new Map() };

function routingOf(config: WorkspaceConfig['routing'], resolve: Resolve): RoutingEntry {
  if (config === undefined) return NO_ROUTING;
  const channels = Object.entries(config.channels ?? {}).map(([model, preferences]) => {
    const byChannel = Object.entries(preferences).map(([id, { prefer, byok_only }]) => {
      return [id, { prefer: prefer ?? false, byokOnly: byok_only ?? false }] as const;
    });
    return [resolve(model), new Map(byChannel)] as const;
  });
  return {
    strategy: config.strategy ?? 'priority',
    affinity: config.affinity ?? 'none',
    channels: new Map(channels),
  };
}

function virtualModelsOf(config: WorkspaceConfig, resolve: Resolve): ReadonlyMap<string, VirtualModelEntry> {
  const entries = Object.entries(config.virtual_models ?? {}).map(([name, entry]) => {
    const virtual: VirtualModelEntry = {
      name,
      models: [...new Set(entry.models.map(resolve))],
      routing: entry.routing === undefined ? null : routingOf(entry.routing, resolve),
      redundancy: entry.redundancy ?? {},
    };
    return [name, virtual] as const;
  });
  return new Map(entries);
}

function guardrailsOf(config: WorkspaceConfig['guardrails']): GuardrailsEntry {
  return {
    denyModels: config?.deny_models ?? [],
    denyChannels: config?.deny_channels ?? [],
    allowRegions: config?.allow_regions ?? null,
    denyRegions: config?.deny_regions ?? [],
    maxPrivacy: config?.max_privacy ?? null,
  };
}

function keepingOf(config: WorkspaceConfig['answers']): AnswerKeeping | null {
  if (config?.keep !== true) return null;
  return {
    maxAgeMs: config.max_age ?? KEPT_DEFAULTS.maxAgeMs,
    maxBytes: config.max_bytes ?? KEPT_DEFAULTS.maxBytes,
  };
}

function workspaceEntry(name: string, config: WorkspaceConfig, resolve: Resolve, managedBy: ManagedBy): WorkspaceEntry {
  const { default_model: fallback, balance_usd: balance } = config;
  return {
    name,
    enabledModels: config.enabled_models,
    enabledChannels: config.enabled_channels,
    redundancy: config.redundancy,
    ceilings: config.ceilings,
    defaultModel: typeof fallback === 'string' ? resolve(fallback) : null,
    routing: routingOf(config.routing, resolve),
    virtualModels: virtualModelsOf(config, resolve),
    auto: [...new Set((config.auto ?? []).map(resolve))],
    guardrails: guardrailsOf(config.guardrails),
    limits: limitsOf(config.limits),
    answers: keepingOf(config.answers),
    balance: nanoUsd(balance ?? undefined),
    managedBy,
  };
}

const BARE: WorkspaceConfig = { enabled_models: ['*'], enabled_channels: ['*'], redundancy: {}, ceilings: {} };

/** `default` is always there. */
export function buildWorkspaces(config: Config, resolve: Resolve, stored: StoredParts): Map<string, WorkspaceEntry> {
  const named = { default: BARE, ...config.workspaces };
  return new Map(
    Object.entries(named).map(([name, entry]) => {
      // The one that is always there can be given fields in the store as long as the file does not name it.
      const managedBy = Object.hasOwn(config.workspaces, name) ? ownerOf(stored.workspaces, name) : 'store';
      return [name, workspaceEntry(name, entry, resolve, managedBy)] as const;
    }),
  );
}

type KeyConfig = Config['keys'][number];

function failoverDefaults(config: KeyConfig, resolve: (name: string) => string): FailoverDefaults | null {
  if (config.failover_defaults === undefined) return null;
  const { models, ...options } = config.failover_defaults;
  return { models: models === undefined ? null : [...new Set(models.map(resolve))], options };
}

type IdempotencyConfig = Pick<KeyConfig, 'auto_idempotency' | 'idempotency_scope'>;

function idempotencyOf(key: IdempotencyConfig, workspace: IdempotencyConfig | undefined): KeyIdempotency {
  return {
    auto: key.auto_idempotency ?? workspace?.auto_idempotency ?? false,
    scope: key.idempotency_scope ?? workspace?.idempotency_scope ?? 'key',
  };
}

/** A client key the gateway made itself (first run): known by its hash only. */
export function generatedKey(hash: string, config: Pick<Config, 'workspaces'>): KeyEntry {
  return {
    name: 'first-run',
    workspace: 'default',
    hash,
    models: ['*'],
    expiresAt: null,
    failoverDefaults: null,
    redundancy: {},
    ceilings: {},
    limits: null,
    allowRehearse: false,
    idempotency: idempotencyOf({}, config.workspaces['default']),
    managedBy: 'store',
  };
}

/** By hash. */
export function buildKeys(config: Config, resolve: Resolve, stored: StoredParts): Map<string, KeyEntry> {
  return new Map(
    config.keys.map((entry) => {
      const key: KeyEntry = {
        name: entry.name,
        workspace: entry.workspace,
        hash: stored.keys.get(entry.name) ?? secretHash(entry.secret),
        models: entry.models,
        expiresAt: entry.expires_at === undefined ? null : parseInstant(entry.expires_at),
        failoverDefaults: failoverDefaults(entry, resolve),
        redundancy: entry.redundancy,
        ceilings: entry.ceilings,
        limits: limitsOf(entry.limits),
        allowRehearse: entry.allow_rehearse ?? false,
        idempotency: idempotencyOf(entry, config.workspaces[entry.workspace]),
        managedBy: ownerOf(stored.keys, entry.name),
      };
      return [key.hash, key] as const;
    }),
  );
}
