/** Period budgets that have been crossed, told to the operator: soft ones instead of a refusal (G-4, G-7). */
import type { LimitCrossed } from '../core/limits/threshold.ts';
import type { Gateway } from './gateway.ts';

export function tellCrossed(
  { alerts, clock }: Pick<Gateway, 'alerts' | 'clock'>,
  crossed: readonly LimitCrossed[],
  requestId: string,
): void {
  for (const { scope, limit, hard, amount } of crossed) {
    alerts.raise({
      kind: hard ? 'budget.exhausted' : 'budget.soft_limit',
      message: `${scope.kind} ${scope.id}: ${hard ? '' : 'soft limit '}${limit} of ${amountInWords(amount)} reached`,
      requestId,
      at: clock.wall(),
    });
  }
}

function amountInWords(amount: number | bigint): string {
  return typeof amount === 'bigint' ? `${Number(amount) / 1e9} USD` : `${amount} tokens`;
}
