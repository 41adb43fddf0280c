/** Valid wishes that this version does not carry out: refused by name, never accepted silently. */
import { bad, good, type Read } from './read.ts';
import type { RedundancyInput } from './redundancy-types.ts';

/**
 * Fields of `redundancy` that are not carried out, with the values that ask for nothing; an empty list asks for nothing
 * either. Requests and configuration are judged by it.
 *
 * `finish_on_disconnect` is not here: it speaks of requests with an idempotency key alone (T-6), which are refused
 * themselves; without one, both values ask for what happens anyway.
 */
export const UNAVAILABLE: ReadonlyMap<keyof RedundancyInput, readonly unknown[]> = new Map<
  keyof RedundancyInput,
  readonly unknown[]
>([
  ['hedge_after_ms', []],
  ['on_truncated', []],
  ['on_duplicate', ['join']],
  ['on_exhausted', []],
]);

/** The first field of a request's `redundancy` that would not be carried out, as 400 `not_available`. */
export function checkAvailable(input: RedundancyInput): Read<null> {
  for (const [field, harmless] of UNAVAILABLE) {
    const value = input[field];
    if (value === undefined || harmless.includes(value) || (Array.isArray(value) && value.length === 0)) continue;
    const param = `redundancy.${field}`;
    return bad('not_available', `\`${param}\` is not available in this version; leave it out`, param);
  }
  return good(null);
}

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/**
 * The request's `Idempotency-Key` header (undefined = absent). A keyed request must not run as a plain one: its sender
 * relies on never being executed twice (I-1).
 */
export function checkIdempotencyKey(header: string | undefined): Read<null> {
  if (header === undefined) return good(null);
  const param = 'Idempotency-Key';
  if (!VISIBLE_ASCII.test(header)) {
    return bad(
      'invalid_idempotency_key',
      'the Idempotency-Key header must be 1 to 255 visible ASCII characters',
      param,
    );
  }
  return bad('not_available', 'Idempotency-Key is not available in this version; send the request without it', param);
}
