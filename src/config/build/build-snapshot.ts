/** A validated configuration as the immutable snapshot the gateway runs on. */
import { networkRules } from '../../core/net/network-rules.ts';
import type { Config } from '../schema/config-schema.ts';
import { secretHash } from '../secret-hash.ts';
import { Secret, type Snapshot, type Wildcards } from '../snapshot.ts';
import { CATALOGUE_DAY } from './figures.ts';
import { buildMembers } from './members.ts';
import { addNamed, buildModels, buildWildcards, type ModelTables } from './models.ts';
import { buildOperations, buildPlaces } from './operations.ts';
import { NOTHING_STORED, type StoredParts } from './stored-parts.ts';
import { buildKeys, buildWorkspaces, followAliases, generatedKey } from './tenants.ts';
import { buildCredentials, buildProviders, SIM_PLACEHOLDER, secretsOf } from './upstreams.ts';
import { indexIds, indexTails } from './with-model.ts';

/** Hashes of what the gateway made itself because no configuration names any (SHA-256, hex). */
export interface GeneratedHashes {
  /** Null = it was revoked, or nobody needed one yet. */
  readonly clientKeyHash: string | null;
  /** Null = nobody needed one yet. */
  readonly adminTokenHash: string | null;
}

export interface BuildOptions {
  /** Unique over the life of the data folder; a reload's is higher than the last. */
  readonly version: number;
  /** Address of the simulator in the process; without it such providers have SIM_PLACEHOLDER. */
  readonly simUrl?: string;
  /** Used where the file has no keys, no admin token. */
  readonly generated?: GeneratedHashes;
  /** ISO date whose prices of the catalogue hold; absent = those of its own day. */
  readonly day?: string;
  /** What of the configuration lives in the store; absent = nothing. */
  readonly stored?: StoredParts;
}

function settings(
  config: Config,
): Pick<
  Snapshot,
  | 'server'
  | 'storePath'
  | 'storeUrl'
  | 'sharedUrl'
  | 'backoff'
  | 'health'
  | 'retryBudget'
  | 'streaming'
  | 'idempotency'
  | 'network'
> {
  const { server, health, retry_budget: budget, streaming } = config;
  return {
    server: {
      host: server.host,
      port: server.port,
      bodyLimit: server.body_limit,
      drainTimeoutMs: server.drain_timeout,
      drainLeadMs: server.drain_lead,
      maxAnswerBytes: server.max_answer_bytes,
      logQueue: server.log_queue,
      metricsToken: server.metrics_token === undefined ? null : new Secret(server.metrics_token),
    },
    ...buildPlaces(config),
    backoff: { baseMs: config.backoff.base_ms, capMs: config.backoff.cap_ms },
    health: {
      rateLimit: { baseMs: health.rate_limit.base_ms, capMs: health.rate_limit.cap_ms },
      quotaMs: health.quota_ms,
      quotaCapMs: health.quota_cap_ms,
      authMs: health.auth_ms,
      modelNotFoundMs: health.model_not_found_ms,
      circuit: {
        windowMs: health.circuit.window_ms,
        minCalls: health.circuit.min_calls,
        ratio: health.circuit.ratio,
        consecutive: health.circuit.consecutive,
        openMs: health.circuit.open_ms,
        openCapMs: health.circuit.open_cap_ms,
      },
    },
    retryBudget: { ratio: budget.ratio, windowMs: budget.window_ms, min: budget.min },
    streaming: {
      keepAliveAfterMs: streaming.keep_alive_after_ms,
      keepAliveEveryMs: streaming.keep_alive_every_ms,
      maxEventBytes: streaming.max_event_bytes,
      maxPreludeBytes: streaming.max_prelude_bytes,
    },
    idempotency: {
      windowMs: config.idempotency.window,
      maxAttemptsPerKey: config.idempotency.max_attempts_per_key,
    },
    network: networkRules(config.network.allow_private),
  };
}

/** How far the file's own models and channels go, before those made on demand. */
function ownSizes({ models, channels }: ModelTables): Pick<Wildcards, 'ownModels' | 'ownChannels'> {
  return { ownModels: models.length, ownChannels: channels.length };
}

/** Compiles; the configuration must have passed schema and rules. */
export function buildSnapshot(config: Config, options: BuildOptions): Snapshot {
  const providers = buildProviders(config, options.simUrl ?? SIM_PLACEHOLDER);
  const stored = options.stored ?? NOTHING_STORED;
  const credentials = buildCredentials(config, stored);
  const wildcards = buildWildcards(config, { providers, credentials });
  const day = options.day ?? CATALOGUE_DAY;
  const tables = buildModels(config, { providers, credentials, day });
  addNamed(tables, config, { providers, credentials, day });
  const modelById = indexIds(tables.models);
  const resolve = (name: string): string => followAliases(config.aliases, (id) => modelById.has(id), name);
  const keys = buildKeys(config, resolve, stored);
  const firstKey = options.generated?.clientKeyHash ?? null;
  const fileHasKeys = config.keys.some(({ name }) => !stored.keys.has(name));
  if (firstKey !== null && !fileHasKeys) keys.set(firstKey, generatedKey(firstKey, config));
  const adminToken = config.admin.token;
  return {
    version: options.version,
    ...settings(config),
    ...buildOperations(config, stored),
    adminTokenHash: adminToken === undefined ? (options.generated?.adminTokenHash ?? null) : secretHash(adminToken),
    ...tables,
    credentials,
    modelById,
    ...(wildcards.size === 0 ? {} : { wildcards: { byProvider: wildcards, day, ...ownSizes(tables) } }),
    modelsByTail: indexTails(tables.models),
    aliases: new Map(Object.keys(config.aliases).map((name) => [name, resolve(name)] as const)),
    workspaces: buildWorkspaces(config, resolve, stored),
    keys,
    answers: new Map(Object.entries(config.answers).map(([name, { text }]) => [name, text] as const)),
    members: buildMembers(config, stored),
    defaults: config.defaults.redundancy,
    policies: config.policies,
    secrets: secretsOf(config, credentials),
  };
}
