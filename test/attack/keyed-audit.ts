/** The ledger of a running gateway, looked at as `verify-ledger` looks at a stopped one. */
import { expect } from 'vitest';
import { DeliveryCheck } from '../../src/core/idempotency/check-deliveries.ts';
import { checkKey } from '../../src/core/idempotency/check-key.ts';
import type { StoredKey } from '../../src/core/idempotency/stored-key.ts';
import { waitFor } from '../faults/gateway.ts';
import type { RulesRig } from '../rules/rules-rig.ts';

/** Nothing runs any more: every key and everything delivered is in order (I-8, I-11). Answers all that is kept. */
export async function expectOrderly(rig: RulesRig): Promise<readonly StoredKey[]> {
  const { keyed, live } = rig.gateway.inside;
  await waitFor(() => (live.size === 0 && keyed.size === 0 ? true : null), 'the end of all requests');
  const records = await rig.gateway.records(200);
  const keys = await waitFor(() => settledKeys(rig), 'the end of all attempts');
  expect(keys.flatMap((key) => checkKey(key, false))).toEqual([]);
  for (const hash of new Set(keys.map(({ ref }) => ref.keyHash))) {
    const check = new DeliveryCheck(
      hash,
      keys.filter(({ ref }) => ref.keyHash === hash),
    );
    const ofKey = records.filter(({ idempotency }) => idempotency?.key_hash === hash);
    expect(ofKey.map((record) => check.add(record)).filter((found) => found !== null)).toEqual([]);
  }
  return keys;
}

/** Ends of attempts are written a moment later; null = not yet. */
async function settledKeys(rig: RulesRig): Promise<readonly StoredKey[] | null> {
  const keys: StoredKey[] = [];
  for await (const key of rig.gateway.inside.keyed.store.keys()) keys.push(key);
  return keys.every(({ row }) => row.openAttempts === 0) ? keys : null;
}

/** What became of each attempt, by number. */
export function attemptsOf({ attempts }: StoredKey): string[] {
  return attempts.map(({ no, result, maybeExecuted }) => `${no} ${result}${maybeExecuted ? ' maybe' : ''}`);
}
