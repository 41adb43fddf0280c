/** What every idempotency store must do, whatever it is made of (section 8). Run over each implementation. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Claim,
  type IdempotencyStore,
  type KeyRef,
  type NewAnswer,
  RoundLost,
  type StoredKey,
} from '../../src/ports/idempotency-store.ts';

/** One book of keys, and stores that work on it as processes would. */
export interface LedgerBench {
  /** Another process: it knows nothing of the others. `leaseMs` null = the only one. */
  store(holder: string, leaseMs: number | null): IdempotencyStore;
  close(): Promise<void>;
}

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

export async function keysOf(store: IdempotencyStore): Promise<StoredKey[]> {
  const found: StoredKey[] = [];
  for await (const key of store.keys()) found.push(key);
  return found;
}

const FAILURE = { status: 502, code: 'all_models_failed', message: 'no', requestId: 'req_1', at: T0 + 9 };
const LEASE = 30_000;

export function idempotencyStoreConformance(name: string, open: () => Promise<LedgerBench>): void {
  describe(`${name}: the port's promises`, () => {
    let bench: LedgerBench;
    let store: IdempotencyStore;
    beforeEach(async () => {
      bench = await open();
      store = bench.store('p1', null);
    });
    afterEach(() => bench.close());

    const start = (key: string, attemptId: string, round = 1, no = 1, by = store) =>
      by.startAttempt({ ref: refOf(key), round, no, attemptId, target: 'm#c', at: T0 + 1 });
    const end = (key: string, attemptId: string, maybeExecuted = false) =>
      store.endAttempt({ ref: refOf(key), attemptId, result: 'failed', maybeExecuted, at: T0 + 2 });
    const succeed = (key: string, text: string, changes: Partial<Parameters<IdempotencyStore['succeed']>[0]> = {}) =>
      store.succeed({
        ref: refOf(key),
        round: 1,
        requestId: 'req_1',
        attemptId: 'att_1',
        answer: answerOf(text),
        ...changes,
      });
    const fail = (key: string, round = 1, release = false, by = store) =>
      by.fail({ ref: refOf(key), round, state: 'failed', failure: FAILURE, release });
    const row = async (key: string) => (await keysOf(store)).find(({ ref }) => ref.keyHash === refOf(key).keyHash);

    it('I-2, I-6: the first to claim runs it, everybody else is told who does', async () => {
      expect(await store.claim(claimOf('k'))).toEqual({ kind: 'owner', round: 1, attemptsBefore: 0 });
      const others = await Promise.all(
        [2, 3].map((n) => store.claim(claimOf('k', { requestId: `req_${n}`, at: T0 + n }))),
      );
      expect(others).toEqual([
        { kind: 'running', round: 1, requestId: 'req_1', at: T0 },
        { kind: 'running', round: 1, requestId: 'req_1', at: T0 },
      ]);
      expect((await row('k'))?.row.state).toBe('accepted');
      await start('k', 'att_1');
      expect((await row('k'))?.row).toMatchObject({ state: 'running', attempts: 1 });
    });

    it('I-6: of many claims in one turn exactly one owns the key', async () => {
      const kinds = await Promise.all(
        Array.from({ length: 200 }, async (_, n) => (await store.claim(claimOf('k', { requestId: `req_${n}` }))).kind),
      );
      expect(kinds.filter((kind) => kind === 'owner')).toHaveLength(1);
      expect(kinds.filter((kind) => kind === 'running')).toHaveLength(199);
    });

    it('I-1: the same key of another scope is another key', async () => {
      await store.claim(claimOf('k'));
      const other = await store.claim(claimOf('k', { ref: refOf('k', 'key:dev responses') }));
      expect(other.kind).toBe('owner');
    });

    it('I-3, I-4: a stored success is replayed byte for byte with its headers', async () => {
      await store.claim(claimOf('k'));
      await start('k', 'att_1');
      const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      const answer = answerOf('', { body, stream: true, status: 201, servedModel: null, digest: 'd' });
      expect(await succeed('k', '', { answer })).toBe('stored');
      const replay = await store.claim(claimOf('k', { requestId: 'req_9', at: T0 + 60 }));
      expect(replay).toMatchObject({ kind: 'succeeded', round: 1, requestId: 'req_1' });
      const stored = replay.kind === 'succeeded' ? replay.answer : null;
      expect({ ...stored, body: Buffer.from(stored?.body ?? []) }).toEqual({ ...answer, body });
    });

    it('I-4: an answer over the cap leaves its digest alone', async () => {
      await store.claim(claimOf('k'));
      expect(await succeed('k', '', { attemptId: null, answer: answerOf('big', { body: null }) })).toBe('stored');
      expect(await store.claim(claimOf('k'))).toMatchObject({ kind: 'succeeded', answer: null });
      expect((await row('k'))?.row).toMatchObject({ answerStored: false, digest: answerOf('big').digest });
    });

    it('I-3: the second success of a round is lost, recorded, and changes nothing', async () => {
      await store.claim(claimOf('k'));
      await start('k', 'att_1');
      await start('k', 'att_2', 1, 2);
      expect(await succeed('k', 'first')).toBe('stored');
      expect(await succeed('k', 'second', { attemptId: 'att_2' })).toBe('lost');
      const stored = await row('k');
      expect(stored?.attempts.map(({ result }) => result)).toEqual(['served', 'late_success']);
      expect(stored?.answer).toEqual({ kind: 'bytes', digest: answerOf('first').digest });
    });

    it('I-3: asked again after a lost word, the same success is there', async () => {
      await store.claim(claimOf('k'));
      await start('k', 'att_1');
      expect([await succeed('k', 'a'), await succeed('k', 'a')]).toEqual(['stored', 'stored']);
      expect((await row('k'))?.attempts[0]?.result).toBe('served');
    });

    it('I-3: an attempt is the served one by its stored success alone', async () => {
      await store.claim(claimOf('k'));
      await start('k', 'att_1');
      const served = { ref: refOf('k'), attemptId: 'att_1', result: 'served', maybeExecuted: false, at: T0 } as const;
      store.endAttempt(served);
      expect(await succeed('k', 'a')).toBe('stored');
      await store.claim(claimOf('k2'));
      await start('k2', 'att_1');
      store.endAttempt({ ...served, ref: refOf('k2') });
      await fail('k2', 1, true);
      expect((await row('k'))?.attempts.map(({ result }) => result)).toEqual(['served']);
      expect(await row('k2')).toMatchObject({ attempts: [{ result: 'interrupted' }], row: { released: false } });
    });

    it('I-3: no success for a round that has ended, nor for one that is not there', async () => {
      await store.claim(claimOf('k'));
      await start('k', 'att_1');
      await fail('k');
      expect(await succeed('k', 'late')).toBe('lost');
      expect(await succeed('nobody', 'late')).toBe('lost');
      expect((await row('k'))?.row.state).toBe('failed');
      expect((await row('k'))?.attempts[0]).toMatchObject({ result: 'late_success', maybeExecuted: true });
    });

    it('I-5: another request under the key is refused, whatever its state', async () => {
      await store.claim(claimOf('k'));
      expect(await store.claim(claimOf('k', { fingerprint: 'f2' }))).toEqual({ kind: 'reused' });
      await fail('k');
      expect(await store.claim(claimOf('k', { fingerprint: 'f2' }))).toEqual({ kind: 'reused' });
      await store.claim(claimOf('k', { requestId: 'req_2' }));
      await succeed('k', 'a', { round: 2, requestId: 'req_2', attemptId: null });
      expect(await store.claim(claimOf('k', { fingerprint: 'f2' }))).toEqual({ kind: 'reused' });
    });

    it("I-5: a caller's fault releases the key; attempts go on counting", async () => {
      await store.claim(claimOf('k'));
      await start('k', 'att_1');
      end('k', 'att_1');
      await fail('k', 1, true);
      const next = await store.claim(claimOf('k', { fingerprint: 'f2', requestId: 'req_2' }));
      expect(next).toEqual({ kind: 'owner', round: 2, attemptsBefore: 1 });
      expect(await store.claim(claimOf('k'))).toEqual({ kind: 'reused' });
    });

    it.each([
      ['that may have been executed', (key: string) => end(key, 'att_1', true)],
      ['that has not ended', () => undefined],
    ])('I-5: an attempt %s binds the key, whoever is at fault', async (_name, then) => {
      await store.claim(claimOf('k'));
      await start('k', 'att_1');
      then('k');
      await fail('k', 1, true);
      expect(await store.claim(claimOf('k', { fingerprint: 'f2' }))).toEqual({ kind: 'reused' });
      expect((await store.claim(claimOf('k'))).kind).toBe('owner');
    });

    it('I-7: rounds count attempts on until the budget of the key is spent', async () => {
      const claim = claimOf('k', { maxAttempts: 3 });
      await store.claim(claim);
      await start('k', 'att_1');
      await start('k', 'att_2', 1, 2);
      await fail('k');
      expect(await store.claim({ ...claim, requestId: 'req_2' })).toEqual({
        kind: 'owner',
        round: 2,
        attemptsBefore: 2,
      });
      await start('k', 'att_3', 2, 3);
      await expect(start('k', 'att_4', 2, 4)).rejects.toThrow(RoundLost);
      await fail('k', 2);
      expect(await store.claim(claim)).toEqual({ kind: 'exhausted', failure: FAILURE });
      expect((await row('k'))?.row.attempts).toBe(3);
    });

    it('I-7: both failed states allow a new round', async () => {
      await store.claim(claimOf('k'));
      await store.fail({
        ref: refOf('k'),
        round: 1,
        state: 'failed_retry_exhausted',
        failure: FAILURE,
        release: false,
      });
      expect((await row('k'))?.row.state).toBe('failed_retry_exhausted');
      expect(await store.claim(claimOf('k'))).toMatchObject({ kind: 'owner', round: 2 });
    });

    it('I-2: no attempt starts for a round that has ended or is not there', async () => {
      await expect(start('k', 'att_0')).rejects.toThrow(RoundLost);
      await store.claim(claimOf('k'));
      await fail('k');
      await expect(start('k', 'att_1')).rejects.toThrow(RoundLost);
      await store.claim(claimOf('k', { requestId: 'req_2' }));
      await expect(start('k', 'att_1', 1)).rejects.toThrow(RoundLost);
      expect((await row('k'))?.attempts).toEqual([]);
    });

    it('I-6: a failure is seen by the next claim, even one of the same turn', async () => {
      await store.claim(claimOf('k'));
      void fail('k');
      expect((await store.claim(claimOf('k', { requestId: 'req_2' }))).kind).toBe('owner');
      // Told again of the round before, it leaves the new one alone.
      await fail('k');
      expect((await store.claim(claimOf('k'))).kind).toBe('running');
    });

    it('I-1: an expired key is free, attempts and answer gone with it; a running one is waited for', async () => {
      await store.claim(claimOf('k', { expiresAt: T0 + HOUR }));
      await start('k', 'att_1');
      const later = T0 + 2 * HOUR;
      expect((await store.claim(claimOf('k', { at: later, requestId: 'req_2' }))).kind).toBe('running');
      await succeed('k', 'old');
      expect(await store.claim(claimOf('k', { at: later, requestId: 'req_3' }))).toEqual({
        kind: 'owner',
        round: 1,
        attemptsBefore: 0,
      });
      expect(await row('k')).toMatchObject({
        attempts: [],
        answer: { kind: 'none' },
        row: { digest: null, life: later },
      });
    });

    it('I-1: expire forgets what is over and nothing else', async () => {
      for (const key of ['over', 'kept', 'held'])
        await store.claim(claimOf(key, { expiresAt: T0 + (key === 'kept' ? 9 : 5) }));
      for (const key of ['over', 'kept']) {
        await store.startAttempt({ ref: refOf(key), round: 1, no: 1, attemptId: 'att_1', target: 't', at: T0 });
        await succeed(key, 'a');
      }
      expect(await store.expire(T0 + 5)).toBe(1);
      expect((await keysOf(store)).map(({ ref }) => ref.keyHash).sort()).toEqual(
        [refOf('kept').keyHash, refOf('held').keyHash].sort(),
      );
      expect(await store.claim(claimOf('over', { at: T0 + 6 }))).toMatchObject({ kind: 'owner', attemptsBefore: 0 });
    });

    it('I-8: after a crash no key is stuck, and what was under way may have been executed', async () => {
      for (const key of ['accepted', 'running']) await store.claim(claimOf(key));
      await start('running', 'att_1');
      const after = bench.store('p2', null);
      expect(await after.recover(T0 + HOUR)).toEqual({ closed: 2 });
      const [one, two] = (await keysOf(after)).sort((a, b) => a.attempts.length - b.attempts.length);
      expect(one?.row).toMatchObject({ state: 'failed', maybeExecuted: false, failure: { code: 'gateway_restarted' } });
      expect(two?.row).toMatchObject({ state: 'failed', maybeExecuted: true, openAttempts: 0 });
      expect(two?.attempts[0]).toMatchObject({ result: 'interrupted', maybeExecuted: true, endedAt: T0 + HOUR });
      expect(await after.claim(claimOf('running', { requestId: 'req_2' }))).toMatchObject({
        round: 2,
        attemptsBefore: 1,
      });
      // Its own rounds run.
      expect(await after.recover(T0 + HOUR)).toEqual({ closed: 0 });
      expect((await after.claim(claimOf('running', { requestId: 'req_3' }))).kind).toBe('running');
    });

    it('I-8: a success survives a crash, and its open hedge is closed', async () => {
      await store.claim(claimOf('k'));
      await start('k', 'att_1');
      await start('k', 'att_2', 1, 2);
      await succeed('k', 'a');
      const after = bench.store('p2', null);
      expect(await after.recover(T0 + HOUR)).toEqual({ closed: 0 });
      const [key] = await keysOf(after);
      expect(key?.row).toMatchObject({ state: 'succeeded', openAttempts: 0 });
      expect(key?.attempts.map(({ result }) => result)).toEqual(['served', 'interrupted']);
      expect((await after.claim(claimOf('k'))).kind).toBe('succeeded');
    });

    it('I-10: a delivered success of a derived key makes way, an undelivered one is replayed', async () => {
      const again = claimOf('k', { regenerate: true, requestId: 'req_2', at: T0 + 9 });
      await store.claim(claimOf('k'));
      expect((await store.claim(again)).kind).toBe('running');
      await succeed('k', 'a', { attemptId: null });
      expect((await store.claim(again)).kind).toBe('succeeded');
      store.delivered(refOf('k'), 1);
      expect((await store.claim(claimOf('k'))).kind).toBe('succeeded');
      expect(await store.claim(again)).toEqual({ kind: 'owner', round: 1, attemptsBefore: 0 });
      expect(await row('k')).toMatchObject({ answer: { kind: 'none' }, row: { life: T0 + 9, delivered: false } });
    });

    it('keeps keys() in order, every one once', async () => {
      for (let n = 0; n < 450; n++) void store.claim(claimOf(`k${n}`));
      await store.claim(claimOf('last'));
      const hashes = (await keysOf(store)).map(({ ref }) => ref.keyHash);
      expect(hashes).toHaveLength(451);
      expect(hashes).toEqual([...hashes].sort());
    });
  });

  describe(`${name}: leases of several processes`, () => {
    let bench: LedgerBench;
    beforeEach(async () => {
      bench = await open();
    });
    afterEach(() => bench.close());

    const ref = refOf('k');
    const begin = (by: IdempotencyStore, attemptId: string, round: number, no: number) =>
      by.startAttempt({ ref, round, no, attemptId, target: 't', at: T0 });
    const finish = (by: IdempotencyStore, text: string, round: number, requestId: string, attemptId: string) =>
      by.succeed({ ref, round, requestId, attemptId, answer: answerOf(text) });

    it('I-8: a lease that is renewed is not taken over, an expired one is', async () => {
      const [one, two] = [bench.store('p1', LEASE), bench.store('p2', LEASE)];
      await one.claim(claimOf('k'));
      await begin(one, 'att_1', 1, 1);
      expect(await one.renew(T0 + 20_000)).toEqual([]);
      const late = claimOf('k', { requestId: 'req_2', at: T0 + 40_000 });
      expect((await two.claim(late)).kind).toBe('running');
      expect(await two.recover(T0 + 40_000)).toEqual({ closed: 0 });
      expect(await two.claim({ ...late, at: T0 + 50_000 })).toEqual({ kind: 'owner', round: 2, attemptsBefore: 1 });
      const [key] = await keysOf(two);
      expect(key?.attempts[0]).toMatchObject({ result: 'interrupted', maybeExecuted: true });
    });

    it('I-8: whoever lost its lease can neither start, succeed nor fail', async () => {
      const [one, two] = [bench.store('p1', LEASE), bench.store('p2', LEASE)];
      await one.claim(claimOf('k'));
      await begin(one, 'att_1', 1, 1);
      await two.claim(claimOf('k', { requestId: 'req_2', at: T0 + LEASE }));
      expect(await one.renew(T0 + LEASE)).toEqual([{ ref, round: 1 }]);
      await expect(begin(one, 'att_2', 1, 2)).rejects.toThrow(RoundLost);
      expect(await finish(one, 'old', 1, 'req_1', 'att_1')).toBe('lost');
      await one.fail({ ref, round: 1, state: 'failed', failure: FAILURE, release: true });
      await begin(two, 'att_3', 2, 2);
      expect(await finish(two, 'new', 2, 'req_2', 'att_3')).toBe('stored');
      const [key] = await keysOf(one);
      expect(key).toMatchObject({ row: { state: 'succeeded', round: 2, attempts: 2 } });
      expect(key?.attempts.map(({ result }) => result)).toEqual(['late_success', 'served']);
      expect(key?.answer).toEqual({ kind: 'bytes', digest: answerOf('new').digest });
    });

    it('I-6: what another process has made of a key is seen at once', async () => {
      const [one, two] = [bench.store('p1', LEASE), bench.store('p2', LEASE)];
      await one.claim(claimOf('k'));
      expect((await two.claim(claimOf('k', { requestId: 'req_2' }))).kind).toBe('running');
      await begin(one, 'att_1', 1, 1);
      await finish(one, 'a', 1, 'req_1', 'att_1');
      const replay = await two.claim(claimOf('k', { requestId: 'req_2' }));
      expect(replay.kind === 'succeeded' ? replay.answer?.digest : null).toBe(answerOf('a').digest);
    });

    it('I-8: recover closes expired leases alone', async () => {
      const [one, two] = [bench.store('p1', LEASE), bench.store('p2', LEASE)];
      await one.claim(claimOf('k'));
      await one.claim(claimOf('young', { at: T0 + 20_000 }));
      expect(await two.recover(T0 + LEASE)).toEqual({ closed: 1 });
      expect((await keysOf(two)).map(({ row }) => row.state).sort()).toEqual(['accepted', 'failed']);
    });

    it('I-6: of claims by two processes at once exactly one owns the key', async () => {
      const stores = [bench.store('p1', LEASE), bench.store('p2', LEASE)];
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          Promise.all(stores.map((store, s) => store.claim(claimOf(`k${n}`, { requestId: `req_${n}_${s}` })))),
        ),
      );
      for (const pair of answers) expect(pair.map(({ kind }) => kind).sort()).toEqual(['owner', 'running']);
    });
  });
}
