/**
 * Joins across processes, over two tables and the notifier (I-6). A joiner leaves a row that names whom it waits for; the
 * leader hears of it, and looks by itself every second. Bytes of a stream go through the other table, sealed. What a lost
 * word costs is time: both sides look again.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Holder } from '../../ports/holder.ts';
import type { Notifier } from '../../ports/notifier.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import type { JoinHandle, RemoteJoin, RemoteJoins, RemoteRound, SpoolPart } from '../../ports/remote-joins.ts';
import { openParcel, type ParcelSealer, sealParcel } from '../store-sql/sealed-parcel.ts';
import type { SqlRow } from '../store-sql/sql-step.ts';
import type { StateDb } from '../store-sql/state-db.ts';
import { JOINS_SQL } from './joins-sql.ts';

export interface PostgresJoinsOptions {
  readonly db: Pick<StateDb, 'read' | 'write'>;
  readonly sealer: ParcelSealer;
  readonly notifier: Notifier;
  readonly holder: Pick<Holder, 'id' | 'peers'>;
  /** Wall time is the store's. */
  readonly clock: Clock;
}

/** How long an interest is good without being renewed, and how often it is. */
const INTEREST_MS = 15_000;
const RENEW_MS = 5000;
const LOOK_MS = 1000;
/** Parts of a stream whose leader is gone are kept no longer, and after an end so long for those who read slowly. */
const PARTS_MS = 20 * 60_000;
const AFTER_END_MS = 30_000;
const SWEEP_MS = 60_000;
const PARTS_AT_ONCE = 64;

type Left = Omit<RemoteJoin, 'wantsBytes'>;

export class PostgresJoins implements RemoteJoins {
  readonly #options: PostgresJoinsOptions;
  readonly #known = new Map<string, RemoteJoin>();
  readonly #hearJoin = new Set<(join: RemoteJoin) => void>();
  readonly #hearLeave = new Set<(join: Left) => void>();
  /** Who waits here for a word on a round. */
  readonly #sleeping = new Map<string, Set<() => void>>();
  readonly #stops: (() => void)[] = [];
  #looking: Promise<void> | null = null;
  #again = false;
  #timer: Cancel | null = null;
  #sweptAt: number;
  #joined = 0;
  #closed = false;

