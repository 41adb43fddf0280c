/** Workspaces and client keys. */
import * as z from 'zod';
import { PRIVACY_LEVELS } from '../../core/request/ranges.ts';
import { MAX_VIRTUAL_MODELS } from '../../core/request/virtual-models.ts';
import { keptAnswersSchema } from './answers.ts';
import { bool, decimal, list, mapping, named, oneOf, pattern, secret, text } from './fields.ts';
import { ceilingsSchema, failoverDefaultsSchema, requestRedundancy } from './redundancy.ts';
import { limitsSchema, routingSchema } from './upstreams.ts';

const globs = (what: string) =>
  list(text('must be a model id or a pattern with *'), { of: 'model ids or patterns such as "PROVIDER/*"' }).describe(
    what,
  );

/** What the ledger's sums have room for many times over. */
const MAX_BALANCE_USD = 1_000_000_000;

const guardrailsSchema = mapping({
  deny_models: list(text(), { of: 'model ids or patterns' }).exactOptional(),
  deny_channels: list(text(), { of: 'channels' }).exactOptional(),
  allow_regions: list(text(), { of: 'regions' }).exactOptional(),
  deny_regions: list(text(), { of: 'regions' }).exactOptional(),
  max_privacy: oneOf(PRIVACY_LEVELS).exactOptional(),
}).describe(
  'What the workspace may not use (G-2): models and channels (`MODEL#CHANNEL`) by pattern, regions, and requests more private than `max_privacy`. Under `allow_regions` a channel without region is forbidden.',
);

const virtualModelSchema = mapping({
  models: list(text('must be the name of a model'), {
    min: 1,
    max: MAX_VIRTUAL_MODELS,
    of: 'names of models',
  }).describe('Up to 10, in the order to try. What a key may not call it is never given (G-3).'),
  routing: routingSchema.exactOptional(),
  redundancy: requestRedundancy.exactOptional(),
});

const idempotencyFields = {
  auto_idempotency: bool()
    .describe(
      'Derive an idempotency key for requests that send none (I-10): equal ones within 15 minutes join, and a retry gets what its first try made. A key beats its workspace; default `false`.',
    )
    .exactOptional(),
  idempotency_scope: oneOf(['key', 'workspace'])
    .describe(
      'Who shares idempotency keys (I-1): each client key has its own, or all of a workspace have the same. A key beats its workspace; default `key`.',
    )
    .exactOptional(),
};

export const workspaceSchema = mapping({
  enabled_models: globs('Models this workspace may use.').default(['*']),
  enabled_channels: list(text(), { of: 'channels as MODEL#CHANNEL or patterns' })
    .describe('Channels whose platform credentials it may use (P-1); its own credentials may be used at all.')
    .default(['*']),
  redundancy: requestRedundancy.describe('Defaults of the workspace.').default({}),
  ceilings: ceilingsSchema.default({}),
  default_model: z
    .union([text('must be the name of a model'), z.null()], { error: () => 'must be the name of a model' })
    .describe('Tried last, after a plain or virtual model failed, or where the one asked for is not enabled (C-7).')
    .exactOptional(),
  routing: routingSchema.exactOptional(),
  virtual_models: named(virtualModelSchema, 'names to {models: […]}')
    .describe('Own names for lists of models (C-6). A request names one alone, as its `model`.')
    .exactOptional(),
  auto: list(text('must be the name of a model'), { max: MAX_VIRTUAL_MODELS, of: 'names of models' })
    .describe('The models behind the built-in name `understudy/auto`, in order (C-6). None: it does not exist.')
    .exactOptional(),
  guardrails: guardrailsSchema.exactOptional(),
  balance_usd: z
    .union([decimal({ min: 0, max: MAX_BALANCE_USD }), z.null()], {
      error: () => `must be a number from 0 to ${MAX_BALANCE_USD} (USD)`,
    })
    .describe(
      'What a prepaid workspace is granted (G-4): once; a changed figure changes the balance by the difference. Absent: it is not prepaid.',
    )
    .exactOptional(),
  limits: limitsSchema.exactOptional(),
  answers: keptAnswersSchema.exactOptional(),
  ...idempotencyFields,
});

const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** Wall ms of an ISO date (its first moment) or date and time; without an offset UTC. Null when it is no date. */
export function parseInstant(written: string): number | null {
  if (!DATE.test(written)) return null;
  const day = written.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return null;
  if (written.length === 10) return midnight;
  const iso = written.replace(' ', 'T');
  const at = Date.parse(/Z$|[+-]\d{2}:\d{2}$/.test(iso) ? iso : `${iso}Z`);
  return Number.isNaN(at) ? null : at;
}

const dateError = () => 'must be a date such as 2027-12-31 or 2027-12-31T12:00:00Z';
const instant = z.string({ error: dateError }).refine((value) => parseInstant(value) !== null, { error: dateError });

export const keySchema = mapping({
  name: pattern(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'a name of letters, digits, dot, dash and underscore').describe(
    'Unique; shown in logs.',
  ),
  workspace: text('must be the name of a workspace')
    .describe('Name of an entry under `workspaces`.')
    .default('default'),
  secret: secret().describe('What the client sends; only its SHA-256 is kept.'),
  models: globs('Models this key may call.').default(['*']),
  limits: limitsSchema.exactOptional(),
  expires_at: instant.describe('The first moment it no longer works, e.g. 2027-12-31 (UTC).').exactOptional(),
  failover_defaults: failoverDefaultsSchema.exactOptional(),
  redundancy: requestRedundancy.describe('Defaults of the key.').default({}),
  ceilings: ceilingsSchema.default({}),
  allow_rehearse: bool()
    .describe(
      'It may fail its own requests on purpose, with the header `X-Understudy-Rehearse` (X-4). Default `false`.',
    )
    .exactOptional(),
  ...idempotencyFields,
});
