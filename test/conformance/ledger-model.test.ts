/**
 * The ledger against a reference of ten lines, under random interleavings: two processes on one file, clients that claim,
 * attempt, succeed, fail and come late, leases that run out, keys that expire, processes that die, writes that are lost
 * and writes nobody hears of.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIdempotencyStore } from '../../src/adapters/store-sql/idempotency-store.ts';
import { isHeld } from '../../src/core/idempotency/key-row.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { IdempotencyStore, StoredKey } from '../../src/ports/idempotency-store.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import type { Fate } from './engines.ts';
import { type Book, PostgresShelf, sqliteBook } from './ledger-books.ts';
import { answerOf, claimOf, keysOf, refOf, T0 } from './ledger-samples.ts';

const LEASE = 30_000;
const BUDGET = 4;
const KEPT = 90_000;

/** What must be true of one key, said as shortly as it can be: one success per life, and all that is delivered is it. */
class Reference {
  success: { digest: string; until: number } | null = null;
  unheard: { digest: string; until: number }[] = [];
  deliver(digest: string, at: number, until: number): void {
    const known = this.success !== null && this.success.until > at ? this.success : null;
    const maybe = this.unheard.find((one) => one.digest === digest);
    if (known === null) this.success = { digest, until: maybe?.until ?? until };
    else expect(digest).toBe(known.digest);
  }
}

/** A process: its store lives until it is killed. */
interface Replica {
  store: IdempotencyStore;
  dead: { is: boolean };
}

type Ending = 'success' | 'failure' | 'caller' | 'leaves' | 'late';
interface ClientScript {
  readonly replica: 0 | 1;
  readonly key: 0 | 1;
  readonly attempts: readonly boolean[];
  readonly ending: Ending;
}
type Event =
  | { readonly what: 'wait'; readonly ms: number }
  | { readonly what: 'kill' | 'renew' | 'expire' | 'recover'; readonly replica: 0 | 1 };

const replicaIx = fc.constantFrom(0 as const, 1 as const);
const client: fc.Arbitrary<ClientScript> = fc.record({
  replica: replicaIx,
  key: fc.constantFrom(0 as const, 1 as const),
  attempts: fc.array(fc.boolean(), { maxLength: 3 }),
  ending: fc.constantFrom<Ending>('success', 'success', 'failure', 'caller', 'leaves', 'late'),
});
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 40_000 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constantFrom('kill' as const, 'renew' as const, 'expire' as const, 'recover' as const),
      replica: replicaIx,
    }),
  },
);
const fates = fc.infiniteStream(
  fc.oneof(
    { weight: 12, arbitrary: fc.constant<Fate>('done') },
    { weight: 1, arbitrary: fc.constantFrom<Fate>('lost', 'unheard') },
  ),
);

/** One run of the world under a scheduler that decides who goes next. */
class World {
  readonly references = [new Reference(), new Reference()] as const;
  readonly replicas: Replica[] = [];
  readonly bugs: unknown[] = [];
  wall = T0;
  #serial = 0;
  readonly #scheduler: fc.Scheduler;
  readonly #fates: Iterator<Fate>;

  readonly #book: Book;

  private constructor(book: Book, scheduler: fc.Scheduler, fateStream: Iterator<Fate>) {
    this.#book = book;
    this.#scheduler = scheduler;
    this.#fates = fateStream;
  }

  static async open(book: Book, scheduler: fc.Scheduler, fateStream: Iterator<Fate>): Promise<World> {
    const world = new World(book, scheduler, fateStream);
    for (let n = 0; n < 2; n += 1) world.replicas.push(await world.#boot());
    return world;
  }

  next(prefix: string): string {
    this.#serial += 1;
    return `${prefix}_${this.#serial}`;
  }

  turn(label: string): Promise<void> {
    return this.#scheduler.schedule(Promise.resolve(), label);
  }

  async #boot(calm = false): Promise<Replica> {
    const dead = { is: false };
    const moment = async (what: string): Promise<Fate> => {
      if (!calm) await this.turn(what);
      if (dead.is) return 'lost';
      const fate = calm ? 'done' : this.#fates.next().value;
      return fate ?? 'done';
    };
    const clock: Clock = {
      wall: () => this.wall,
      now: () => this.wall,
      after: (_ms, callback) => {
        let off = false;
        void this.turn('timer').then(() => off || callback());
        return () => {
          off = true;
        };
      },
    };
    const sealer = {
      sealBytes: (plain: Uint8Array) => Buffer.concat([Buffer.alloc(33, 1), plain]),
      openBytes: (sealed: Uint8Array) => sealed.subarray(33),
    };
    const onBug = (error: unknown) => this.bugs.push(error);
    const newHolder = () => this.next('holder');
    const { leases, ...process } = await this.#book.process(newHolder, moment, clock, LEASE);
    const store = createIdempotencyStore({
      ...process,
      sql: this.#book.sql,
      sealer,
      clock,
      ...(leases === undefined ? { leaseMs: LEASE } : { leases }),
      onBug,
    });
    return { store, dead };
  }

  async happen(one: Event): Promise<void> {
    await this.turn(one.what);
    if (one.what === 'wait') {
      this.wall += one.ms;
      return;
    }
    const { store, dead } = this.replicas[one.replica]!;
    if (one.what === 'kill') {
      dead.is = true;
      this.replicas[one.replica] = await this.#boot();
    } else if (one.what === 'renew') await store.renew(this.wall).catch(() => undefined);
    else if (one.what === 'expire') await store.expire(this.wall).catch(() => undefined);
    else await store.recover(this.wall).catch(() => undefined);
  }

