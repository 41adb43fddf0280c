/** What a team runs a gateway by: alerts (O-4), webhooks (G-7), retention (O-1) and entitlement (G-5). */
import { bool, decimal, duration, int, list, MAX_TIMER_MS, mapping, pattern, text } from './fields.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TEN_YEARS_MS = 3660 * DAY_MS;

const share = (fallback: number) => decimal({ min: 0, max: 1, above: true }).default(fallback);
const ratio = (fallback: number) => decimal({ min: 1, max: 1000, above: true }).default(fallback);

export const alertsSchema = mapping({
  window: duration(MINUTE_MS, HOUR_MS).describe('The requests that are looked at.').prefault('5m'),
  min_requests: int(1, 1_000_000).describe('Fewer requests in a window raise nothing.').default(100),
  retry_rate: share(0.05).describe('Repeats at the same target ÷ requests, above which it is told.'),
  retry_success: share(0.5).describe(
    'Requests saved by a repeat ÷ requests that were repeated, below which it is told.',
  ),
  mean_retries_ratio: ratio(1.5).describe(
    'Mean repeats of a failed request ÷ the mean of 24 hours, from which it is told.',
  ),
  fallback_rate: share(0.01).describe(
    'Requests served by another model than the one asked for ÷ requests, above which it is told.',
  ),
  p99_ratio: ratio(1.5).describe("P99 with repeats ÷ yesterday's, from which it is told."),
  throttle: bool()
    .describe("Halve a channel's concurrency step by step while its retry rate is over the threshold.")
    .default(true),
}).describe('Built-in alerts (O-4).');

/** `whsec_` and base64 of 24 to 64 bytes: the form of Standard Webhooks. */
const WEBHOOK_SECRET = /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const webhookSecret = () => pattern(WEBHOOK_SECRET, 'whsec_ followed by base64 of 24 to 64 random bytes');

export const webhookSchema = mapping({
  url: pattern(/^https?:\/\/[^\s]+$/, 'an address such as https://hooks.example/understudy').describe(
    'Where events are sent, by POST.',
  ),
  secret: webhookSecret().describe('Signs each message by the rules of Standard Webhooks.'),
  previous_secret: webhookSecret()
    .describe('The secret before, while the receiver changes over: messages carry both signatures.')
    .exactOptional(),
  events: list(text('must be the name of an event or a pattern such as `alert.*`'), {
    min: 1,
    max: 100,
    of: 'names of events, or patterns such as `alert.*` and `*`',
  })
    .describe('Which events are sent.')
    .default(['*']),
  workspace: text('must be the name of a workspace')
    .describe('Only events of this workspace. Without it those of all workspaces and of the gateway itself.')
    .exactOptional(),
  enabled: bool().describe('`false` sends nothing and keeps the entry.').default(true),
});

const kept = (fallback: string, min = HOUR_MS) => duration(min, TEN_YEARS_MS).prefault(fallback);

export const retentionSchema = mapping({
  requests: kept('30d').describe('Records of requests with their attempts.'),
  events: kept('30d').describe('Events, as webhooks tell them.'),
  deliveries: kept('30d').describe('What became of each message to a webhook.'),
  audit: kept('400d', DAY_MS).describe('The audit log.'),
  signals: kept('8d', 2 * DAY_MS).describe('Counts that alerts are made from; two days at least, for comparison.'),
}).describe('How long records are kept; then they are deleted, at most an hour later.');

export const entitlementSchema = mapping({
  providers: list(text('must be the name of a provider'), { of: 'names of providers' })
    .describe('Providers whose calls each carry a token of their own. None = no tokens.')
    .default([]),
  ttl: duration(SECOND_MS, HOUR_MS).describe('How long a token holds.').prefault('60s'),
  header: pattern(/^[a-z0-9-]{1,64}$/, 'the name of a header in lower case, such as x-understudy-entitlement')
    .describe('The header that carries the token.')
    .default('x-understudy-entitlement'),
  issuer: text('must be a text').describe('`iss` of each token.').default('understudy'),
  rotate_every: duration(HOUR_MS, MAX_TIMER_MS * 100)
    .describe('How often the signing key is renewed; the next one is published an hour before it signs.')
    .prefault('30d'),
}).describe('A signed token per attempt, for model servers that check whom they serve (G-5).');
