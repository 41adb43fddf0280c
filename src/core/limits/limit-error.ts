/** What a caller over its limits is told (G-11, D-3, D-7). */
import { gatewayError } from '../errors/catalogue.ts';
import type { GatewayError } from '../errors/gateway-error.ts';
import type { LimitReached, LimitScope, Limits } from './limits.ts';

/** Beyond this a wait is told, but nobody is invited to retry (D-7). */
const LONGEST_INVITED_MS = 60_000;
/** Nobody knows when a running request ends: come back soon, without a promise. */
const UNKNOWN_WAIT_MS = 1000;

const IN_WORDS: Readonly<
  Record<LimitReached['limit'], { readonly field: keyof Omit<Limits, 'soft'>; readonly per: string }>
> = {
  requests_per_minute: { field: 'requestsPerMinute', per: 'requests per minute' },
  tokens_per_minute: { field: 'tokensPerMinute', per: 'tokens per minute' },
  requests_per_day: { field: 'requestsPerDay', per: 'requests per day (UTC)' },
  concurrent: { field: 'concurrent', per: 'requests at the same time' },
  tokens_per_day: { field: 'tokensPerDay', per: 'tokens per day (UTC)' },
  tokens_per_month: { field: 'tokensPerMonth', per: 'tokens per month (UTC)' },
  spend_per_day: { field: 'spendPerDay', per: 'USD per day (UTC)' },
  spend_per_month: { field: 'spendPerMonth', per: 'USD per month (UTC)' },
};

/** `wall`: now, wall ms. */
export function limitError(scope: LimitScope, reached: LimitReached, wall: number): GatewayError {
  const { availableAt, limit } = reached;
  const known = availableAt !== null;
  const isBudget = /^(tokens|spend)_per_(day|month)$/.test(limit);
  const what = scope.kind === 'workspace' ? 'the workspace of this key' : 'this key';
  const when = known ? 'send it again after `Retry-After`' : 'send it again when a running request has ended';
  const message = `${what} has reached its limit of ${limitInWords(scope.limits[IN_WORDS[limit].field] ?? 0, limit)}; ${when}`;
  return gatewayError(isBudget ? 'token_budget_exceeded' : 'key_rate_limited', message, {
    // Up: who comes at the very instant he was told must not come too early.
    retryAt: Math.ceil(availableAt ?? wall + UNKNOWN_WAIT_MS),
    shouldRetry: known && availableAt - wall <= LONGEST_INVITED_MS,
  });
}

/** `60 requests per minute`, `1.5 USD per day (UTC)`. `amount` in nano-dollars for spend. */
export function limitInWords(amount: number | bigint, limit: LimitReached['limit']): string {
  return `${typeof amount === 'bigint' ? usd(amount) : String(amount)} ${IN_WORDS[limit].per}`;
}

/** Nano-dollars as dollars, without trailing zeros. */
export function usd(amount: bigint): string {
  const digits = amount.toString().padStart(10, '0');
  const whole = digits.slice(0, -9);
  const rest = digits.slice(-9).replace(/0+$/, '');
  return rest === '' ? whole : `${whole}.${rest}`;
}
