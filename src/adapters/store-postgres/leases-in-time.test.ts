/**
 * Leases in virtual time: processes that renew every ten seconds and look for the dead every five, a database that is frozen
 * now and then, processes that stand still for a while or are killed. Nobody who lives is ever judged gone, and whoever
 * is killed is, soon.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import type { SqlStep } from '../store-sql/sql-step.ts';
import type { Written } from '../store-sql/state-db.ts';
import { keepBeating, Replicas } from './replicas.ts';
import { REPLICAS_SQL as SQL } from './replicas-sql.ts';

const T0 = 1_800_000_000_000;
const DEADLINE_MS = 4000;
const LOOK_MS = 5000;

interface Span {
  readonly from: number;
  readonly ms: number;
}

/** What happens at which moment, one after the other. */
class Time {
  now = 0;
  readonly #due: { readonly at: number; readonly what: () => void; isOff: boolean }[] = [];

  after(ms: number, what: () => void): Cancel {
    const one = { at: this.now + Math.max(0, ms), what, isOff: false };
    this.#due.push(one);
    return () => {
      one.isOff = true;
    };
  }

  async run(until: number): Promise<void> {
    for (;;) {
      // Promises of the moment first.
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.#due.filter(({ isOff }) => !isOff).sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > until) break;
      next.isOff = true;
      this.now = next.at;
      next.what();
      if (this.#due.length > 500) this.#due.splice(0, this.#due.length, ...this.#due.filter(({ isOff }) => !isOff));
    }
    this.now = until;
  }
}

/** The table, and the times at which nobody gets at it. */
class Table {
  readonly leases = new Map<string, { until: number; fenced: boolean }>();
  readonly #time: Time;
  readonly #frozen: readonly Span[];
  /** Found again so long after a freeze, by who was refused in it. */
  readonly #probeMs: number;

  constructor(time: Time, frozen: readonly Span[], probeMs: number) {
    this.#time = time;
    this.#frozen = frozen;
    this.#probeMs = probeMs;
  }

  /** A process's connection: away from the first order that is not answered in time until it is found again. */
  connection(): { write(steps: readonly SqlStep[]): Promise<Written> } {
    let awayUntil = Number.NEGATIVE_INFINITY;
    return {
      write: (steps) =>
        new Promise((resolve, reject) => {
          const { now } = this.#time;
          if (now < awayUntil) return reject(new StateStoreUnavailable('away'));
          const thaw = this.#thawAt(now);
          // What waits in the server is carried out when it goes on, heard or not.
          this.#time.after(thaw - now, () => {
            const written = this.#carryOut(steps);
            if (thaw - now < DEADLINE_MS) resolve(written);
          });
          if (thaw - now < DEADLINE_MS) return undefined;
          this.#time.after(DEADLINE_MS, () => {
            awayUntil = thaw + this.#probeMs;
            reject(new StateStoreUnavailable('no answer'));
          });
        }),
    };
  }

  #thawAt(at: number): number {
    let thaw = at;
    for (const { from, ms } of this.#frozen) if (thaw >= from && thaw < from + ms) thaw = from + ms;
    return thaw;
  }

  #carryOut(steps: readonly SqlStep[]): Written {
    let returned: Written['returned'] = [];
    for (const step of steps) {
      if ('text' in step) throw new Error('no text here');
      const [[holder, second = 0, third = 0] = []] = step.rows;
      const name = String(holder);
      const lease = this.leases.get(name);
      if (step.sql === SQL.join) this.leases.set(name, { until: Number(second), fenced: false });
      else if (step.sql === SQL.renew) {
        const isOurs = lease !== undefined && !lease.fenced;
        if (isOurs) lease.until = Math.max(lease.until, Number(second));
        returned = [[isOurs ? 1 : 0, 0, Number(third)]];
      } else if (step.sql === SQL.fence) {
        for (const [other, one] of this.leases) if (other !== name && one.until <= Number(second)) one.fenced = true;
      }
    }
    return { changes: 1, returned };
  }
}

