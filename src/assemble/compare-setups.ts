/**
 * Gateways of one store that were given different configurations: for a while that is an update on its way, for longer it
 * is a mistake. Each tells the others a digest of its own; nothing but an alert hangs on it.
 */
import type { Cancel, Clock } from '../ports/clock.ts';
import type { Holder } from '../ports/holder.ts';
import type { Notifier } from '../ports/notifier.ts';

/** How often each tells its own. */
const TELL_MS = 60_000;
/** What was not told again for so long is nobody's any more. */
const FORGET_MS = 3 * TELL_MS;
/** An update of all gateways takes less. */
const DIFFERS_AFTER_MS = 10 * 60_000;

export interface SetupParts {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly notifier: Pick<Notifier, 'publish' | 'subscribe'>;
  readonly holder: Pick<Holder, 'id'>;
  /** Digest of what is in force here. */
  readonly digest: () => string;
  /** In plain words; null = all have the same again. Once per change. */
  readonly onProblem: (problem: string | null) => void;
}

/** The result ends it. */
export function compareSetups({ clock, notifier, holder, digest, onProblem }: SetupParts): Cancel {
  /** By holder: what it told last, and when. */
  const heard = new Map<string, { readonly digest: string; readonly at: number }>();
  let since: number | null = null;
  let isTold = false;
  let cancel: Cancel = () => undefined;
  const others = (): string[] => {
    for (const [id, { at }] of heard) if (clock.now() - at > FORGET_MS) heard.delete(id);
    return [...heard].filter(([, told]) => told.digest !== digest()).map(([id]) => id);
  };
  const judge = (): void => {
    const differing = others();
    if (differing.length === 0) {
      since = null;
      if (isTold) onProblem(null);
      isTold = false;
      return;
    }
    since ??= clock.now();
    if (isTold || clock.now() - since < DIFFERS_AFTER_MS) return;
    isTold = true;
    onProblem(inWords(holder.id, differing));
  };
  const turn = (): void => {
    notifier.publish('setup', `${holder.id} ${digest()}`);
    judge();
    cancel = clock.after(TELL_MS, turn);
  };
  const deaf = notifier.subscribe('setup', (payload) => {
    const [id = '', told = ''] = payload.split(' ');
    if (id !== holder.id) heard.set(id, { digest: told, at: clock.now() });
  });
  turn();
  return () => {
    cancel();
    deaf();
  };
}

function inWords(id: string, others: readonly string[]): string {
  const who = others.length === 1 ? `another gateway (${others[0]})` : `${others.length} other gateways`;
  return `${who} on this store and this one (${id}) have had different configurations for ten minutes: give all of them the same file`;
}
