/** Limits of a snapshot: amounts in tokens and nano-dollars. */
import type { Limits, PeriodLimits } from '../../core/limits/limits.ts';
import type { NanoUsd } from '../../core/usage/usage.ts';
import type { Config } from '../schema/config-schema.ts';

type LimitsConfig = NonNullable<Config['keys'][number]['limits']>;

/** USD as whole nano-dollars; null = not set. */
export function nanoUsd(usd: number | undefined): NanoUsd | null {
  return usd === undefined ? null : BigInt(Math.round(usd * 1e9));
}

function periodLimits(config: NonNullable<LimitsConfig['soft']>): PeriodLimits {
  return {
    tokensPerDay: config.tokens_per_day ?? null,
    tokensPerMonth: config.tokens_per_month ?? null,
    spendPerDay: nanoUsd(config.usd_per_day),
    spendPerMonth: nanoUsd(config.usd_per_month),
  };
}

/** Null where nothing is limited, so that nobody is counted for nothing. */
export function limitsOf(config: LimitsConfig | undefined): Limits | null {
  if (config === undefined || Object.keys(config).length === 0) return null;
  return {
    requestsPerMinute: config.rpm ?? null,
    tokensPerMinute: config.tpm ?? null,
    requestsPerDay: config.rpd ?? null,
    concurrent: config.concurrent ?? null,
    ...periodLimits(config),
    soft: config.soft === undefined ? null : periodLimits(config.soft),
  };
}
