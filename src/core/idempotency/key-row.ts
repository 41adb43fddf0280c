/**
 * What the ledger keeps of one idempotency key (I-2): a row that only the transitions of this folder change. Stores
 * load it, apply one of them, and write the result on condition that nobody else wrote meanwhile.
 */

import type { GatewayError } from '../errors/gateway-error.ts';

/** `accepted` and `running` are held by somebody; the rest has ended. */
export const KEY_STATES = ['accepted', 'running', 'succeeded', 'failed', 'failed_retry_exhausted'] as const;
export type KeyState = (typeof KEY_STATES)[number];

export interface KeyRef {
  /** `key:NAME#SECRET ENDPOINT`, or `workspace:NAME ENDPOINT` under `idempotency_scope: workspace` (I-1). */
  readonly scope: string;
  /** SHA-256 of the Idempotency-Key, hex; of a derived key see `derive.ts`. */
  readonly keyHash: string;
}

/** How a round ended without success: what a refusal under the same key tells. Masked, safe to show (E-5). */
export interface StoredFailure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The request whose round it was. */
  readonly requestId: string;
  /** Wall ms. */
  readonly at: number;
  /** The rest of what the round's own client was told; whoever waited for it elsewhere is told the same (I-6). */
  readonly told?: Omit<GatewayError, 'status' | 'code' | 'message'>;
}

export interface KeyRow {
  readonly state: KeyState;
  readonly fingerprint: string;
  /** The fingerprint binds no more (I-5): another request may use the key. */
  readonly released: boolean;
  /** When the key was first used since it was last free, wall ms. What was delivered before belongs to another life. */
  readonly life: number;
  /** From 1, one more with every run under the key. */
  readonly round: number;
  /** Attempts begun in all rounds of this life; never more than `maxAttempts`. */
  readonly attempts: number;
  /** Of these, begun and not ended. */
  readonly openAttempts: number;
  /** Some attempt of this life may have done its work without telling. */
  readonly maybeExecuted: boolean;
  /** The key's lifetime budget (I-7), as the last claim brought it. */
  readonly maxAttempts: number;
  /** The request that runs the round, or ran the last one. */
  readonly requestId: string;
  /** The process that holds the round. */
  readonly holder: string;
  /** Wall ms until which the round is held; null = as long as the process lives (one process per store). */
  readonly leaseUntil: number | null;
  /** When the round began, wall ms. */
  readonly beganAt: number;
  /** From when on the key is free again, wall ms; a held round is waited for. */
  readonly expiresAt: number;
  /** Of the last failed round. */
  readonly failure: StoredFailure | null;
  /** SHA-256 of the stored success's body, hex; null without a success. */
  readonly digest: string | null;
  /** The success's bytes are kept; false = larger than the cap. */
  readonly answerStored: boolean;
  /** The success reached its first client whole. Told for derived keys only (I-10). */
  readonly delivered: boolean;
}

export function isHeld(state: KeyState): boolean {
  return state === 'accepted' || state === 'running';
}

/** Only an expired lease frees a round; without leases nothing but the end of the process does. */
export function leaseLost(row: KeyRow, wall: number): boolean {
  return isHeld(row.state) && row.leaseUntil !== null && row.leaseUntil <= wall;
}
