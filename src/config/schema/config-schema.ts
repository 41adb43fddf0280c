/** The whole configuration file: one definition for validation, the JSON Schema and the reference. */
import * as z from 'zod';
import { POLICIES, POLICY_NAMES, STEPS } from '../../core/failover/policy.ts';
import { DEFAULT_HEALTH } from '../../core/health/settings.ts';
import { staticAnswerSchema } from './answers.ts';
import {
  decimal,
  duration,
  int,
  list,
  MAX_TIMER_MS,
  mapping,
  named,
  oneOf,
  pattern,
  secret,
  size,
  text,
} from './fields.ts';
import { memberSchema } from './members.ts';
import { alertsSchema, entitlementSchema, retentionSchema, webhookSchema } from './operations.ts';
import { operatorRedundancy } from './redundancy.ts';
import { keySchema, workspaceSchema } from './tenants.ts';
import { credentialSchema, modelSchema, providerSchema } from './upstreams.ts';

const KIB = 1024;
const MIB = KIB * KIB;
const GIB = KIB * MIB;
const ms = (fallback: number, min = 1) => int(min, MAX_TIMER_MS, 'ms').default(fallback);

const serverSchema = mapping({
  host: text('must be an address to listen on').describe('Address to listen on.').default('127.0.0.1'),
  port: int(0, 65_535).describe('Port to listen on; 0 takes a free one.').default(4000),
  body_limit: size(KIB, GIB).describe('Largest request body.').prefault('32mb'),
  drain_timeout: duration(0, MAX_TIMER_MS)
    .describe('How long running requests may finish on SIGTERM. `--drain-timeout` beats it.')
    .prefault('300s'),
  drain_lead: duration(0, MAX_TIMER_MS)
    .describe(
      'How long requests are still taken after SIGTERM while `/readyz` says 503 already: as long as a load balancer needs to notice.',
    )
    .prefault('0s'),
  max_answer_bytes: size(KIB, GIB).describe('Largest whole upstream answer.').prefault('32mb'),
  metrics_token: secret().describe('Opens /metrics to other hosts than this one.').exactOptional(),
  log_queue: int(1, 10_000_000).describe('Records that may wait to be written (O-2).').default(10_000),
}).describe('The HTTP server. Changes of host and port need a restart.');

const steps = list(oneOf(STEPS), { min: 1, of: STEPS.join(', ') });
const rows = Object.fromEntries(Object.keys(POLICIES.standard).map((row) => [row, steps.exactOptional()]));
const policyOverrides = mapping(rows as Record<keyof typeof POLICIES.standard, z.ZodExactOptional<typeof steps>>);

