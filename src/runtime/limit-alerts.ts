/** Tells the operator of budgets that have just been crossed (G-4, G-7). */
import { limitInWords } from '../core/limits/limit-error.ts';
import type { LimitCrossed } from '../core/limits/threshold.ts';
import type { Gateway } from './gateway.ts';

/** @param crossed what a settlement returned */
export function tellCrossed(
  gateway: Pick<Gateway, 'alerts' | 'clock'>,
  crossed: readonly LimitCrossed[],
  requestId: string,
): void {
  for (const { scope, limit, hard, amount } of crossed) {
    const words = limitInWords(amount, limit);
    const what = hard ? `has used up its ${words}` : `has passed its soft limit of ${words}`;
    gateway.alerts.raise({
      kind: hard ? 'budget.exhausted' : 'budget.soft_limit',
      message: `${scope.kind} ${scope.id} ${what}`,
      requestId,
      at: gateway.clock.wall(),
      ...(scope.kind === 'workspace' ? { workspace: scope.id } : {}),
      data: { [scope.kind]: scope.id, limit, amount: String(amount) },
    });
  }
}