interface Life {
  /** Stands still: its timers ring when it goes on. */
  readonly pauses: readonly Span[];
  readonly killedAt: number | null;
  /** Of its idea of the store's time. */
  readonly skewMs: number;
}

function live(time: Time, table: Table, name: string, { pauses, killedAt, skewMs }: Life): string[] {
  const lost: string[] = [];
  const isDead = () => killedAt !== null && time.now >= killedAt;
  const clock: Clock = {
    wall: () => T0 + time.now + skewMs,
    now: () => time.now,
    after(ms, what) {
      let cancel: Cancel = () => undefined;
      const ring = (): void => {
        if (isDead()) return;
        const pause = pauses.find(({ from, ms: length }) => time.now >= from && time.now < from + length);
        if (pause === undefined) what();
        else cancel = time.after(pause.from + pause.ms - time.now, ring);
      };
      cancel = time.after(ms, ring);
      return () => cancel();
    },
  };
  let lives = 0;
  const newHolder = () => {
    lives += 1;
    return lives === 1 ? name : `${name}, life ${lives}`;
  };
  const replicas = new Replicas({ db: table.connection(), clock, newHolder, version: '1', host: 'h' });
  replicas.onLost((former) => lost.push(former));
  const renew = () =>
    replicas.renew(clock.wall()).then(
      () => true,
      () => false,
    );
  const look = (): void => {
    void replicas.fence(clock.wall()).catch(() => undefined);
    clock.after(LOOK_MS, look);
  };
  void replicas.join(clock.wall()).then(() => {
    keepBeating(clock, renew);
    clock.after(LOOK_MS, look);
  });
  return lost;
}

/** Spans that do not touch, with some peace between them. */
const spans = (longest: number, most: number): fc.Arbitrary<Span[]> =>
  fc
    .array(fc.record({ gap: fc.integer({ min: 1, max: 60_000 }), ms: fc.integer({ min: 1, max: longest }) }), {
      maxLength: most,
    })
    .map((all) => {
      let at = 1000;
      return all.map(({ gap, ms }) => {
        const from = at + gap;
        at = from + ms;
        return { from, ms };
      });
    });
const skew = fc.integer({ min: -100, max: 100 });
const probe = fc.integer({ min: 0, max: 1000 });

describe('leases in virtual time', () => {
  it('I-8: nobody who lives is judged gone: not for a database that is away as long as it may, nor for standing still a while', async () => {
    await fc.assert(
      fc.asyncProperty(
        spans(120_000, 5),
        fc.array(fc.record({ pauses: spans(14_000, 3), skewMs: skew }), { minLength: 2, maxLength: 4 }),
        probe,
        async (frozen, lives, probeMs) => {
          const time = new Time();
          const table = new Table(time, frozen, probeMs);
          const lost = lives.map((life, n) => live(time, table, `p${n}`, { ...life, killedAt: null }));
          await time.run(600_000);
          expect(lost.flat()).toEqual([]);
          expect([...table.leases.values()].some(({ fenced }) => fenced)).toBe(false);
        },
      ),
      { numRuns: 60, seed: 20_261_130 },
    );
  });

  it('I-8: whoever is killed is judged within 46 s of a database that can be reached', async () => {
    await fc.assert(
      fc.asyncProperty(
        spans(30_000, 4),
        fc.integer({ min: 1000, max: 300_000 }),
        fc.array(skew, { minLength: 1, maxLength: 3 }),
        probe,
        async (frozen, killedAt, others, probeMs) => {
          const time = new Time();
          const table = new Table(time, frozen, probeMs);
          live(time, table, 'dead', { pauses: [], killedAt, skewMs: 0 });
          for (const [n, skewMs] of others.entries())
            live(time, table, `p${n}`, { pauses: [], killedAt: null, skewMs });
          const peaceFrom = Math.max(killedAt, ...frozen.map(({ from, ms }) => from + ms));
          await time.run(peaceFrom + 46_000);
          expect(table.leases.get('dead')?.fenced).toBe(true);
        },
      ),
      { numRuns: 60, seed: 20_261_130 },
    );
  });
});
