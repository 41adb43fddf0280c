/** Targets grouped by model, the unwell ones first; what is filtered; what shares what. Pure. */
import type { Shape } from '../../api/client.ts';

export type Target = Shape<'HealthTarget'>;
export type State = Target['state'];

/** From what needs eyes most to what needs none. */
export const STATES = ['open', 'half_open', 'cooling', 'drained', 'ok'] as const satisfies readonly State[];

/** What a filter shows. `trouble`: whatever is not well, but for what was drained on purpose. */
export type Shown = 'all' | 'trouble' | State;
export const SHOWN: readonly Shown[] = ['all', 'trouble', ...STATES];

export interface ModelGroup {
  readonly model: string;
  /** Those that the filter shows. */
  readonly targets: readonly Target[];
  /** Of all targets of the model: how many there are, and how many take part. */
  readonly all: number;
  readonly well: number;
}

/** Whether it needs eyes. */
export const isTrouble = ({ state }: Pick<Target, 'state'>): boolean => state !== 'ok' && state !== 'drained';

export function isShown(target: Target, shown: Shown, text: string): boolean {
  if (shown === 'trouble' ? !isTrouble(target) : shown !== 'all' && target.state !== shown) return false;
  if (text === '') return true;
  const name = `${target.model}#${target.channel} ${target.credential ?? ''}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => name.includes(part));
}

/** How many of each the filter could show, whatever it shows now. */
export function countsOf(targets: readonly Target[], text: string): ReadonlyMap<Shown, number> {
  const counts = new Map<Shown, number>(SHOWN.map((shown) => [shown, 0]));
  const add = (shown: Shown) => counts.set(shown, (counts.get(shown) ?? 0) + 1);
  for (const target of targets) {
    if (!isShown(target, 'all', text)) continue;
    add('all');
    add(target.state);
    if (isTrouble(target)) add('trouble');
  }
  return counts;
}

const rank = new Map<State, number>(STATES.map((state, index) => [state, index]));
const rankOf = ({ state }: Target): number => rank.get(state) ?? STATES.length;
const byName = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

/** The board: models with the worst target first, then by name; within one by channel and credential. */
export function groupsOf(targets: readonly Target[], shown: Shown, text: string): ModelGroup[] {
  const byModel = new Map<string, Target[]>();
  for (const target of targets) {
    const known = byModel.get(target.model);
    if (known === undefined) byModel.set(target.model, [target]);
    else known.push(target);
  }
  const groups: (ModelGroup & { readonly worst: number })[] = [];
  for (const [model, all] of byModel) {
    const seen = all.filter((target) => isShown(target, shown, text));
    if (seen.length === 0) continue;
    seen.sort((a, b) => byName(a.channel, b.channel) || byName(a.credential ?? '', b.credential ?? ''));
    groups.push({
      model,
      targets: seen,
      all: all.length,
      well: all.filter(({ state }) => state === 'ok').length,
      worst: Math.min(...seen.map(rankOf)),
    });
  }
  return groups.sort((a, b) => a.worst - b.worst || byName(a.model, b.model));
}

/** The first groups with together at most `limit` targets; the last one may be cut. */
export function firstOf(groups: readonly ModelGroup[], limit: number): ModelGroup[] {
  const first: ModelGroup[] = [];
  let count = 0;
  for (const group of groups) {
    if (count >= limit) break;
    const targets = group.targets.slice(0, limit - count);
    first.push({ ...group, targets });
    count += targets.length;
  }
  return first;
}

/** Other targets that a reset of this one concerns: a circuit is its channel's, a rest may be its credential's. */
export function sharingWith(target: Target, targets: readonly Target[]): Target[] {
  const { id, model, channel, credential } = target;
  return targets.filter(
    (other) =>
      other.id !== id &&
      ((other.model === model && other.channel === channel) ||
        (credential !== null && other.credential === credential)),
  );
}
