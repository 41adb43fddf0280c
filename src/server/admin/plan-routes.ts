/** The dry run of a request as one of the gateway's keys would send it, with everything a routing trace shows. */
import * as z from 'zod';
import type { KeyEntry } from '../../config/snapshot.ts';
import { ClientError } from '../../core/errors/catalogue.ts';
import { DECISIONS } from '../../core/failover/machine.ts';
import { SKIP_REASONS } from '../../core/failover/plan-types.ts';
import { POLICY_NAMES } from '../../core/failover/policy.ts';
import { TRIGGERS } from '../../core/failure.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import type { JsonObject } from './json-body.ts';
import {
  arrayOf,
  FLAG,
  INSTANT_OR_NULL,
  NUMBER,
  object,
  orNull,
  schemaRef,
  TEXT,
  TEXT_OR_NULL,
  TEXTS,
  WHOLE,
  WHOLE_OR_NULL,
} from './openapi-parts.ts';
import { noSuch } from './refusals.ts';

const must = (what: string) => ({ error: () => `must be ${what}` });

const PLAN_BODY = z.strictObject({
  key: z.string(must('the name of a client key')).describe('Name of the client key that would send it.'),
  request: z
    .record(z.string(), z.unknown(), must('the body of a chat request'))
    .describe('The body, as for /v1/chat/completions.'),
  headers: z
    .record(z.string(), z.string(must('a text')), must('names to texts'))
    .describe('Headers it would come with: X-Understudy-Models, X-Understudy-Redundancy, announced timeouts.')
    .optional(),
});

/** As large as a request may be by default: long prompts are planned as well. */
const MAX_PLAN_BYTES = 32 * 1024 * 1024;

const TARGET = {
  rank: WHOLE,
  model: TEXT,
  channel: TEXT,
  credential_kind: { enum: ['byok', 'platform', 'none'] },
  credential: TEXT_OR_NULL,
  provider: TEXT,
  upstream_model: TEXT,
};
const SKIP_REASON = { enum: SKIP_REASONS };

export const PLAN_SCHEMAS: Readonly<Record<string, object>> = {
  Plan: object({
    object: { const: 'plan' },
    requested_model: TEXT,
    virtual_model: TEXT_OR_NULL,
    chain: TEXTS,
    explicit: FLAG,
    would: object({
      outcome: { enum: ['call', 'refuse'] },
      rank: { ...WHOLE_OR_NULL, description: 'Of the target called first.' },
      error: orNull(object({ status: WHOLE, code: TEXT_OR_NULL, message: TEXT, retry_at: INSTANT_OR_NULL })),
    }),
    policy: { enum: POLICY_NAMES },
    on: TEXTS,
    options: object({
      cross_model: FLAG,
      skip_incapable: FLAG,
      privacy_level: TEXT_OR_NULL,
      priority: { enum: ['low', 'normal', 'high'] },
      commit: { enum: ['first_token', 'complete'] },
    }),
    budgets: object({
      max_attempts: WHOLE,
      deadline_ms: NUMBER,
      max_cost_nano_usd: WHOLE_OR_NULL,
      retries: { ...WHOLE_OR_NULL, description: 'Null: the policy’s own count (D-9).' },
      max_wait_ms: NUMBER,
      timeout_ms: NUMBER,
      first_token_timeout_ms: NUMBER,
      idle_timeout_ms: NUMBER,
      stall_timeout_ms: NUMBER,
    }),
    clamped: { type: 'array', items: object({ field: TEXT, asked: NUMBER, given: NUMBER }) },
    models: arrayOf('PlanModel'),
    targets: { ...arrayOf('PlanTarget'), description: 'In the order of preference.' },
    left_out: { type: 'array', items: object({ ...TARGET, reason: SKIP_REASON, available_at: INSTANT_OR_NULL }) },
    if_all_fail: {
      ...object(Object.fromEntries(TRIGGERS.map((trigger) => [trigger, schemaRef('PlanWalk')]))),
      description: 'The attempts that would be made if every one failed so.',
    },
  }),
  PlanModel: object({
    model: TEXT,
    origin: { enum: ['request', 'virtual', 'failover_defaults', 'default_model'] },
    reachable: { ...FLAG, description: 'Whether a failure of any kind may lead there (D-1, C-8).' },
    targets: WHOLE,
    timeout_ms: { ...WHOLE_OR_NULL, description: 'Of its own; null: the request’s.' },
    skipped: orNull(object({ reason: SKIP_REASON, available_at: INSTANT_OR_NULL })),
  }),
  PlanTarget: object({
    ...TARGET,
    state: { enum: ['ok', 'circuit_open', 'cooling_backoff'] },
    incapable: {
      ...TEXT_OR_NULL,
      description: 'What the request would be refused with there (P-6), or `passed_over`.',
    },
    worst_cost_nano_usd: { ...WHOLE_OR_NULL, description: 'Null: its price is unknown.' },
  }),
  PlanWalk: object({
    attempts: {
      type: 'array',
      items: object({
        no: WHOLE,
        ...TARGET,
        wait_ms: NUMBER,
        timeout_ms: NUMBER,
        first_token_timeout_ms: { type: ['number', 'null'] },
        decision: { enum: DECISIONS },
        reason: TEXT,
      }),
    },
    ends: orNull(object({ status: WHOLE, code: TEXT_OR_NULL })),
  }),
};

export function planRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'POST',
      audit: 'nothing',
      path: '/v1/plan',
      summary:
        'What would become of a chat request of a key, calling nobody. A request that is wrong in itself gets the error it would get. `POST /v1/plan` with the client key answers the same without names of credentials.',
      needs: 'plans.read',
      parameters: [],
      body: PLAN_BODY,
      maxBodyBytes: MAX_PLAN_BYTES,
      answer: schemaRef('Plan'),
      handle: (call) => plan(deps, call),
    },
  ];
}

function plan(deps: AdminDeps, { body, scope }: AdminCall): object {
  const { key: name, request, headers } = body as { key: string; request: JsonObject; headers?: JsonObject };
  const key = keyNamed(deps, name, scope);
  const lower = Object.entries(headers ?? {}).map(([field, value]) => [field.toLowerCase(), String(value)]);
  const asked = { body: Buffer.from(JSON.stringify(request)), headers: Object.fromEntries(lower) };
  const read = deps.planner(key, asked);
  if (!read.ok) throw new ClientError(read.error);
  return read.value;
}

function keyNamed({ gateway }: AdminDeps, name: string, scope: string | null): KeyEntry {
  for (const key of gateway.snapshot().keys.values()) {
    if (key.name === name && (scope === null || key.workspace === scope)) return key;
  }
  throw noSuch('key', name, '/v1/keys');
}
