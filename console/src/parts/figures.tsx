/** Money, durations, shares and times, each in its one form. */
import { serverNow } from '../api/clock.ts';
import { useLanguage, useWords } from '../words/words.ts';
import { clockOf } from './clock.ts';
import { formatDuration, formatInstant, formatMoney, formatNumber, formatRelative, formatShare } from './format.ts';

/** Nano-dollars as dollars. */
export function Money({ nano }: { readonly nano: number | null | undefined }) {
  return <>{formatMoney(nano, useLanguage())}</>;
}

/** Milliseconds in the unit that fits. */
export function Duration({ ms }: { readonly ms: number | null | undefined }) {
  useLanguage();
  return <>{formatDuration(ms)}</>;
}

/** A number with separators; null is a dash. */
export function Count({ value, digits = 0 }: { readonly value: number | null | undefined; readonly digits?: number }) {
  return <>{formatNumber(value, useLanguage(), digits)}</>;
}

/** A part of a whole, in per cent. */
export function Share({ part, whole }: { readonly part: number; readonly whole: number }) {
  return <>{formatShare(part, whole, useLanguage())}</>;
}

/** Relative times move on by themselves, all in step. */
const TICK_MS = 10_000;
const useTick = clockOf(TICK_MS);

export interface TimeProps {
  /** ISO 8601, or milliseconds. Null = never. */
  readonly at: string | number | null | undefined;
  /** The date and time itself instead of how long ago. */
  readonly exact?: boolean;
}

/** When something was or will be; the other form on hover. */
export function Time({ at, exact = false }: TimeProps) {
  const language = useLanguage();
  const say = useWords();
  useTick();
  if (at === null || at === undefined) return <>{say('time.never')}</>;
  const ms = typeof at === 'number' ? at : Date.parse(at);
  if (!Number.isFinite(ms)) return <>{String(at)}</>;
  const [instant, relative] = [formatInstant(ms, language), formatRelative(ms, serverNow(), language)];
  return (
    <time dateTime={new Date(ms).toISOString()} title={exact ? relative : instant}>
      {exact ? instant : relative}
    </time>
  );
}
