/** Valid wishes that this version does not carry out: refused by name, never accepted silently. */
import { bad, good, type Read } from './read.ts';
import type { RedundancyInput } from './redundancy-types.ts';

/**
 * Fields of `redundancy` that are not carried out, with the values that ask for nothing; an empty list asks for nothing
 * either. Requests and configuration are judged by it.
 */
export const UNAVAILABLE: ReadonlyMap<keyof RedundancyInput, readonly unknown[]> = new Map<
  keyof RedundancyInput,
  readonly unknown[]
>([
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
 * The request's `Idempotency-Key` header (undefined = absent). One that can't be used must not run as a plain request:
 * its sender relies on never being executed twice (I-1).
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
  return good(null);
}
