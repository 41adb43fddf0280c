/** Keys, claims and answers that tests of the ledger are made of. */
import { createHash } from 'node:crypto';
import type { Claim, IdempotencyStore, KeyRef, NewAnswer, StoredKey } from '../../src/ports/idempotency-store.ts';

export const HOUR = 3_600_000;
export const T0 = 1_700_000_000_000;

export function refOf(key: string, scope = 'key:dev chat'): KeyRef {
  return { scope, keyHash: createHash('sha256').update(key).digest('hex') };
}

export function claimOf(key: string, changes: Partial<Claim> = {}): Claim {
  const at = changes.at ?? T0;
  return {
    ref: refOf(key),
    fingerprint: 'f1',
    requestId: 'req_1',
    at,
    expiresAt: at + 24 * HOUR,
    maxAttempts: 12,
    ...changes,
  };
}

export function answerOf(text: string, changes: Partial<NewAnswer> = {}): NewAnswer {
  const body = Buffer.from(text, 'utf8');
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'x-understudy-attempts': '2' },
    body,
    stream: false,
    at: T0 + 5,
    servedModel: 'm/a',
    digest: createHash('sha256').update(body).digest('hex'),
    ...changes,
  };
}

/** All keys of a store, in its order. */
export async function keysOf(store: IdempotencyStore): Promise<StoredKey[]> {
  const found: StoredKey[] = [];
  for await (const key of store.keys()) found.push(key);
  return found;
}

/** What a round that found no answer leaves. */
export const FAILURE = { status: 502, code: 'all_models_failed', message: 'no', requestId: 'req_1', at: T0 + 9 };
export const LEASE_MS = 30_000;
