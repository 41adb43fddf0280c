/** The one answer of a key: stored once, replayed as it was (I-3, I-4, I-10). Run over each implementation. */
import { describe, expect, it } from 'vitest';
import { type OpenBench, useLedger } from './ledger-bench.ts';
import { answerOf, claimOf, refOf, T0 } from './ledger-samples.ts';

export function answerPromises(name: string, open: OpenBench): void {
  describe(`${name}: answers`, () => {
    const ledger = useLedger(open);
    const { start, succeed, fail, row } = ledger;

    it('I-3, I-4: a stored success is replayed byte for byte with its headers', async () => {
      await ledger.store.claim(claimOf('k'));
      await start('k', 'att_1');
      const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      const answer = answerOf('', { body, stream: true, status: 201, servedModel: null, digest: 'd' });
      expect(await succeed('k', '', { answer })).toBe('stored');
      const replay = await ledger.store.claim(claimOf('k', { requestId: 'req_9', at: T0 + 60 }));
      expect(replay).toMatchObject({ kind: 'succeeded', round: 1, requestId: 'req_1' });
      const stored = replay.kind === 'succeeded' ? replay.answer : null;
      expect({ ...stored, body: Buffer.from(stored?.body ?? []) }).toEqual({ ...answer, body });
    });

    it('I-4: an answer over the cap leaves its digest alone', async () => {
      await ledger.store.claim(claimOf('k'));
      expect(await succeed('k', '', { attemptId: null, answer: answerOf('big', { body: null }) })).toBe('stored');
      expect(await ledger.store.claim(claimOf('k'))).toMatchObject({ kind: 'succeeded', answer: null });
      expect((await row('k'))?.row).toMatchObject({ answerStored: false, digest: answerOf('big').digest });
    });

    it('I-3: the second success of a round is lost, recorded, and changes nothing', async () => {
      await ledger.store.claim(claimOf('k'));
      await start('k', 'att_1');
      await start('k', 'att_2', 1, 2);
      expect(await succeed('k', 'first')).toBe('stored');
      expect(await succeed('k', 'second', { attemptId: 'att_2' })).toBe('lost');
      const stored = await row('k');
      expect(stored?.attempts.map(({ result }) => result)).toEqual(['served', 'late_success']);
      expect(stored?.answer).toEqual({ kind: 'bytes', digest: answerOf('first').digest });
    });

    it('I-3: asked again after a lost word, the same success is there', async () => {
      await ledger.store.claim(claimOf('k'));
      await start('k', 'att_1');
      expect([await succeed('k', 'a'), await succeed('k', 'a')]).toEqual(['stored', 'stored']);
      expect((await row('k'))?.attempts[0]?.result).toBe('served');
    });

    it('I-3: an attempt is the served one by its stored success alone', async () => {
      await ledger.store.claim(claimOf('k'));
      await start('k', 'att_1');
      const served = { ref: refOf('k'), attemptId: 'att_1', result: 'served', maybeExecuted: false, at: T0 } as const;
      ledger.store.endAttempt(served);
      expect(await succeed('k', 'a')).toBe('stored');
      await ledger.store.claim(claimOf('k2'));
      await start('k2', 'att_1');
      ledger.store.endAttempt({ ...served, ref: refOf('k2') });
      await fail('k2', 1, true);
      expect((await row('k'))?.attempts.map(({ result }) => result)).toEqual(['served']);
      expect(await row('k2')).toMatchObject({ attempts: [{ result: 'interrupted' }], row: { released: false } });
    });

    it('I-3: no success for a round that has ended, nor for one that is not there', async () => {
      await ledger.store.claim(claimOf('k'));
      await start('k', 'att_1');
      await fail('k');
      expect(await succeed('k', 'late')).toBe('lost');
      expect(await succeed('nobody', 'late')).toBe('lost');
      expect((await row('k'))?.row.state).toBe('failed');
      expect((await row('k'))?.attempts[0]).toMatchObject({ result: 'late_success', maybeExecuted: true });
    });

    it('I-10: a delivered success of a derived key makes way, an undelivered one is replayed', async () => {
      const again = claimOf('k', { regenerate: true, requestId: 'req_2', at: T0 + 9 });
      await ledger.store.claim(claimOf('k'));
      expect((await ledger.store.claim(again)).kind).toBe('running');
      await succeed('k', 'a', { attemptId: null });
      expect((await ledger.store.claim(again)).kind).toBe('succeeded');
      ledger.store.delivered(refOf('k'), 1);
      expect((await ledger.store.claim(claimOf('k'))).kind).toBe('succeeded');
      expect(await ledger.store.claim(again)).toEqual({ kind: 'owner', round: 1, attemptsBefore: 0 });
      expect(await row('k')).toMatchObject({ answer: { kind: 'none' }, row: { life: T0 + 9, delivered: false } });
    });
  });
}
