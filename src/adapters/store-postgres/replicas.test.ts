import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../../test/support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../../../test/support/servers/postgres-schema.ts';
import type { Clock } from '../../ports/clock.ts';
import { systemClock } from '../system-clock.ts';
import { LeasedDuties } from './duties.ts';
import { openStateDb, type PostgresState } from './open-state-db.ts';
import { keepBeating, Replicas } from './replicas.ts';

const T0 = 1_800_000_000_000;
const LEASE_MS = 30_000;

describe.runIf(hasPostgres())('processes that share a database', () => {
  let schema: PostgresSchema;
  let state: PostgresState;
  /** Of all of them: monotonic, by hand. */
  let now: number;
  const clock: Clock = { wall: () => T0 + now, now: () => now, after: () => () => undefined };
  beforeAll(async () => {
    schema = await openSchema();
    state = await openStateDb({ url: schema.url, clock: systemClock, version: '1', holder: 'test' });
  });
  afterAll(async () => {
    await state.close();
    await schema.drop();
  });
  beforeEach(async () => {
    now = 0;
    await schema.query('TRUNCATE replicas, duties');
  });

  async function join(name: string): Promise<Replicas> {
    let lives = 0;
    const newHolder = () => {
      lives += 1;
      return `${name}${lives}`;
    };
    const replicas = new Replicas({ db: state.on('state'), clock, newHolder, version: '1', host: 'h' });
    await replicas.join(T0 + now);
    return replicas;
  }
  const fenced = async () => (await schema.query('SELECT holder FROM replicas WHERE fenced ORDER BY 1')).flat();
  /** Time passes, ten seconds at a time; those given renew. */
  async function pass(ms: number, ...renewing: Replicas[]): Promise<void> {
    for (let left = ms; left > 0; left -= 10_000) {
      now += Math.min(left, 10_000);
      for (const one of renewing) await one.renew(T0 + now);
    }
  }

  it('I-8: whoever renews is left alone; whoever does not for 30 s is judged, and starts over under another name', async () => {
    const [one, two] = [await join('a'), await join('b')];
    const lost: string[] = [];
    one.onLost((former) => lost.push(`${former} is now ${one.id}`));
    await pass(LEASE_MS - 1, two);
    await two.fence(T0 + now);
    expect(await fenced()).toEqual([]);
    expect(one.isAlive).toBe(true);
    await pass(1, two);
    expect(one.isAlive).toBe(false);
    await two.fence(T0 + now);
    expect(await fenced()).toEqual(['a1']);
    expect(await one.renew(T0 + now)).toBe(false);
    expect(lost).toEqual(['a1 is now a2']);
    expect(one.isAlive).toBe(true);
    expect(await one.renew(T0 + now)).toBe(true);
    expect(lost).toHaveLength(1);
  });

  it('I-8: nobody judges who may have been deaf: not before ten seconds of renewals that came through', async () => {
    const [, two] = [await join('a'), await join('b')];
    // Both were silent for a minute, as behind a database that was frozen.
    now += 60_000;
    await two.fence(T0 + now);
    expect(await fenced()).toEqual([]);
    await two.renew(T0 + now);
    now += 9000;
    await two.fence(T0 + now);
    expect(await fenced()).toEqual([]);
    await pass(1000, two);
    await two.fence(T0 + now);
    expect(await fenced()).toEqual(['a1']);
  });

  it('I-8: a renewal that failed makes a judge deaf again', async () => {
    const [, two] = [await join('a'), await join('b')];
    await pass(LEASE_MS, two);
    await schema.query('ALTER TABLE replicas RENAME TO away');
    await expect(two.renew(T0 + now)).rejects.toThrow(/cannot be read or written/);
    await schema.query('ALTER TABLE away RENAME TO replicas');
    await two.renew(T0 + now);
    await two.fence(T0 + now);
    expect(await fenced()).toEqual([]);
  });

  it('I-8: a judged holder is not revived by a renewal that comes late, nor by its name having been forgotten', async () => {
    const [one, two] = [await join('a'), await join('b')];
    await pass(LEASE_MS, two);
    await two.fence(T0 + now);
    await pass(60 * 60 * 1000, two);
    await two.fence(T0 + now);
    expect(await schema.query('SELECT holder FROM replicas ORDER BY 1')).toEqual([['b1']]);
    expect(await one.renew(T0 + now)).toBe(false);
    expect(one.id).toBe('a2');
  });

  it('H-4: each knows how many live', async () => {
    const [one, two] = [await join('a'), await join('b')];
    await pass(10_000, one, two);
    expect([one.peers, two.peers]).toEqual([2, 2]);
    await two.leave();
    await pass(10_000, one);
    expect(one.peers).toBe(1);
  });

  it('O-4: a duty is one process’s at a time, and passes on when that one leaves or falls silent', async () => {
    const [one, two] = [await join('a'), await join('b')];
    const duties = [one, two].map((holder) => new LeasedDuties({ db: state.on('state'), clock, holder }));
    const held = () => duties.map((each) => each.hold('alerts'));
    expect(held()).toEqual([false, false]);
    for (const each of duties) await each.renew(T0 + now);
    expect(held()).toEqual([true, false]);
    await pass(10_000, one, two);
    for (const each of [...duties].reverse()) await each.renew(T0 + now);
    expect(held()).toEqual([true, false]);
    // Silent: given up by itself before another one may take it.
    await pass(25_000, two);
    expect(held()).toEqual([false, false]);
    await pass(5000, two);
    await duties[1]?.renew(T0 + now);
    expect(held()).toEqual([false, true]);
    await two.leave();
    await pass(10_000, one);
    await duties[0]?.renew(T0 + now);
    expect(held()[0]).toBe(true);
  });

  it('I-8: a lease is renewed every 10 s, and 1 s after it could not be', async () => {
    const waits: number[] = [];
    let due: (() => void) | null = null;
    const beats = [true, false, true];
    const timed: Clock = {
      ...clock,
      after(ms, callback) {
        waits.push(ms);
        due = callback;
        return () => {
          due = null;
        };
      },
    };
    const stop = keepBeating(timed, async () => beats.shift() ?? true);
    for (let n = 0; n < 3; n += 1) {
      (due as (() => void) | null)?.();
      await Promise.resolve();
      await Promise.resolve();
    }
    expect(waits).toEqual([10_000, 10_000, 1000, 10_000]);
    stop();
    expect(due).toBeNull();
  });
});
