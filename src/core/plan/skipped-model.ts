/** One word for a model whose candidates are all left out (P-4, G-2). */
import { isResting } from '../failover/next-target.ts';
import type { Candidate, PlannedModel, SkipReason } from '../failover/plan-types.ts';

/** Where nothing rests: what stood in the way of the candidates that came closest to being called. */
const NEAREST_FIRST: readonly SkipReason[] = ['price_unknown', 'guardrail', 'byok_only', 'channel_not_enabled'];

/**
 * Those that rest speak: their reason if they agree, else a rate limit's, with the soonest return. A guardrail speaks
 * where it alone stood in the way.
 */
export function whySkipped(rows: readonly Pick<Candidate, 'skip'>[]): NonNullable<PlannedModel['skipped']> {
  // No credential this workspace may use: for the client the same as credentials that are refused.
  if (rows.length === 0) return { reason: 'cooling_auth', availableAt: null };
  const resting = new Set<SkipReason>();
  const others = new Set<SkipReason>();
  let soonest: number | null = null;
  for (const { skip } of rows) {
    if (skip === null) continue;
    const rests = isResting(skip.reason) && skip.reason !== 'guardrail';
    (rests ? resting : others).add(skip.reason);
    if (rests && skip.availableAt !== null && (soonest === null || skip.availableAt < soonest)) {
      soonest = skip.availableAt;
    }
  }
  if (resting.size === 0) {
    return { reason: NEAREST_FIRST.find((reason) => others.has(reason)) ?? 'limit', availableAt: null };
  }
  const [only] = resting;
  return { reason: resting.size === 1 && only !== undefined ? only : 'cooling_rate_limit', availableAt: soonest };
}
