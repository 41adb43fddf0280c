/** What one request may do, resolved from entry > redundancy > key > workspace > built-in and bounded by ceilings (C-3). */
import type { OnEntry } from '../failure.ts';
import type { Rung } from '../ladder/rungs.ts';
import type { PrivacyLevel } from '../request/ranges.ts';
import type { NanoUsd } from '../usage/usage.ts';
import type { PolicyName, PolicyTable } from './policy.ts';

export interface FailoverOptions {
  readonly policy: PolicyName;
  readonly table: PolicyTable;
  readonly on: ReadonlySet<OnEntry>;
  /** Whether the request (or its defaults) named `on`: D-1 reads it. */
  readonly onSent: boolean;
  readonly crossModel: boolean;
  readonly timeoutMs: number;
  readonly firstTokenTimeoutMs: number;
  /** Somebody asked for the first-token timeout: it then applies at the last target too (T-3). */
  readonly firstTokenTimeoutAsked: boolean;
  readonly idleTimeoutMs: number;
  readonly stallTimeoutMs: number;
  /** Explicit `retries`; null = the policy's own count (D-9). */
  readonly retries: number | null;
  readonly maxAttempts: number;
  readonly deadlineMs: number;
  readonly maxCostNanoUsd: NanoUsd | null;
  /** A model that can't do what the request asks is passed over instead of refusing the request (P-6). */
  readonly skipIncapable: boolean;
  /** How private the request is (G-2): only channels whose `max_privacy` covers it. Null = it doesn't say. */
  readonly privacyLevel: PrivacyLevel | null;
  /** `low` never leaves its model and is shed first (C-4). */
  readonly priority: 'low' | 'normal' | 'high';
  readonly maxWaitMs: number;
  readonly commit: 'first_token' | 'complete';
  readonly maxHeldBytes: number;
  readonly hedgeAfterMs: number | null;
  /** A whole answer cut by its length is asked for once more, longer (D-5). Null = it is served as it is. */
  readonly onTruncated: 'extend' | null;
  readonly finishOnDisconnect: boolean;
  /** What may answer when everything failed, in order (E-4); empty = E-1 and E-2 hold. */
  readonly onExhausted: readonly Rung[];
  readonly backoff: { readonly baseMs: number; readonly capMs: number };
  /** What the ceilings changed, for the record: field, asked, given. */
  readonly clamped: readonly { readonly field: string; readonly asked: number; readonly given: number }[];
}
