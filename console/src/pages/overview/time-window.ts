/** How much time the overview looks at: in the address. */
import { useFilters } from '../../parts/filters.tsx';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How long each window is, and how often it is asked for anew: the longer, the less a moment changes it. */
const LENGTHS = {
  '15m': { ms: 15 * MINUTE, refreshMs: 10_000 },
  '1h': { ms: HOUR, refreshMs: 15_000 },
  '6h': { ms: 6 * HOUR, refreshMs: 60_000 },
  '24h': { ms: 24 * HOUR, refreshMs: 60_000 },
  '7d': { ms: 7 * 24 * HOUR, refreshMs: 300_000 },
} as const;

export type WindowName = keyof typeof LENGTHS;
export const WINDOWS = Object.keys(LENGTHS) as readonly WindowName[];

/** What “now” means: what failed longer ago may have mended. */
export const NOW_WINDOW: WindowName = '15m';
const FIRST: WindowName = '1h';

export function lengthOf(name: WindowName): { readonly ms: number; readonly refreshMs: number } {
  return LENGTHS[name];
}

const NAMES = ['window'] as const;

/** The window in the address, and how to change it. */
export function useTimeWindow(): readonly [WindowName, (next: WindowName) => void] {
  const { values, set } = useFilters(NAMES);
  const name = WINDOWS.find((known) => known === values.window) ?? FIRST;
  return [name, (next) => set({ window: next === FIRST ? '' : next })];
}
