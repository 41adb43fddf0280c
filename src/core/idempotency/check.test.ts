import { describe, expect, it } from 'vitest';
import { DeliveryCheck, type KeyedRecord } from './check-deliveries.ts';
import { checkKey, VIOLATIONS, type ViolationKind } from './check-key.ts';
import type { KeyRow } from './key-row.ts';
import type { StoredAttempt, StoredKey } from './stored-key.ts';

const REF = { scope: 'key:dev#5ec2e7 chat', keyHash: 'aa' };
const FAILURE = { status: 502, code: 'x', message: '', requestId: 'req_1', at: 2 };

function row(changes: Partial<KeyRow> = {}): KeyRow {
  return {
    state: 'succeeded',
    fingerprint: 'f',
    released: false,
    life: 100,
    round: 1,
    attempts: 1,
    openAttempts: 0,
    maybeExecuted: false,
    maxAttempts: 12,
    requestId: 'req_1',
    holder: 'p1',
    leaseUntil: null,
    beganAt: 100,
    expiresAt: 900,
    failure: null,
    digest: 'd1',
    answerStored: true,
    delivered: false,
    ...changes,
  };
}
const FAILED = { state: 'failed', failure: FAILURE, digest: null, answerStored: false } as const;

function attempt(changes: Partial<StoredAttempt> = {}): StoredAttempt {
  const ended = { startedAt: 101, endedAt: 102, result: 'served', maybeExecuted: false } as const;
  return { attemptId: 'att_1', round: 1, no: 1, target: 't', ...ended, ...changes };
}

function key(changes: Partial<StoredKey> = {}): StoredKey {
  return { ref: REF, row: row(), attempts: [attempt()], answer: { kind: 'bytes', digest: 'd1' }, ...changes };
}
const none = { kind: 'none' } as const;
const failedAttempt = attempt({ result: 'failed' });
const open = attempt({ endedAt: null, result: null });

describe('checking a key (I-11)', () => {
  it.each<[string, StoredKey, boolean]>([
    ['a success', key(), false],
    ['a success over the cap', key({ row: row({ answerStored: false }), answer: none }), false],
    ['a failure', key({ row: row(FAILED), attempts: [failedAttempt], answer: none }), false],
    [
      'a released failure',
      key({ row: row({ ...FAILED, released: true }), attempts: [failedAttempt], answer: none }),
      false,
    ],
    ['a success without attempt', key({ row: row({ attempts: 0 }), attempts: [] }), false],
    [
      'a round under way',
      key({
        row: row({ state: 'running', digest: null, answerStored: false, openAttempts: 1, leaseUntil: 5 }),
        attempts: [open],
        answer: none,
      }),
      true,
    ],
    [
      'a hedge that has not ended',
      key({ row: row({ attempts: 2, openAttempts: 1 }), attempts: [attempt(), { ...open, attemptId: 'b', no: 2 }] }),
      true,
    ],
  ])('I-11: %s is sound', (_name, stored, live) => {
    expect(checkKey(stored, live)).toEqual([]);
  });

  it.each<[ViolationKind, StoredKey]>([
    [
      'orphaned_round',
      key({
        row: row({ state: 'accepted', digest: null, answerStored: false, attempts: 0 }),
        attempts: [],
        answer: none,
      }),
    ],
    [
      'orphaned_attempt',
      key({ row: row({ attempts: 2, openAttempts: 1 }), attempts: [attempt(), { ...open, attemptId: 'b' }] }),
    ],
    ['several_successes', key({ row: row({ attempts: 2 }), attempts: [attempt(), attempt({ attemptId: 'b' })] })],
    ['answer_missing', key({ answer: none })],
    ['answer_unreadable', key({ answer: { kind: 'broken' } })],
    ['answer_changed', key({ answer: { kind: 'bytes', digest: 'd2' } })],
    ['answer_unexpected', key({ row: row({ answerStored: false }) })],
    ['answer_unexpected', key({ row: row(FAILED), attempts: [failedAttempt] })],
    ['attempts_over_budget', key({ row: row({ maxAttempts: 0 }) })],
    ['attempts_miscounted', key({ attempts: [] })],
    ['attempts_miscounted', key({ row: row({ openAttempts: 1 }) })],
    ['inconsistent_state', key({ row: row({ digest: null, answerStored: false }), answer: none })],
    ['inconsistent_state', key({ row: row({ ...FAILED, failure: null }), attempts: [failedAttempt], answer: none })],
    ['inconsistent_state', key({ row: row({ ...FAILED, digest: 'd1' }), attempts: [failedAttempt], answer: none })],
    [
      'inconsistent_state',
      key({ row: row({ ...FAILED, released: true, maybeExecuted: true }), attempts: [failedAttempt], answer: none }),
    ],
    ['inconsistent_state', key({ row: row(FAILED), answer: none })],
    ['inconsistent_state', key({ row: row({ leaseUntil: 5 }) })],
    ['inconsistent_state', key({ attempts: [attempt({ round: 2 })] })],
  ])('I-11: %s is found, and nothing else', (kind, stored) => {
    const found = checkKey(stored, false);
    expect(found.map((one) => one.kind)).toEqual([kind]);
    expect(found[0]).toMatchObject({ scope: 'key:dev#5ec2e7 chat', key_hash: 'aa' });
    expect(VIOLATIONS[kind]).toBeTruthy();
  });

  it('I-8: what is under way is nothing to tell of while a gateway runs', () => {
    const under = key({
      row: row({ state: 'running', digest: null, answerStored: false, openAttempts: 1 }),
      attempts: [open],
      answer: none,
    });
    expect(checkKey(under, true)).toEqual([]);
    expect(checkKey(under, false).map(({ kind }) => kind)).toEqual(['orphaned_round']);
  });
});

