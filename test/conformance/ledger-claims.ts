/** Who may run what is asked under a key, and when keys end (I-1, I-2, I-6). Run over each implementation. */
import { describe, expect, it } from 'vitest';
import { type OpenBench, useLedger } from './ledger-bench.ts';
import { claimOf, HOUR, keysOf, refOf, T0 } from './ledger-samples.ts';

export function claimPromises(name: string, open: OpenBench): void {
  describe(`${name}: who may run a key`, () => {
    const ledger = useLedger(open);
    const { start, succeed, row } = ledger;

    it('I-2, I-6: the first to claim runs it, everybody else is told who does', async () => {
      expect(await ledger.store.claim(claimOf('k'))).toEqual({ kind: 'owner', round: 1, attemptsBefore: 0 });
      const others = await Promise.all(
        [2, 3].map((n) => ledger.store.claim(claimOf('k', { requestId: `req_${n}`, at: T0 + n }))),
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
        Array.from(
          { length: 200 },
          async (_, n) => (await ledger.store.claim(claimOf('k', { requestId: `req_${n}` }))).kind,
        ),
      );
      expect(kinds.filter((kind) => kind === 'owner')).toHaveLength(1);
      expect(kinds.filter((kind) => kind === 'running')).toHaveLength(199);
    });

    it('I-1: the same key of another scope is another key', async () => {
      await ledger.store.claim(claimOf('k'));
      const other = await ledger.store.claim(claimOf('k', { ref: refOf('k', 'key:dev responses') }));
      expect(other.kind).toBe('owner');
    });

    it('I-1: an expired key is free, attempts and answer gone with it; a running one is waited for', async () => {
      await ledger.store.claim(claimOf('k', { expiresAt: T0 + HOUR }));
      await start('k', 'att_1');
      const later = T0 + 2 * HOUR;
      expect((await ledger.store.claim(claimOf('k', { at: later, requestId: 'req_2' }))).kind).toBe('running');
      await succeed('k', 'old');
      expect(await ledger.store.claim(claimOf('k', { at: later, requestId: 'req_3' }))).toEqual({
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
        await ledger.store.claim(claimOf(key, { expiresAt: T0 + (key === 'kept' ? 9 : 5) }));
      for (const key of ['over', 'kept']) {
        await ledger.store.startAttempt({ ref: refOf(key), round: 1, no: 1, attemptId: 'att_1', target: 't', at: T0 });
        await succeed(key, 'a');
      }
      // What they succeeded with came 5 ms after they began: kept as much longer.
      expect(await ledger.store.expire(T0 + 9)).toBe(0);
      expect(await ledger.store.expire(T0 + 10)).toBe(1);
      expect((await keysOf(ledger.store)).map(({ ref }) => ref.keyHash).sort()).toEqual(
        [refOf('kept').keyHash, refOf('held').keyHash].sort(),
      );
      expect(await ledger.store.claim(claimOf('over', { at: T0 + 11 }))).toMatchObject({
        kind: 'owner',
        attemptsBefore: 0,
      });
    });

    it('keeps keys() in order, every one once', async () => {
      for (let n = 0; n < 450; n++) void ledger.store.claim(claimOf(`k${n}`));
      await ledger.store.claim(claimOf('last'));
      const hashes = (await keysOf(ledger.store)).map(({ ref }) => ref.keyHash);
      expect(hashes).toHaveLength(451);
      expect(hashes).toEqual([...hashes].sort());
    });
  });
}
