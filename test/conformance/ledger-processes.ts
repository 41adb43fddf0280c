/** Processes that die, and several at one book (I-6, I-8). Run over each implementation. */
import { describe, expect, it } from 'vitest';
import { type IdempotencyStore, RoundLost } from '../../src/ports/idempotency-store.ts';
import { type OpenBench, useBench, useLedger } from './ledger-bench.ts';
import { answerOf, claimOf, FAILURE, HOUR, keysOf, LEASE_MS, refOf, T0 } from './ledger-samples.ts';

export function processPromises(name: string, open: OpenBench): void {
  describe(`${name}: after a crash`, () => {
    const ledger = useLedger(open);
    const { start, succeed } = ledger;

    it('I-8: after a crash no key is stuck, and what was under way may have been executed', async () => {
      for (const key of ['accepted', 'running']) await ledger.store.claim(claimOf(key));
      await start('running', 'att_1');
      const after = await ledger.successor();
      // A claim is durable with its first attempt at the latest: before, nothing was sent, and nothing need be known of it.
      expect([1, 2]).toContain((await after.recover(T0 + HOUR)).closed);
      const two = (await keysOf(after)).find(({ attempts }) => attempts.length > 0);
      expect(two?.row).toMatchObject({ state: 'failed', maybeExecuted: true, failure: { code: 'gateway_restarted' } });
      expect(two?.row.openAttempts).toBe(0);
      expect(two?.attempts[0]).toMatchObject({ result: 'interrupted', maybeExecuted: true, endedAt: T0 + HOUR });
      expect(await after.claim(claimOf('running', { requestId: 'req_2' }))).toMatchObject({
        round: 2,
        attemptsBefore: 1,
      });
      const free = await after.claim(claimOf('accepted', { requestId: 'req_2' }));
      expect(free).toMatchObject({ kind: 'owner', attemptsBefore: 0 });
      // Its own rounds run.
      expect(await after.recover(T0 + HOUR)).toEqual({ closed: 0 });
      expect((await after.claim(claimOf('running', { requestId: 'req_3' }))).kind).toBe('running');
    });

    it('I-8: a success survives a crash, and its open hedge is closed', async () => {
      await ledger.store.claim(claimOf('k'));
      await start('k', 'att_1');
      await start('k', 'att_2', 1, 2);
      await succeed('k', 'a');
      const after = await ledger.successor();
      expect(await after.recover(T0 + HOUR)).toEqual({ closed: 0 });
      const [key] = await keysOf(after);
      expect(key?.row).toMatchObject({ state: 'succeeded', openAttempts: 0 });
      expect(key?.attempts.map(({ result }) => result)).toEqual(['served', 'interrupted']);
      expect((await after.claim(claimOf('k'))).kind).toBe('succeeded');
    });
  });

  describe(`${name}: leases of several processes`, () => {
    const bench = useBench(open);
    const ref = refOf('k');
    const begin = (by: IdempotencyStore, attemptId: string, round: number, no: number) =>
      by.startAttempt({ ref, round, no, attemptId, target: 't', at: T0 });
    const finish = (by: IdempotencyStore, text: string, round: number, requestId: string, attemptId: string) =>
      by.succeed({ ref, round, requestId, attemptId, answer: answerOf(text) });

    it('I-8: a lease that is renewed is not taken over, an expired one is', async () => {
      const [one, two] = [await bench.store('p1', LEASE_MS), await bench.store('p2', LEASE_MS)];
      await one.claim(claimOf('k'));
      await begin(one, 'att_1', 1, 1);
      expect(await one.renew(T0 + 20_000)).toEqual([]);
      const late = claimOf('k', { requestId: 'req_2', at: T0 + 40_000 });
      expect((await two.claim(late)).kind).toBe('running');
      expect(await two.recover(T0 + 40_000)).toEqual({ closed: 0 });
      expect(await two.recover(T0 + 50_000)).toEqual({ closed: 1 });
      expect(await two.claim({ ...late, at: T0 + 50_000 })).toEqual({ kind: 'owner', round: 2, attemptsBefore: 1 });
      const [key] = await keysOf(two);
      expect(key?.attempts[0]).toMatchObject({ result: 'interrupted', maybeExecuted: true });
    });

    it('I-8: whoever lost its lease can neither start, succeed nor fail', async () => {
      const [one, two] = [await bench.store('p1', LEASE_MS), await bench.store('p2', LEASE_MS)];
      await one.claim(claimOf('k'));
      await begin(one, 'att_1', 1, 1);
      await two.recover(T0 + LEASE_MS);
      await two.claim(claimOf('k', { requestId: 'req_2', at: T0 + LEASE_MS }));
      expect(await one.renew(T0 + LEASE_MS)).toEqual([{ ref, round: 1 }]);
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
      const [one, two] = [await bench.store('p1', LEASE_MS), await bench.store('p2', LEASE_MS)];
      await one.claim(claimOf('k'));
      expect((await two.claim(claimOf('k', { requestId: 'req_2' }))).kind).toBe('running');
      await begin(one, 'att_1', 1, 1);
      await finish(one, 'a', 1, 'req_1', 'att_1');
      const replay = await two.claim(claimOf('k', { requestId: 'req_2' }));
      expect(replay.kind === 'succeeded' ? replay.answer?.digest : null).toBe(answerOf('a').digest);
    });

    it('I-8: recover closes expired leases alone', async () => {
      const [one, two, young] = await Promise.all([
        bench.store('p1', LEASE_MS),
        bench.store('p2', LEASE_MS),
        bench.store('p3', LEASE_MS),
      ]);
      await one.claim(claimOf('k'));
      await young.renew(T0 + 20_000);
      await young.claim(claimOf('young', { at: T0 + 20_000 }));
      expect(await two.recover(T0 + LEASE_MS)).toEqual({ closed: 1 });
      expect((await keysOf(two)).map(({ row }) => row.state).sort()).toEqual(['accepted', 'failed']);
    });

    it('I-6: of claims by two processes at once exactly one owns the key', async () => {
      const stores = await Promise.all([bench.store('p1', LEASE_MS), bench.store('p2', LEASE_MS)]);
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          Promise.all(stores.map((store, s) => store.claim(claimOf(`k${n}`, { requestId: `req_${n}_${s}` })))),
        ),
      );
      for (const pair of answers) expect(pair.map(({ kind }) => kind).sort()).toEqual(['owner', 'running']);
    });
  });
}
