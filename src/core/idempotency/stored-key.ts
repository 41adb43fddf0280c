/** One key with everything the ledger keeps under it, as `verify-ledger` sees it. */
import type { AttemptResult } from '../record.ts';
import type { KeyRef, KeyRow } from './key-row.ts';

export interface StoredAttempt {
  readonly attemptId: string;
  readonly round: number;
  readonly no: number;
  readonly target: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly result: AttemptResult | null;
  readonly maybeExecuted: boolean;
}

/** One key with everything kept under it. */
export interface StoredKey {
  readonly ref: KeyRef;
  readonly row: KeyRow;
  /** By number. */
  readonly attempts: readonly StoredAttempt[];
  /** What the kept bytes are: `none`, their digest as computed now, or `broken` when they can't be opened. */
  readonly answer:
    | { readonly kind: 'none' }
    | { readonly kind: 'broken' }
    | { readonly kind: 'bytes'; readonly digest: string };
}