const policiesSchema = mapping({
  [POLICY_NAMES[0]]: policyOverrides.exactOptional(),
  [POLICY_NAMES[1]]: policyOverrides.exactOptional(),
  [POLICY_NAMES[2]]: policyOverrides.exactOptional(),
}).describe(
  `Single cells of the decision table, per policy: row → steps in order (D-12). Unlisted rows stay. Steps: ${STEPS.map((step) => `\`${step}\``).join(', ')}.`,
);

const circuit = DEFAULT_HEALTH.circuit;
const healthSchema = mapping({
  rate_limit: mapping({ base_ms: ms(DEFAULT_HEALTH.rateLimit.baseMs), cap_ms: ms(DEFAULT_HEALTH.rateLimit.capMs) })
    .describe('Cooldown of a target that is rate limited without saying for how long; doubles up to the cap.')
    .prefault({}),
  quota_ms: ms(DEFAULT_HEALTH.quotaMs).describe('Cooldown after an exhausted quota.'),
  quota_cap_ms: ms(DEFAULT_HEALTH.quotaCapMs).describe('Longest stated wait that is believed for a quota.'),
  auth_ms: ms(DEFAULT_HEALTH.authMs).describe('Cooldown after a refused credential or permission.'),
  model_not_found_ms: ms(DEFAULT_HEALTH.modelNotFoundMs).describe(
    'Cooldown of a credential for a model it does not know.',
  ),
  circuit: mapping({
    window_ms: ms(circuit.windowMs).describe('The calls looked at.'),
    min_calls: int(1, 1_000_000).describe('Fewer calls open no circuit by ratio.').default(circuit.minCalls),
    ratio: decimal({ min: 0, max: 1, above: true }).describe('Share of failures that opens it.').default(circuit.ratio),
    consecutive: int(1, 1_000_000).describe('Failures in a row that open it.').default(circuit.consecutive),
    open_ms: ms(circuit.openMs).describe('How long it stays open first; doubles up to the cap.'),
    open_cap_ms: ms(circuit.openCapMs),
  })
    .describe('The circuit of each channel.')
    .prefault({}),
}).describe('Cooldowns and circuits (H-1).');

const streamingSchema = mapping({
  keep_alive_after_ms: ms(15_000, 0).describe(
    'First keep-alive to a streaming client that still waits (T-11); 0 = none.',
  ),
  keep_alive_every_ms: ms(15_000).describe('And the next ones.'),
  max_event_bytes: size(KIB, GIB).describe('Largest single event of a stream (T-7).').prefault('16mb'),
  max_prelude_bytes: size(KIB, GIB).describe('Most that is held before the first content (T-1).').prefault('1mb'),
}).describe('Streams.');

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

const idempotencySchema = mapping({
  window: duration(MINUTE_MS, WEEK_MS)
    .describe('How long a key and what it stands for are kept; never shorter than the deadline of its request.')
    .prefault('24h'),
  max_attempts_per_key: int(1, 1000)
    .describe('Upstream calls one key may cost in all its rounds (I-7); then 409 `key_attempts_exhausted`.')
    .default(12),
}).describe('Idempotency keys (I-1).');

const networkSchema = mapping({
  allow_private: list(text('must be an address, a range or a host name'), { of: 'addresses, ranges or host names' })
    .describe(
      'Private addresses, ranges such as `10.1.0.0/16`, and host names that may be reached all the same. Addresses in this file, of providers and credentials, need no exception.',
    )
    .default([]),
}).describe(
  "Where addresses that workspaces and clients name may lead: a workspace's own address for a provider, and URLs in requests. Without exceptions only to public ones (G-9).",
);

export const configSchema = mapping({
  version: z.literal(1, { error: () => 'must be 1: the version of this format' }).describe('Version of the format.'),
  server: serverSchema.prefault({}),
  store: pattern(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'sqlite:PATH or postgres://…')
    .describe(
      'Where records are kept: `sqlite:PATH`, a relative path starts at the folder the gateway is started in and `--data` beats it; or `postgres://USER@HOST/DATABASE`, which several gateways may share.',
    )
    .default('sqlite:./data/understudy.db'),
  shared: pattern(/^(memory|rediss?:\/\/.+)$/, 'memory or redis://…')
    .describe(
      'Where replicas tell each other of limits, cooldowns and circuits: `redis://HOST:PORT`; `memory`: each has its own.',
    )
    .default('memory'),
  admin: mapping({
    token: secret().describe("The admin API's token; best taken from the environment.").exactOptional(),
  })
    .describe('The admin API. Without a token one is made at the first start and shown once.')
    .prefault({}),
  providers: named(providerSchema, 'provider names to {type, …}').describe('Who is called, by name.').default({}),
  credentials: named(credentialSchema, 'credential names to {provider, secret, …}')
    .describe('Secrets for providers, by name. A provider without any is called without Authorization.')
    .default({}),
  models: named(modelSchema, 'model ids to {…}')
    .describe(
      'Models by public id. `PROVIDER/NAME` without `channels` gets one implied channel; `"PROVIDER/*": {}` gives every name one. A name `PROVIDER/NAME` of a configured provider that an alias, a chain or a workspace names is such a model without being listed.',
    )
    .default({}),
  aliases: named(text('must be the name of a model'), 'other names to model ids')
    .describe('Other names of models.')
    .default({}),
  workspaces: named(workspaceSchema, 'workspace names to {…}')
    .describe('Tenants, by name. `default` always exists.')
    .default({}),
  keys: list(keySchema, { of: 'client keys, each with name and secret' })
    .describe('Client keys. Without any one is made at the first start and shown once.')
    .default([]),
  defaults: mapping({ redundancy: operatorRedundancy.describe('May lie outside the ranges of requests.').default({}) })
    .describe("The operator's defaults.")
    .prefault({}),
  policies: policiesSchema.default({}),
  backoff: mapping({ base_ms: ms(500), cap_ms: ms(8000) })
    .describe('Backoff between repeats (D-3).')
    .prefault({}),
  health: healthSchema.prefault({}),
  retry_budget: mapping({
    ratio: decimal({ min: 0, max: 1 })
      .describe('Repeats into a failing channel, as a share of first attempts.')
      .default(0.2),
    window_ms: ms(10_000),
    min: int(0, 1_000_000).describe('Repeats always allowed.').default(10),
  })
    .describe('Bounds repeats into a channel that just failed (D-6).')
    .prefault({}),
  streaming: streamingSchema.prefault({}),
  network: networkSchema.prefault({}),
  idempotency: idempotencySchema.prefault({}),
  alerts: alertsSchema.prefault({}),
  webhooks: named(webhookSchema, 'webhook names to {url, secret, …}')
    .describe('Who is told of events, by name (G-7).')
    .default({}),
  members: named(memberSchema, 'member names to {role, workspace, token}')
    .describe('People with a token of their own for the admin API, by name (G-8).')
    .default({}),
  retention: retentionSchema.prefault({}),
  answers: named(staticAnswerSchema, 'names to {text: …}')
    .describe('Static answers by name, for `on_exhausted: [{default: NAME}]` (E-4).')
    .default({}),
  entitlement: entitlementSchema.prefault({}),
}).describe('Understudy configuration');

/** The file after validation: defaults filled in, sizes in bytes, durations in milliseconds. */
export type Config = z.output<typeof configSchema>;
export type ProviderConfig = Config['providers'][string];
export type ModelConfig = Config['models'][string];
export type ChannelConfig = NonNullable<ModelConfig['channels']>[number];