function record(
  id: string,
  changes: Partial<KeyedRecord> & { digest?: string | null; original?: string; role?: string } = {},
): KeyedRecord {
  const { digest = 'd1', original, role = original === undefined ? 'owner' : 'replay', ...rest } = changes;
  return {
    id,
    at: new Date(100).toISOString(),
    key: 'dev',
    workspace: 'acme',
    endpoint: 'chat',
    status: 200,
    ending: original === undefined ? 'served' : 'replayed',
    idempotency: {
      key_hash: 'aa',
      state: 'succeeded',
      round: 1,
      role,
      digest,
      ...(original === undefined ? {} : { original_request_id: original }),
    },
    ...rest,
  };
}
const later = new Date(500).toISOString();

describe('checking what was delivered (I-11)', () => {
  const check = (entries: Parameters<typeof kinds>[0], ...records: KeyedRecord[]) => kinds(entries, records);
  function kinds(
    entries: readonly KeyRow[],
    records: readonly KeyedRecord[],
    scope = REF.scope,
  ): (ViolationKind | undefined)[] {
    const run = new DeliveryCheck(
      'aa',
      entries.map((one) => ({ ref: { ...REF, scope }, row: one })),
    );
    return records.map((one) => run.add(one)?.kind);
  }

  it('I-11: replays and joins that equal the stored success are sound', () => {
    const joined = record('req_3', { original: 'req_1', ending: 'joined', at: later });
    expect(check([row()], record('req_1'), record('req_2', { original: 'req_1', at: later }), joined)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('I-1, I-11: the classic endpoint has keys of its own; records name both ways in alike', () => {
    const classic = 'key:dev#5ec2e7 chat.classic';
    expect(kinds([row()], [record('req_1')], classic)).toEqual([undefined]);
    expect(kinds([row()], [record('req_1', { digest: 'd2' })], classic)).toEqual(['delivered_not_stored']);
    const both = new DeliveryCheck('aa', [
      { ref: REF, row: row() },
      { ref: { ...REF, scope: classic }, row: row({ requestId: 'req_9', digest: 'd9' }) },
    ]);
    expect(both.add(record('req_9', { digest: 'd9' }))).toBe(null);
    expect(both.add(record('req_10', { original: 'req_9', digest: 'd8', at: later }))).not.toBe(null);
  });

  it('I-11: failures, cut answers and refusals are no deliveries', () => {
    const cut = record('req_2', { ending: 'interrupted', digest: null });
    expect(check([row(FAILED)], record('req_1', { status: 502, ending: 'failed', digest: null }), cut)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('I-11: another body than the stored one is found, in the ledger and without it', () => {
    const wrong = record('req_2', { original: 'req_1', digest: 'd2' });
    expect(check([row({ digest: 'd2' })], record('req_1'))).toEqual(['delivered_not_stored']);
    expect(check([], record('req_1'), wrong)).toEqual([undefined, 'delivered_twice_differently']);
    expect(check([row()], wrong)).toEqual(['delivered_not_stored']);
  });

  it('I-11: a success of this life that the ledger does not have is found', () => {
    expect(check([row(FAILED)], record('req_2', { at: later }))).toEqual(['delivered_not_stored']);
    expect(check([row()], record('req_1'), record('req_2', { at: later, digest: 'd2' }))).toEqual([
      undefined,
      'delivered_not_stored',
    ]);
  });

  it('I-10: what was delivered in an earlier life of the key is compared within that life alone', () => {
    const old = { at: new Date(50).toISOString(), digest: 'd0' };
    expect(
      check([row()], record('req_0', old), record('req_00', { ...old, original: 'req_0' }), record('req_1')),
    ).toEqual([undefined, undefined, undefined]);
    expect(check([row()], record('req_0', old), record('req_00', { ...old, digest: 'd9', original: 'req_0' }))).toEqual(
      [undefined, 'delivered_twice_differently'],
    );
  });

  it('I-11: a delivery nobody weighed is told', () => {
    expect(check([row()], record('req_1', { digest: null }))).toEqual(['delivered_unweighed']);
  });

  it('I-1: the same hash in another scope is another key', () => {
    const other = record('req_9', { key: 'prod', digest: 'd9', at: later });
    expect(check([row()], other)).toEqual([undefined]);
    expect(kinds([row()], [record('req_9', { digest: 'd9', at: later })], 'workspace:acme chat')).toEqual([
      'delivered_not_stored',
    ]);
  });

  it('I-6: a follower whose record does not name the leader is known by its round', () => {
    const follower = record('req_2', { role: 'joiner', ending: 'joined', at: later });
    expect(check([row()], follower)).toEqual([undefined]);
    expect(check([row({ digest: 'd2' })], follower)).toEqual(['delivered_not_stored']);
  });
});
