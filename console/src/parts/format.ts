/** Figures as people read them. Used by the parts; pages use the parts. */
import { type Language, sayNow } from '../words/words.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** One dollar in the gateway's unit. */
const NANO = 1_000_000_000;

const locale = (language: Language): string => (language === 'zh' ? 'zh-CN' : 'en-GB');

/** `12,345`; null is a dash. */
export function formatNumber(value: number | null | undefined, language: Language, digits = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  return value.toLocaleString(locale(language), { maximumFractionDigits: digits });
}

/** A share of 1 as `99.2 %`; of nothing it is a dash. */
export function formatShare(part: number, whole: number, language: Language): string {
  if (whole <= 0) return '–';
  const share = (part / whole) * 100;
  // 99.97 % is not 100 %: the last tenth is cut, never rounded up.
  const shown = share > 99 && share < 100 ? Math.floor(share * 100) / 100 : share;
  return `${shown.toLocaleString(locale(language), { maximumFractionDigits: share > 99 ? 2 : 1 })} %`;
}

/** Nano-dollars as dollars, with as many digits as small amounts need. */
export function formatMoney(nano: number | null | undefined, language: Language): string {
  if (nano === null || nano === undefined) return '–';
  const dollars = nano / NANO;
  const size = Math.abs(dollars);
  const digits = size === 0 || size >= 100 ? 2 : size >= 1 ? 3 : size >= 0.01 ? 4 : 6;
  return `${dollars < 0 ? '−' : ''}$${size.toLocaleString(locale(language), {
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  })}`;
}

/** `120 ms`, `3.4 s`, `2 min 5 s`, `3 h 20 min`, `2 d 4 h`. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return '–';
  const two = (
    whole: number,
    big: 'unit.min' | 'unit.h' | 'unit.d',
    rest: number,
    small: 'unit.s' | 'unit.min' | 'unit.h',
  ) => (rest === 0 ? sayNow(big, { n: whole }) : `${sayNow(big, { n: whole })} ${sayNow(small, { n: rest })}`);
  if (ms < 1000) return sayNow('unit.ms', { n: ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms) });
  if (ms < MINUTE) return sayNow('unit.s', { n: Math.round(ms / (ms < 10_000 ? 10 : 100)) / (ms < 10_000 ? 100 : 10) });
  if (ms < HOUR) return two(Math.floor(ms / MINUTE), 'unit.min', Math.floor((ms % MINUTE) / 1000), 'unit.s');
  if (ms < DAY) return two(Math.floor(ms / HOUR), 'unit.h', Math.floor((ms % HOUR) / MINUTE), 'unit.min');
  return two(Math.floor(ms / DAY), 'unit.d', Math.floor((ms % DAY) / HOUR), 'unit.h');
}

/** `29 Nov 2026, 03:12:45` in the reader's own time zone. */
export function formatInstant(at: number, language: Language): string {
  return new Date(at).toLocaleString(locale(language), { dateStyle: 'medium', timeStyle: 'medium' });
}

/** `03:12:45`, with the day where it is not today. */
export function formatClock(at: number, language: Language): string {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(locale(language), {
    ...(today ? {} : { month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
}

/** `5 min ago`, `in 2 h`. */
export function formatRelative(at: number, now: number, language: Language): string {
  const away = at - now;
  const size = Math.abs(away);
  if (size < 5_000) return sayNow('time.now');
  const [unit, length] =
    size < MINUTE
      ? (['second', 1000] as const)
      : size < HOUR
        ? (['minute', MINUTE] as const)
        : size < DAY
          ? (['hour', HOUR] as const)
          : (['day', DAY] as const);
  const words = new Intl.RelativeTimeFormat(locale(language), { numeric: 'always', style: 'short' });
  return words.format(Math.sign(away) * Math.floor(size / length), unit);
}
