/** A success as one sealed blob (I-4): length of the head (4 bytes), head as JSON, body. */
import { createHash } from 'node:crypto';
import type { KeyRef } from '../../core/idempotency/key-row.ts';
import type { NewAnswer, StoredAnswer } from '../../ports/idempotency-store.ts';
import { SealBroken, type Sealer } from '../../ports/sealer.ts';
import { keyIdOfBytes } from '../sealer/sealed-bytes.ts';
import type { SealedAnswer } from './idempotency-work.ts';

export type AnswerSealer = Pick<Sealer, 'sealBytes' | 'openBytes'>;

const LENGTH_BYTES = 4;

/** Null = larger than the cap: nothing is kept. Throws `SealKeyError`. */
export function sealAnswer(
  sealer: AnswerSealer,
  ref: KeyRef,
  requestId: string,
  answer: NewAnswer,
): SealedAnswer | null {
  const { body, ...head } = answer;
  if (body === null) return null;
  const text = Buffer.from(JSON.stringify(head), 'utf8');
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  const sealed = sealer.sealBytes(Buffer.concat([length, text, body]), contextOf(ref, requestId));
  return { sealKey: keyIdOfBytes(sealed) ?? '', sealed };
}

/** Null = it can't be opened: another key, or damaged. */
export function openAnswer(
  sealer: AnswerSealer,
  ref: KeyRef,
  requestId: string,
  sealed: Uint8Array,
): StoredAnswer | null {
  try {
    const plain = Buffer.from(sealer.openBytes(sealed, contextOf(ref, requestId)));
    const bodyAt = LENGTH_BYTES + plain.readUInt32BE();
    const head = JSON.parse(plain.toString('utf8', LENGTH_BYTES, bodyAt)) as Omit<StoredAnswer, 'body'>;
    return { ...head, body: plain.subarray(bodyAt) };
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
}

export function digestOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** Bound in: an answer opens for its key and request alone, wherever its bytes were moved. */
function contextOf({ scope, keyHash }: KeyRef, requestId: string): string {
  return `answer ${scope} ${keyHash} ${requestId}`;
}
