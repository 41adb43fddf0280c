/**
 * What a provider calls its failures, as data. The rules in this folder are the same for everyone (F-1); a vocabulary
 * is read before them and says what one provider means by its own codes and phrases.
 */
import type { FailureClass } from '../failure.ts';

/** One phrase of a provider. `code` narrows the rule to failures that carry this code too (in `codeKey` form). */
export interface PhraseRule {
  readonly pattern: RegExp;
  readonly class: FailureClass;
  readonly code?: string;
}

/** A quota bucket told in headers: its reset counts when its remaining is 0 (D-3). Lower-case names. */
export interface ResetBucket {
  readonly reset: string;
  readonly remaining: string;
  /** Counts also when the `remaining` header is absent: a lone reset is then the only bucket there is. */
  readonly lone?: boolean;
  /** Another header that marks the bucket as used up, with the value it then has. */
  readonly usedUp?: readonly [name: string, value: string];
}

export interface ErrorVocabulary {
  readonly id: string;
  /** `codeKey` of a provider's code → class. Codes under other fields than `code` carry that field: see `codeKey`. */
  readonly codes: ReadonlyMap<string, FailureClass>;
  /** Read before `codes`; the first that matches decides. */
  readonly phrases: readonly PhraseRule[];
  /** Headers that carry a provider's error code, lower case. */
  readonly codeHeaders: readonly string[];
  /** Headers that carry the provider's request id, lower case, best first. */
  readonly requestIdHeaders: readonly string[];
  readonly resetBuckets: readonly ResetBucket[];
}

/**
 * The form in which codes are compared: lower case, letters and digits only, so that `Throttling.RateQuota`,
 * `throttling_rate_quota` and `THROTTLING RATE QUOTA` are one.
 */
export function codeKey(code: string): string {
  return code.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
