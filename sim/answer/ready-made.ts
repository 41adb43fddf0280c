/** Model names with a behaviour of their own: `ok`, `fail-503`, `slow-2000`, … A label may follow: `ok:eu`. */
import type { Behaviour } from './behaviour.ts';

interface Numbered {
  readonly min: number;
  readonly max: number;
  /** A second number may follow. */
  readonly second?: { readonly min: number; readonly max: number; readonly says: string };
  /** An example for the list of models. */
  readonly example: string;
  make(n: number, second: number | null): Behaviour;
}

/** Longest wait a name may ask for: an hour. */
const MAX_MS = 3_600_000;
const MAX_EVENTS = 100_000;

const PLAIN: Readonly<Record<string, Behaviour>> = {
  ok: {},
  echo: { content: 'echo' },
  tools: { content: 'tools' },
  json: { content: 'json' },
  empty: { content: 'empty' },
  length: { content: 'length' },
  reasoning: { content: 'reasoning' },
  sealed: { content: 'sealed' },
  refusal: { content: 'refusal' },
  filter: { content: 'filter' },
  'too-long': { status: 400, fault: 'too-long' },
  'no-credit': { status: 429, fault: 'no-credit' },
  hang: { socket: 'accept_then_silence' },
  reset: { socket: 'reset' },
  garbage: { garbageAfter: 0 },
  'not-http': { socket: 'not_http' },
  html: { html: true },
  error: { errorAfter: 0 },
  'no-done': { without: 'done' },
  'no-finish': { without: 'finish' },
  comments: { comments: true, firstTokenMs: 100 },
  crlf: { lineEnd: '\r\n' },
  gzip: { encoding: 'gzip' },
  br: { encoding: 'br' },
  deflate: { encoding: 'deflate' },
  'lying-gzip': { encoding: 'lying' },
};

const NUMBERED: Readonly<Record<string, Numbered>> = {
  fail: {
    min: 300,
    max: 599,
    example: 'fail-503',
    second: { min: 0, max: 999_999_999, says: ', and perhaps the seconds of a Retry-After: fail-429-30' },
    make: (status, seconds) => ({ status, ...(seconds === null ? {} : { retryAfterS: seconds }) }),
  },
  slow: { min: 0, max: MAX_MS, example: 'slow-2000', make: (ms) => ({ firstTokenMs: ms }) },
  late: { min: 0, max: MAX_MS, example: 'late-2000', make: (ms) => ({ delayMs: ms }) },
  drip: { min: 0, max: MAX_MS, example: 'drip-100', make: (ms) => ({ gapMs: ms }) },
  cut: { min: 0, max: MAX_EVENTS, example: 'cut-3', make: (n) => ({ cutAfter: n, end: 'fin' }) },
  hang: { min: 0, max: MAX_EVENTS, example: 'hang-3', make: (n) => ({ cutAfter: n, end: 'hang' }) },
  reset: { min: 0, max: MAX_EVENTS, example: 'reset-3', make: (n) => ({ cutAfter: n, end: 'rst' }) },
  error: {
    min: 0,
    max: MAX_EVENTS,
    example: 'error-3',
    second: { min: 400, max: 599, says: ', and perhaps the status whose meaning the error has: error-3-529' },
    make: (n, status) => ({ errorAfter: n, ...(status === null ? {} : { errorStatus: status }) }),
  },
  garbage: { min: 0, max: MAX_EVENTS, example: 'garbage-3', make: (n) => ({ garbageAfter: n }) },
  long: { min: 1, max: MAX_EVENTS, example: 'long-1000', make: (n) => ({ words: n }) },
  split: { min: 1, max: MAX_EVENTS, example: 'split-1', make: (n) => ({ split: n }) },
  mixed: { min: 0, max: 100, example: 'mixed-30', make: (percent) => ({ random: mixedFaults(percent) }) },
};

/** `percent` of the calls fail, evenly over the ways a call fails fast. */
function mixedFaults(percent: number): Record<string, number> {
  const faults = ['fail-500', 'fail-503', 'fail-429', 'reset', 'cut-1', 'garbage', 'error', 'html'];
  const weights = new Map<string, number>();
  if (percent < 100) weights.set('ok', 100 - percent);
  if (percent > 0) for (const fault of faults) weights.set(fault, percent / faults.length);
  return Object.fromEntries(weights);
}

/**
 * Reads a model name: its behaviour; a text saying what is wrong with a name that starts like a ready-made one
 * (`fail-9000`); or null for any other name.
 */
export function readReadyMade(model: string): Behaviour | string | null {
  const name = (model.split(':', 1)[0] ?? model).replace(/^strict-/, '');
  if (Object.hasOwn(PLAIN, name)) return PLAIN[name] ?? null;
  const match = /^([a-z]+)-([^-]*)(?:-(.*))?$/.exec(name);
  const stem = match?.[1];
  if (match === null || stem === undefined || !Object.hasOwn(NUMBERED, stem)) return null;
  const numbered = NUMBERED[stem];
  if (numbered === undefined) return null;
  const n = wholeNumber(match[2]);
  const second = match[3] === undefined ? null : wholeNumber(match[3]);
  const allowed = numbered.second;
  const secondFits =
    match[3] === undefined ||
    (allowed !== undefined && second !== null && second >= allowed.min && second <= allowed.max);
  if (n === null || n < numbered.min || n > numbered.max || !secondFits) {
    const more = allowed?.says ?? '';
    return `"${name}" is no ready-made model name: ${stem}- takes a number from ${numbered.min} to ${numbered.max}${more}`;
  }
  return numbered.make(n, second);
}

/** Every ready-made name, numbered ones by example. */
export function readyMadeNames(): string[] {
  return [...Object.keys(PLAIN), ...Object.values(NUMBERED).map((numbered) => numbered.example)];
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
