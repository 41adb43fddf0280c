/** Rounds: what binds a key, what releases it, how many there are (I-2, I-5, I-6, I-7). Run over each implementation. */
import { describe, expect, it } from 'vitest';
import { RoundLost } from '../../src/ports/idempotency-store.ts';
import { type OpenBench, useLedger } from './ledger-bench.ts';
import { claimOf, FAILURE, refOf } from './ledger-samples.ts';

export function roundPromises(name: string, open: OpenBench): void {
  describe(`${name}: rounds`, () => {
    const ledger = useLedger(open);
    const { start, end, succeed, fail, row } = ledger;

    it('I-5: another request under the key is refused, whatever its state', async () => {
      await ledger.store.claim(claimOf('k'));
      expect(await ledger.store.claim(claimOf('k', { fingerprint: 'f2' }))).toEqual({ kind: 'reused' });
      await fail('k');
      expect(await ledger.store.claim(claimOf('k', { fingerprint: 'f2' }))).toEqual({ kind: 'reused' });
      await ledger.store.claim(claimOf('k', { requestId: 'req_2' }));
      await succeed('k', 'a', { round: 2, requestId: 'req_2', attemptId: null });
      expect(await ledger.store.claim(claimOf('k', { fingerprint: 'f2' }))).toEqual({ kind: 'reused' });
    });

    it("I-5: a caller's fault releases the key; attempts go on counting", async () => {
      await ledger.store.claim(claimOf('k'));
      await start('k', 'att_1');
      end('k', 'att_1');
      await fail('k', 1, true);
      const next = await ledger.store.claim(claimOf('k', { fingerprint: 'f2', requestId: 'req_2' }));
      expect(next).toEqual({ kind: 'owner', round: 2, attemptsBefore: 1 });
      expect(await ledger.store.claim(claimOf('k'))).toEqual({ kind: 'reused' });
    });

    it.each([
      ['that may have been executed', (key: string) => end(key, 'att_1', true)],
      ['that has not ended', () => undefined],
    ])('I-5: an attempt %s binds the key, whoever is at fault', async (_name, then) => {
      await ledger.store.claim(claimOf('k'));
      await start('k', 'att_1');
      then('k');
      await fail('k', 1, true);
      expect(await ledger.store.claim(claimOf('k', { fingerprint: 'f2' }))).toEqual({ kind: 'reused' });
      expect((await ledger.store.claim(claimOf('k'))).kind).toBe('owner');
    });

    it('I-7: rounds count attempts on until the budget of the key is spent', async () => {
      const claim = claimOf('k', { maxAttempts: 3 });
      await ledger.store.claim(claim);
      await start('k', 'att_1');
      await start('k', 'att_2', 1, 2);
      await fail('k');
      expect(await ledger.store.claim({ ...claim, requestId: 'req_2' })).toEqual({
        kind: 'owner',
        round: 2,
        attemptsBefore: 2,
      });
      await start('k', 'att_3', 2, 3);
      await expect(start('k', 'att_4', 2, 4)).rejects.toThrow(RoundLost);
      await fail('k', 2);
      expect(await ledger.store.claim(claim)).toEqual({ kind: 'exhausted', failure: FAILURE });
      expect((await row('k'))?.row.attempts).toBe(3);
    });

    it('I-7: an attempt that was begun and never sent does not count; one that has ended does', async () => {
      await ledger.store.claim(claimOf('k', { maxAttempts: 2 }));
      for (let n = 1; n < 5; n += 1) {
        await start('k', `att_1.${n}`);
        ledger.store.dropAttempt(refOf('k'), `att_1.${n}`);
      }
      await start('k', 'att_1');
      void start('k', 'att_2', 1, 2);
      ledger.store.dropAttempt(refOf('k'), 'att_2');
      await start('k', 'att_2b', 1, 2);
      await end('k', 'att_1');
      ledger.store.dropAttempt(refOf('k'), 'att_1');
      ledger.store.dropAttempt(refOf('k'), 'att_9');
      await fail('k');
      expect(await row('k')).toMatchObject({
        row: { attempts: 2, openAttempts: 1 },
        attempts: [{ attemptId: 'att_1' }, { attemptId: 'att_2b' }],
      });
    });

    it('I-7: both failed states allow a new round', async () => {
      await ledger.store.claim(claimOf('k'));
      await ledger.store.fail({
        ref: refOf('k'),
        round: 1,
        state: 'failed_retry_exhausted',
        failure: FAILURE,
        release: false,
      });
      expect((await row('k'))?.row.state).toBe('failed_retry_exhausted');
      expect(await ledger.store.claim(claimOf('k'))).toMatchObject({ kind: 'owner', round: 2 });
    });

    it('I-2: no attempt starts for a round that has ended or is not there', async () => {
      await expect(start('k', 'att_0')).rejects.toThrow(RoundLost);
      await ledger.store.claim(claimOf('k'));
      await fail('k');
      await expect(start('k', 'att_1')).rejects.toThrow(RoundLost);
      await ledger.store.claim(claimOf('k', { requestId: 'req_2' }));
      await expect(start('k', 'att_1', 1)).rejects.toThrow(RoundLost);
      expect((await row('k'))?.attempts).toEqual([]);
    });

    it('I-6: a failure is seen by the next claim, even one of the same turn', async () => {
      await ledger.store.claim(claimOf('k'));
      void fail('k');
      expect((await ledger.store.claim(claimOf('k', { requestId: 'req_2' }))).kind).toBe('owner');
      // Told again of the round before, it leaves the new one alone.
      await fail('k');
      expect((await ledger.store.claim(claimOf('k'))).kind).toBe('running');
    });
  });
}
