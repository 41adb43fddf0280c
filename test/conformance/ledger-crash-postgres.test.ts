/** Processes killed at every durable step of a ledger in PostgreSQL, two of them side by side, and the server under them. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifyDatabase } from '../../src/assemble/verify-database.ts';
import { type PostgresServer, startPostgres } from '../support/servers/postgres.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { type PostgresSchema, schemaOn } from '../support/servers/postgres-schema.ts';
import { FAULTS, LedgerLives } from './ledger-lives.ts';

describe.runIf(hasPostgres())('kill -9, the ledger in PostgreSQL', () => {
  let lives: LedgerLives;
  let server: PostgresServer;
  let schema: PostgresSchema;
  beforeAll(async () => {
    // As an operator runs it: what is answered is on the disk.
    server = await startPostgres({ settings: { fsync: 'on', full_page_writes: 'on' } });
    schema = await schemaOn(server.url);
    lives = await LedgerLives.prepare();
  });
  afterEach(() => lives.killAll());
  afterAll(async () => {
    lives.remove();
    await server.stop();
  });

  const live = (fault: string | null, keys: readonly [number, number], killAfter?: number) =>
    lives.live(schema.url, fault, keys, killAfter);
  const verify = () => verifyDatabase({ url: schema.url, dataDir: lives.dir, env: {}, version: '1' });

  async function expectSound(): Promise<void> {
    lives.expectOneAnswerEach();
    const { violations } = await verify();
    expect(violations.filter(({ kind }) => kind !== 'orphaned_round' && kind !== 'orphaned_attempt')).toEqual([]);
  }

  it.each(FAULTS.map((fault, life) => [fault, life] as const))('I-11, I-8: a process at %s', async (fault, life) => {
    expect(await live(fault, [life * 4, life * 4 + 8])).toBe('SIGKILL');
    await expectSound();
  });

  it.each(['before:recover:1', 'after:recover:1'])(
    'I-8: a process at %s, closing what the life before left',
    async (fault) => {
      await live('after:start:2', [1000, 1008]);
      expect(await live(fault, [0, 0])).toBe('SIGKILL');
      await expectSound();
    },
  );

  it('I-6, I-11: processes side by side on the same keys, each killed while the others go on', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      const keys = [2000 + turn * 10, 2010 + turn * 10] as const;
      const ends = await Promise.all([40, 60, 80].map((killAfter) => live(null, keys, killAfter)));
      expect(ends).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL']);
    }
    await expectSound();
  });

  /** What happens to the server, three times, while two processes serve the same keys. */
  async function troubled(keys: readonly [number, number], trouble: () => Promise<void>): Promise<void> {
    let times = 0;
    let isTroubled = false;
    const onDelivery = (count: number) => {
      if (count % 40 !== 0 || isTroubled || times === 3) return;
      times += 1;
      isTroubled = true;
      void trouble().then(() => {
        isTroubled = false;
      });
    };
    await Promise.all([lives.live(schema.url, null, keys, 200, onDelivery), lives.live(schema.url, null, keys, 200)]);
    await expect.poll(() => isTroubled, { timeout: 20_000 }).toBe(false);
    expect(times).toBe(3);
    await expectSound();
    // The last one closes what is left, and leaves its own rounds alone.
    await live('before:claim:1', [9000, 9001]);
    const report = await verify();
    expect(report.violations).toEqual([]);
    expect(report.keys).toBeGreaterThan(50);
  }

  it('I-11, H-5: the server, killed again and again under processes that go on: what was answered is there', async () => {
    await troubled([3000, 3012], async () => {
      await server.kill();
      await server.start();
    });
  });

  it('I-11, H-5: the server, frozen for longer than an order waits: whatever it still carries out, each key has one answer', async () => {
    await troubled([4000, 4012], () => server.freeze(4500));
  }, 90_000);
});
