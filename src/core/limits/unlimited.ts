/** Limits of a scope that has none: it is counted all the same. */
import type { Limits } from './limits.ts';

export const UNLIMITED: Limits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  requestsPerDay: null,
  concurrent: null,
  tokensPerDay: null,
  tokensPerMonth: null,
  spendPerDay: null,
  spendPerMonth: null,
  soft: null,
};
