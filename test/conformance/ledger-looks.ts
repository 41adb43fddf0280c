/** Looking at a round that another process runs (I-6). Run over each implementation. */
import { describe, expect, it } from 'vitest';
import { type OpenBench, useBench, useLedger } from './ledger-bench.ts';
import { answerOf, claimOf, FAILURE, HOUR, keysOf, LEASE_MS, refOf, T0 } from './ledger-samples.ts';

export function lookPromises(name: string, open: OpenBench): void {
  describe(`${name}: a look at a round`, () => {
    const ledger = useLedger(open);
    const { start, succeed, fail } = ledger;
    const ref = refOf('k');
    const look = (round = 1, requestId = 'req_1') => ledger.store.look(ref, round, requestId);

    it('I-6: runs, until it has ended; the answer is there then', async () => {
      await ledger.store.claim(claimOf('k'));
      expect(await look()).toEqual({ kind: 'running', lost: false });
      await start('k', 'att_1');
      expect(await look()).toEqual({ kind: 'running', lost: false });
      await succeed('k', 'a');
      const view = await look();
      expect(view).toMatchObject({ kind: 'succeeded', digest: answerOf('a').digest });
      expect(view.kind === 'succeeded' ? Buffer.from(view.answer!.body).toString() : '').toBe('a');
    });

    it('I-6: a success whose bytes are not kept is told by its digest', async () => {
      await ledger.store.claim(claimOf('k'));
      await start('k', 'att_1');
      await succeed('k', 'a', { answer: { ...answerOf('a'), body: null } });
      expect(await look()).toEqual({ kind: 'succeeded', digest: answerOf('a').digest, answer: null });
    });

    it('I-6: a failure is told as it was, and whether anything had been sent for it', async () => {
      await ledger.store.claim(claimOf('k'));
      await fail('k');
      expect(await look()).toEqual({ kind: 'failed', failure: FAILURE, sent: false });
      await ledger.store.claim(claimOf('k', { requestId: 'req_2' }));
      await start('k', 'att_2', 2);
      await fail('k', 2);
      expect(await look(2, 'req_2')).toEqual({ kind: 'failed', failure: FAILURE, sent: true });
    });

    it('I-6: another round, another request or another life of the key is not the one that was waited for', async () => {
      expect(await look()).toEqual({ kind: 'gone' });
      await ledger.store.claim(claimOf('k'));
      expect(await look(2)).toEqual({ kind: 'gone' });
      expect(await look(1, 'req_other')).toEqual({ kind: 'gone' });
      await start('k', 'att_1');
      await fail('k');
      await ledger.store.claim(claimOf('k', { requestId: 'req_2' }));
      expect(await look()).toEqual({ kind: 'gone' });
    });

    it('I-6: it claims nothing and changes nothing', async () => {
      await ledger.store.claim(claimOf('k'));
      await start('k', 'att_1');
      await fail('k');
      const before = await keysOf(ledger.store);
      for (let n = 0; n < 3; n += 1) await look();
      await ledger.store.look(refOf('never'), 1, 'req_1');
      expect(await keysOf(ledger.store)).toEqual(before);
    });

    it('I-8: of a process that is gone a round is seen to fail once somebody has closed it', async () => {
      await ledger.store.claim(claimOf('k'));
      await start('k', 'att_1');
      const after = await ledger.successor();
      await after.recover(T0 + HOUR);
      expect(await after.look(ref, 1, 'req_1')).toMatchObject({
        kind: 'failed',
        sent: true,
        failure: { code: 'gateway_restarted' },
      });
    });
  });

  describe(`${name}: a look from another process`, () => {
    const bench = useBench(open);

    it('I-6: what one has made of a round the other sees at once', async () => {
      const [one, two] = [await bench.store('p1', LEASE_MS), await bench.store('p2', LEASE_MS)];
      const ref = refOf('k');
      await one.claim(claimOf('k'));
      expect((await two.look(ref, 1, 'req_1')).kind).toBe('running');
      await one.startAttempt({ ref, round: 1, no: 1, attemptId: 'att_1', target: 't', at: T0 });
      await one.succeed({ ref, round: 1, requestId: 'req_1', attemptId: 'att_1', answer: answerOf('a') });
      expect(await two.look(ref, 1, 'req_1')).toMatchObject({ kind: 'succeeded', digest: answerOf('a').digest });
      expect((await two.claim(claimOf('k', { requestId: 'req_2' }))).kind).toBe('succeeded');
    });
  });
}
