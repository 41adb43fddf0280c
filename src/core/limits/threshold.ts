/** Period budgets that have just been crossed: soft ones are told instead of refused, hard ones are told as well (G-4, G-7). */
import type { LimitScope, PeriodLimits } from './limits.ts';
import type { ScopeUsage } from './scope-usage.ts';

/** Told once per period. Amounts in tokens or nano-dollars. */
export interface LimitCrossed {
  readonly scope: LimitScope;
  readonly limit: 'tokens_per_day' | 'tokens_per_month' | 'spend_per_day' | 'spend_per_month';
  /** A soft limit lets requests through, a hard one refuses them from now on. */
  readonly hard: boolean;
  readonly amount: number | bigint;
}

const TOKENS = 1;
const SPEND = 2;
/** Hard limits use the bits above. */
const HARD = 2;

/** The limits that settled use has crossed since they were last told; remembers having told them. */
export function newlyCrossed(scope: LimitScope, usage: ScopeUsage): readonly LimitCrossed[] {
  const { limits } = scope;
  if (limits.soft === null && !hasBudget(limits)) return NONE;
  const crossed: LimitCrossed[] = [];
  if (limits.soft !== null) tell(crossed, scope, usage, limits.soft, false);
  tell(crossed, scope, usage, limits, true);
  return crossed;
}

const NONE: readonly LimitCrossed[] = [];

function hasBudget({ tokensPerDay, tokensPerMonth, spendPerDay, spendPerMonth }: PeriodLimits): boolean {
  return tokensPerDay !== null || tokensPerMonth !== null || spendPerDay !== null || spendPerMonth !== null;
}

function tell(to: LimitCrossed[], scope: LimitScope, usage: ScopeUsage, limits: PeriodLimits, hard: boolean): void {
  const { day, month } = usage;
  const check = (
    counter: typeof day,
    bit: number,
    limit: LimitCrossed['limit'],
    used: number | bigint,
    amount: number | bigint | null,
  ): void => {
    const flag = hard ? bit << HARD : bit;
    if (amount === null || used < amount || (counter.told & flag) !== 0) return;
    counter.told |= flag;
    to.push({ scope, limit, hard, amount });
  };
  check(day, TOKENS, 'tokens_per_day', day.tokens, limits.tokensPerDay);
  check(month, TOKENS, 'tokens_per_month', month.tokens, limits.tokensPerMonth);
  check(day, SPEND, 'spend_per_day', day.spend, limits.spendPerDay);
  check(month, SPEND, 'spend_per_month', month.spend, limits.spendPerMonth);
}
