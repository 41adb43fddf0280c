/** A success as one sealed parcel (I-4). */
import { createHash } from 'node:crypto';
import type { KeyRef } from '../../core/idempotency/key-row.ts';
import type { NewAnswer, StoredAnswer } from '../../ports/idempotency-store.ts';
import type { SealedAnswer } from './idempotency-work.ts';
import { openParcel, type ParcelSealer, sealParcel } from './sealed-parcel.ts';

export type AnswerSealer = ParcelSealer;

/** Null = larger than the cap: nothing is kept. Throws `SealKeyError`. */
export function sealAnswer(
  sealer: AnswerSealer,
  ref: KeyRef,
  requestId: string,
  { body, ...head }: NewAnswer,
): SealedAnswer | null {
  return body === null ? null : sealParcel(sealer, contextOf(ref, requestId), { head, body });
}

/** Null = it can't be opened: another key, or damaged. */
export function openAnswer(
  sealer: AnswerSealer,
  ref: KeyRef,
  requestId: string,
  sealed: Uint8Array,
): StoredAnswer | null {
  const parcel = openParcel(sealer, contextOf(ref, requestId), sealed);
  return parcel === null ? null : { ...(parcel.head as unknown as Omit<StoredAnswer, 'body'>), body: parcel.body };
}

export function digestOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** Bound in: an answer opens for its key and request alone, wherever its bytes were moved. */
function contextOf({ scope, keyHash }: KeyRef, requestId: string): string {
  return `answer ${scope} ${keyHash} ${requestId}`;
}
