/** Balances of a store that others use as well, kept fresh for what is shown of them (G-4). */
import type { Cancel } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { Accounts } from '../runtime/accounts.ts';

/** Whatever else is heard, they are looked at so often. */
const LOOK_MS = 5000;

/** Looks every five seconds, and when somebody has added to one. The result ends it. Nothing, where nobody else changes them. */
export function keepBalances(accounts: Accounts, { clock, notifier }: Pick<Store, 'clock' | 'notifier'>): () => void {
  if (!accounts.isShared) return () => undefined;
  let cancel: Cancel = () => undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    cancel();
    // What can't be read now is read the next time: nothing is decided by it.
    await accounts.refresh().catch(() => undefined);
    cancel();
    if (!isOver) cancel = clock.after(LOOK_MS, () => void look());
  };
  const deaf = notifier.subscribe('balance', () => void look());
  accounts.onAdded((workspace) => notifier.publish('balance', workspace));
  void look();
  return () => {
    isOver = true;
    cancel();
    deaf();
  };
}
