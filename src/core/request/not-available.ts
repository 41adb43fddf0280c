/** Valid wishes that this version does not carry out: refused by name, never accepted silently. */
import { bad, good, type Read } from './read.ts';
import type { RedundancyInput } from './redundancy-types.ts';

/** Null = carried out, or the value that asks for nothing. */
type Unavailable = (input: RedundancyInput) => boolean;

/**
 * `finish_on_disconnect` is not here: it speaks of requests with an idempotency key alone (T-6), which are refused
 * themselves; without one, both values ask for what happens anyway.
 */
const UNAVAILABLE: readonly (readonly [keyof RedundancyInput, Unavailable])[] = [
  ['skip_incapable', (input) => input.skip_incapable === true],
  ['max_cost_usd', (input) => input.max_cost_usd !== undefined],
  ['priority', (input) => input.priority !== undefined && input.priority !== 'normal'],
  ['privacy_level', (input) => input.privacy_level !== undefined],
  ['hedge_after_ms', (input) => input.hedge_after_ms !== undefined],
  ['on_truncated', (input) => input.on_truncated !== undefined],
  ['on_duplicate', (input) => input.on_duplicate === 'reject'],
  ['on_exhausted', (input) => input.on_exhausted !== undefined && input.on_exhausted.length > 0],
];

/** The first field of a request's `redundancy` that would not be carried out, as 400 `not_available`. */
export function checkAvailable(input: RedundancyInput): Read<null> {
  for (const [field, unavailable] of UNAVAILABLE) {
    if (!unavailable(input)) continue;
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

/** `X-Understudy-Rehearse`: who sends it counts on failures made on purpose, and would take none for a recovery. */
export function checkRehearsal(header: unknown): Read<null> {
  if (header === undefined) return good(null);
  const param = 'X-Understudy-Rehearse';
  return bad('not_available', `${param} is not available in this version; send the request without it`, param);
}