  async serve({ replica, key, attempts, ending }: ClientScript): Promise<void> {
    await this.turn('arrive');
    const { store } = this.replicas[replica]!;
    const reference = this.references[key];
    const at = this.wall;
    const requestId = this.next('req');
    const ref = refOf(`key ${key}`);
    const claimed = await store
      .claim(claimOf(`key ${key}`, { requestId, at, expiresAt: at + KEPT, maxAttempts: BUDGET }))
      .catch(() => null);
    if (claimed?.kind === 'succeeded') reference.deliver(claimed.answer!.digest, at, Number.POSITIVE_INFINITY);
    if (claimed?.kind !== 'owner') return;
    const { round } = claimed;
    const owned = { ref, round };
    const failure = { status: 502, code: 'x', message: '', requestId, at };
    let last: string | null = null;
    for (const maybeExecuted of attempts) {
      const attemptId = this.next('att');
      const started = await store
        .startAttempt({ ...owned, no: claimed.attemptsBefore + 1, attemptId, target: 't', at: this.wall })
        .then(() => true)
        .catch(() => false);
      if (!started) break;
      last = attemptId;
      await this.turn('upstream');
      if (maybeExecuted) store.endAttempt({ ref, attemptId, result: 'failed', maybeExecuted, at: this.wall });
    }
    if (ending === 'leaves') {
      await store.fail({ ...owned, state: 'failed', failure, release: false });
      return;
    }
    if (ending === 'late' || ending === 'failure' || ending === 'caller') {
      await store.fail({ ...owned, state: 'failed', failure, release: ending === 'caller' });
      await this.turn('late');
      if (ending !== 'late') return;
    }
    const answer = answerOf(`answer of ${requestId}`, { at: this.wall });
    const until = at + KEPT;
    reference.unheard.push({ digest: answer.digest, until });
    const result = await store.succeed({ ...owned, requestId, attemptId: last, answer }).catch(() => 'unheard');
    if (result === 'stored') reference.deliver(answer.digest, this.wall, until);
    if (result === 'unheard') await store.fail({ ...owned, state: 'failed', failure, release: false });
    // A round that was given up is never a success.
    if (ending === 'late') expect(result).not.toBe('stored');
  }

  /** Everybody is dead, a lease's length has passed, one new process starts: what it finds. */
  async aftermath(): Promise<{ keys: StoredKey[]; kinds: string[] }> {
    for (const { dead } of this.replicas) dead.is = true;
    this.wall += LEASE;
    const { store } = await this.#boot(true);
    await store.recover(this.wall);
    const keys = await keysOf(store);
    const kinds: string[] = [];
    for (const [key, reference] of this.references.entries()) {
      const claimed = await store.claim(
        claimOf(`key ${key}`, { requestId: 'req_end', at: this.wall, maxAttempts: BUDGET }),
      );
      if (claimed.kind === 'succeeded') reference.deliver(claimed.answer!.digest, this.wall, 0);
      kinds.push(claimed.kind);
    }
    return { keys, kinds };
  }
}

function checkKey({ row, attempts, answer }: StoredKey): void {
  expect(isHeld(row.state)).toBe(false);
  expect(row.attempts).toBeLessThanOrEqual(BUDGET);
  expect(attempts).toHaveLength(row.attempts);
  expect(attempts.filter(({ endedAt }) => endedAt === null)).toHaveLength(row.openAttempts);
  expect(attempts.filter(({ result }) => result === 'served').length).toBeLessThanOrEqual(1);
  expect(answer).toEqual(row.state === 'succeeded' ? { kind: 'bytes', digest: row.digest } : { kind: 'none' });
}

const USUAL = ['late', 'owner', 'restarted', 'succeeded'];

/** `runs`: so many interleavings, unless the environment names another number. `expected`: what some of them must come to. */
function obeysTheReference(openBook: () => Promise<Book>, runs: number, expected: readonly string[]): void {
  it('I-11, I-3, I-7, I-8: one success per key, all deliveries equal, no key stuck, attempts within the budget', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fates,
        fc.array(client, { minLength: 2, maxLength: 10 }),
        fc.array(event, { maxLength: 10 }),
        async (scheduler, fateStream, clients, events) => {
          const book = await openBook();
          const world = await World.open(book, scheduler, fateStream[Symbol.iterator]());
          const all = [...clients.map((one) => world.serve(one)), ...events.map((one) => world.happen(one))];
          await scheduler.waitFor(Promise.all(all));
          const { keys, kinds } = await world.aftermath();
          for (const key of keys) checkKey(key);
          for (const kind of kinds) expect(['owner', 'succeeded', 'exhausted', 'reused']).toContain(kind);
          for (const kind of kinds) seen.add(kind);
          for (const { row } of keys) if (row.failure?.code === 'gateway_restarted') seen.add('restarted');
          for (const { attempts } of keys)
            if (attempts.some(({ result }) => result === 'late_success')) seen.add('late');
          expect(world.bugs).toEqual([]);
          await book.close();
        },
      ),
      { numRuns: Number(process.env['LEDGER_RUNS'] ?? runs), seed: 20_261_130 },
    );
    // What the runs are for did happen in some of them.
    expect([...seen]).toEqual(expect.arrayContaining([...expected]));
  }, 120_000);
}

describe('SQLite: the ledger under random interleavings', () => {
  obeysTheReference(sqliteBook, 400, ['exhausted', ...USUAL]);
});

describe.runIf(hasPostgres())('PostgreSQL: the ledger under random interleavings', () => {
  let shelf: PostgresShelf;
  beforeAll(async () => {
    shelf = await PostgresShelf.open();
  });
  afterAll(() => shelf.close());
  obeysTheReference(() => shelf.book(), 150, USUAL);
});
