/** The `Idempotency-Key` header (I-1). */
import { bad, good, type Read } from './read.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/**
 * Undefined = absent. One that can't be used must not run as a plain request: its sender relies on never being executed
 * twice.
 */
export function checkIdempotencyKey(header: string | undefined): Read<null> {
  if (header === undefined || VISIBLE_ASCII.test(header)) return good(null);
  const message =
    'the Idempotency-Key header must be 1 to 255 visible ASCII characters: letters, digits and punctuation (! to ~), no spaces';
  return bad('invalid_idempotency_key', message, 'Idempotency-Key');
}
