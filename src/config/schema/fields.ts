/**
 * Building blocks of the configuration schema. Every block's error text completes the sentence "FIELD must be …", so
 * that whatever is wrong with a value, the message says what is allowed.
 */
import * as z from 'zod';
import { DURATION_PATTERN, formatSize, parseDuration, parseSize, SIZE_PATTERN } from '../units.ts';

/** Longest wait a timer can hold (2^31 − 1 ms): beyond it Node fires at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/** A whole number from `min` to `max`. */
export function int(min: number, max: number, unit = '') {
  const what = max >= Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = () => `must be a whole number ${what}${unit === '' ? '' : ` (${unit})`}`;
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

/** A number from `min` (exclusive with `above`) to `max`. */
export function decimal(options: { min: number; max?: number; above?: boolean; unit?: string }) {
  const { min, max = Number.MAX_VALUE, above = false, unit = '' } = options;
  const low = above ? `above ${min}` : `of at least ${min}`;
  const high = max === Number.MAX_VALUE ? '' : ` and at most ${max}`;
  const error = () => `must be a number ${low}${high}${unit === '' ? '' : ` (${unit})`}`;
  const base = z.number({ error }).max(max, { error });
  return above ? base.gt(min, { error }) : base.min(min, { error });
}

export function bool() {
  return z.boolean({ error: () => 'must be true or false' });
}

export function text(what = 'must be a text') {
  const error = () => `${what} that is not empty`;
  return z.string({ error: () => what }).min(1, { error });
}

export function pattern(regex: RegExp, what: string) {
  const error = () => `must be ${what}`;
  return z.string({ error }).regex(regex, { error });
}

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: () => `must be one of: ${values.join(', ')}` });
}

export function list<T extends z.ZodType>(item: T, options: { min?: number; max?: number; of: string }) {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, of } = options;
  const count = min === 0 ? '' : ` with at least ${min === 1 ? 'one entry' : `${min} entries`}`;
  const most = max === Number.MAX_SAFE_INTEGER ? '' : ` of at most ${max}`;
  const error = () => `must be a list${count}${most}: ${of}`;
  return z.array(item, { error }).min(min, { error }).max(max, { error });
}

/** A mapping with fixed keys; unknown ones are errors. */
export function mapping<T extends z.core.$ZodLooseShape>(shape: T) {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : 'must be a mapping'),
  });
}

/** A mapping from names to `value`. Names are checked by the rules, which can say more. */
export function named<T extends z.ZodType>(value: T, what: string) {
  return z.record(z.string(), value, { error: () => `must be a mapping of ${what}` });
}

/** Bytes: a number, or a size such as `64kb`, `32mb`. Given out in bytes. */
export function size(min: number, max: number) {
  const error = () =>
    `must be a size from ${formatSize(min)} to ${formatSize(max)}, such as 64kb, 32mb or a number of bytes`;
  return z
    .union(
      [z.number({ error }).int({ error }).min(min, { error }), z.string({ error }).regex(SIZE_PATTERN, { error })],
      { error },
    )
    .transform((value) => (typeof value === 'number' ? value : (parseSize(value) ?? Number.NaN)))
    .pipe(z.number({ error }).min(min, { error }).max(max, { error }));
}

/** Milliseconds: a number, or a duration such as `500ms`, `300s`, `5m`. Given out in milliseconds. */
export function duration(min: number, max: number) {
  const error = () =>
    `must be a duration from ${min} to ${max} ms, such as 500ms, 300s, 5m or a number of milliseconds`;
  return z
    .union(
      [z.number({ error }).int({ error }).min(min, { error }), z.string({ error }).regex(DURATION_PATTERN, { error })],
      { error },
    )
    .transform((value) => (typeof value === 'number' ? value : (parseDuration(value) ?? Number.NaN)))
    .pipe(z.number({ error }).min(min, { error }).max(max, { error }));
}

/** A secret: visible ASCII, so that it fits into a header; never shown in messages. */
export function secret() {
  return pattern(
    /^[\x21-\x7e]+$/,
    'a text of visible ASCII characters without spaces or line breaks (quote it if it looks like a number)',
  );
}

/** One word that fits into a header, or a key file: a JSON object, which goes into none. */
export const CREDENTIAL_SECRET = /^(?:[\x21-\x7e]+|\s*\{[\t\n\r\x20-\x7e]*\}\s*)$/;

/** What a provider gave: a secret, or the key file of an account. */
export function credentialSecret() {
  return pattern(
    CREDENTIAL_SECRET,
    'a text of visible ASCII characters without spaces or line breaks (quote it if it looks like a number), or a JSON key file',
  );
}
