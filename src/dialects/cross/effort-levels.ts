/** How hard a model shall think: levels by name, and budgets in tokens, one made of the other where it must be. */

/** From least to most. `none` = not at all. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Share of the answer's tokens that a level may think, for upstreams that want a budget. */
const SHARE: Readonly<Record<string, number>> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.95,
  max: 0.95,
};

/** What a budget is a share of where no limit is known. */
const USUAL_OUTPUT = 32_000;

/**
 * The level of `offered` that is nearest to the one asked for, the lower of two as near; null = nobody knows that word.
 * `none` is never nearest to a level that thinks, nor the other way round, unless nothing else is offered.
 */
export function nearestEffort(asked: string, offered: readonly string[]): string | null {
  if (offered.includes(asked)) return asked;
  const at = EFFORTS.indexOf(asked as (typeof EFFORTS)[number]);
  if (at === -1) return null;
  const thinking = offered.filter((level) => (level === 'none') === (asked === 'none'));
  let best: string | null = null;
  let distance = Number.POSITIVE_INFINITY;
  for (const level of EFFORTS) {
    if (!(thinking.length > 0 ? thinking : offered).includes(level)) continue;
    const away = Math.abs(EFFORTS.indexOf(level) - at);
    if (away >= distance) continue;
    best = level;
    distance = away;
  }
  return best;
}

/** Tokens to think for a level, at least `least`, below the answer's own limit; null = the level asks for none. */
export function budgetOf(effort: string, maxOutputTokens: number | null, least = 1024): number | null {
  const share = SHARE[effort];
  if (share === undefined) return null;
  return Math.max(least, Math.floor(share * (maxOutputTokens ?? USUAL_OUTPUT)));
}

/** The level whose budget is nearest: for upstreams that have levels only. 0 = none. */
export function effortOf(budget: number, maxOutputTokens: number | null): string {
  if (budget === 0) return 'none';
  const share = budget < 0 ? 0.5 : budget / (maxOutputTokens ?? USUAL_OUTPUT);
  if (share <= 0.15) return 'minimal';
  if (share <= 0.35) return 'low';
  if (share <= 0.65) return 'medium';
  return share <= 0.875 ? 'high' : 'xhigh';
}