  constructor(options: PostgresJoinsOptions) {
    this.#options = options;
    const { notifier, clock } = options;
    this.#sweptAt = clock.now();
    this.#stops.push(
      notifier.subscribe('join', (payload) => {
        if (payload === options.holder.id) this.#look();
      }),
      notifier.subscribe('key', (payload) => this.#wake(payload)),
    );
    notifier.onGap(() => {
      for (const name of this.#sleeping.keys()) this.#wake(name);
      this.#look();
    });
    this.#watch();
  }

  wait(round: RemoteRound, wantsBytes: boolean): JoinHandle {
    this.#joined += 1;
    const { holder } = this.#options;
    const joiner = `${holder.id}/${this.#joined}`;
    let isOver = false;
    let cancel: Cancel = () => undefined;
    const renew = (): void => {
      if (isOver || this.#closed) return;
      void this.#join(round, joiner, wantsBytes);
      cancel = this.#options.clock.after(RENEW_MS, renew);
    };
    renew();
    return {
      parts: (from) => this.#parts(round, from),
      woken: (ms) => this.#sleep(nameOf(round), ms),
      leave: () => {
        if (isOver) return;
        isOver = true;
        cancel();
        void this.#leave(round, joiner);
      },
    };
  }

  onJoin(hear: (join: RemoteJoin) => void): () => void {
    this.#hearJoin.add(hear);
    return () => void this.#hearJoin.delete(hear);
  }

  onLeave(hear: (join: Left) => void): () => void {
    this.#hearLeave.add(hear);
    return () => void this.#hearLeave.delete(hear);
  }

  async push(round: RemoteRound, seq: number, part: SpoolPart): Promise<void> {
    const { db, sealer, clock, notifier } = this.#options;
    const { kind, ...rest } = part;
    const body = part.kind === 'bytes' ? part.bytes : new Uint8Array();
    const head = part.kind === 'bytes' ? { kind } : { kind, ...rest };
    const { sealed } = sealParcel(sealer, contextOf(round, seq), { head, body });
    const until = clock.wall() + PARTS_MS;
    await db.write([{ sql: JOINS_SQL.push, rows: [[...keyOf(round), seq, until, sealed]] }]);
    notifier.publish('key', nameOf(round));
  }

  ended(round: RemoteRound): void {
    const { notifier, clock } = this.#options;
    notifier.publish('key', nameOf(round));
    clock.after(AFTER_END_MS, () => {
      if (!this.#closed) void this.#write(JOINS_SQL.drop, keyOf(round));
    });
  }

  close(): void {
    this.#closed = true;
    this.#timer?.();
    for (const stop of this.#stops) stop();
    for (const name of [...this.#sleeping.keys()]) this.#wake(name);
  }

  async #join(round: RemoteRound, joiner: string, wantsBytes: boolean): Promise<void> {
    const { db, clock, notifier } = this.#options;
    const row: SqlRow = [...keyOf(round), joiner, wantsBytes ? 1 : 0, clock.wall() + INTEREST_MS];
    const written = await db.write([{ sql: JOINS_SQL.join, rows: [row], returns: true }]).catch(onlyAway);
    const leader = written?.returned?.[0]?.[0];
    if (typeof leader === 'string') notifier.publish('join', leader);
  }

  async #leave(round: RemoteRound, joiner: string): Promise<void> {
    const { db } = this.#options;
    // Who leads it is not asked again: everybody who leads anything looks.
    await this.#write(JOINS_SQL.leave, [...keyOf(round), joiner]);
    const [row] = await db.read(LEADER, [round.ref.keyHash, round.ref.scope]).catch(() => []);
    const leader = row?.[0];
    if (typeof leader === 'string') this.#options.notifier.publish('join', leader);
  }

  async #parts(round: RemoteRound, from: number): Promise<readonly SpoolPart[]> {
    const { db, sealer } = this.#options;
    const rows = await db.read(JOINS_SQL.parts, [...keyOf(round), from, PARTS_AT_ONCE]);
    const parts: SpoolPart[] = [];
    for (const [seq, sealed] of rows) {
      // One that is missing, or another life's, ends what can be shown.
      if (Number(seq) !== from + parts.length) break;
      const parcel = openParcel(sealer, contextOf(round, Number(seq)), sealed);
      if (parcel === null) break;
      const head = parcel.head as unknown as SpoolPart;
      parts.push(head.kind === 'head' ? head : { kind: 'bytes', bytes: parcel.body });
    }
    return parts;
  }

  #sleep(name: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const all = this.#sleeping.get(name) ?? new Set();
      this.#sleeping.set(name, all);
      const wake = (): void => {
        cancel();
        all.delete(wake);
        if (all.size === 0 && this.#sleeping.get(name) === all) this.#sleeping.delete(name);
        resolve();
      };
      const cancel = this.#options.clock.after(ms, wake);
      all.add(wake);
    });
  }

  #wake(name: string): void {
    for (const wake of [...(this.#sleeping.get(name) ?? [])]) wake();
  }

  /** Looks by itself; alone there is nobody to look for. */
  #watch(): void {
    const { clock, holder } = this.#options;
    if (this.#closed) return;
    if (holder.peers > 1 || this.#known.size > 0) this.#look();
    if (clock.now() - this.#sweptAt >= SWEEP_MS) this.#sweep();
    this.#timer = clock.after(LOOK_MS, () => this.#watch());
  }

  #sweep(): void {
    const { clock } = this.#options;
    this.#sweptAt = clock.now();
    void this.#write(JOINS_SQL.expireParts, [clock.wall()]);
    void this.#write(JOINS_SQL.expireJoins, [clock.wall()]);
  }

  #look(): void {
    if (this.#looking !== null) {
      this.#again = true;
      return;
    }
    this.#looking = this.#lookNow().finally(() => {
      this.#looking = null;
      if (!this.#again || this.#closed) return;
      this.#again = false;
      this.#look();
    });
  }

  async #lookNow(): Promise<void> {
    const { db, holder, clock } = this.#options;
    const rows = await db.read(JOINS_SQL.ofHolder, [holder.id, clock.wall()]).catch(onlyAway);
    // What can't be read says nothing of who has left.
    if (rows === undefined || this.#closed) return;
    const there = new Map(rows.map(joinOf).map((join) => [idOf(join), join]));
    for (const [id, join] of this.#known) {
      if (there.has(id)) continue;
      this.#known.delete(id);
      for (const hear of this.#hearLeave) hear(join);
    }
    for (const [id, join] of there) {
      this.#known.set(id, join);
      for (const hear of this.#hearJoin) hear(join);
    }
  }

  async #write(sql: string, row: SqlRow): Promise<void> {
    await this.#options.db.write([{ sql, rows: [row] }]).catch(onlyAway);
  }
}

const LEADER = 'SELECT holder FROM idempotency_keys WHERE key_hash = $1 AND scope = $2 AND pending';

function onlyAway(error: unknown): undefined {
  if (error instanceof StateStoreUnavailable) return undefined;
  throw error;
}

function keyOf({ ref, round }: Pick<RemoteRound, 'ref' | 'round'>): [string, string, number] {
  return [ref.keyHash, ref.scope, round];
}

function joinOf([keyHash, scope, round, joiner, wantsBytes]: SqlRow): RemoteJoin {
  return {
    ref: { keyHash: String(keyHash), scope: String(scope) },
    round: Number(round),
    joiner: String(joiner),
    wantsBytes: wantsBytes === 1,
  };
}

function idOf({ ref, round, joiner }: Left): string {
  return `${ref.keyHash} ${ref.scope} ${round} ${joiner}`;
}

/** A round in a notice. */
function nameOf({ requestId }: RemoteRound): string {
  return requestId;
}

/** Bound in: a part opens for its round alone, and in its place. */
function contextOf({ ref, requestId }: RemoteRound, seq: number): string {
  return `spool ${ref.scope} ${ref.keyHash} ${requestId} ${seq}`;
}
