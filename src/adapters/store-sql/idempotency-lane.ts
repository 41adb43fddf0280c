/**
 * Group commit for the idempotency ledger. Orders that come while one transaction is on its way to the disk go together
 * into the next. A batch is worked out in memory, order by order, and written on condition that nobody else has changed
 * one of its keys; if somebody has, it is read and worked out again.
 */
import { isHeld, type KeyRef, type KeyRow } from '../../core/idempotency/key-row.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Holder } from '../../ports/holder.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import { isUnmet } from './fault.ts';
import { faultPoint } from './fault-point.ts';
import { type KeyInFile, readKey } from './idempotency-rows.ts';
import { KeyWork, stepsOf } from './idempotency-work.ts';
import type { StateDb } from './state-db.ts';
import type { IdempotencySql } from './statements.ts';

export interface Order {
  /** Names its durable step, for crash tests. */
  readonly name: string;
  readonly ref: KeyRef;
  /** Works on the key; what it returns settles the order once it is durable. Called again after a conflict. */
  readonly apply: (work: KeyWork) => (() => void) | undefined;
  /** The store can't be used now. Absent = it is written again until it is durable. */
  readonly reject?: (error: unknown) => void;
  /** It can't be written now and will be later. */
  readonly stalled?: () => void;
  /** What to do later about a rejected order that may have become durable all the same. */
  readonly suspect?: () => Order;
  /** Nobody waits for it: it may gather company for a moment. */
  readonly patient?: boolean;
  /** Size of the bytes it writes beside its row. */
  readonly bytes?: number;
}

/** A batch worked out, before its transaction. */
interface Tried {
  readonly works: ReadonlyMap<string, KeyWork>;
  readonly settlements: readonly ((() => void) | undefined)[];
}

export interface LaneOptions {
  readonly db: Pick<StateDb, 'write' | 'read'>;
  readonly sql: IdempotencySql;
  readonly clock: Clock;
  readonly holder: Pick<Holder, 'id'>;
  /** Leases lie beside the keys: an own one read back is not judged by it. */
  readonly leasesApart?: boolean;
  /** An order that no repetition makes acceptable was given up: a fault of the program. */
  readonly onBug: (error: unknown) => void;
}

/** Most orders of one transaction: a longer one would make those that come next wait too long. */
const LARGEST_BATCH = 1000;
/** Most bytes of answers in one transaction, unless a single one is larger. */
const LARGEST_BYTES = 8 * 1024 * 1024;
/** How long the disk is left alone after a fault before what must be written is tried again. */
const RETRY_MS = 1000;
/** How long patient orders wait for company. */
const GATHER_MS = 20;
/** Its step, where it is written with the next one. */
const CLAIM = { name: 'claim' };
/** Somebody else's changes in so many tries in a row: the batch is taken apart. */
const TRIES = 5;

export class IdempotencyLane {
  readonly #options: LaneOptions;
  #queue: Order[] = [];
  #running: Promise<void> | null = null;
  #timer: Cancel | null = null;
  #closed = false;
  /** The last transaction did not come through. */
  #isTroubled = false;
  /** So many orders are carried out one by one, to find the one at fault. */
  #single = 0;
  /** Keys this process holds, as they are in the file: nobody else changes them, short of a lost lease. */
  readonly #held = new Map<string, KeyWork>();

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Orders are carried out in the order in which they come. */
  take(order: Order): void {
    if (this.#closed) {
      order.reject?.(new StateStoreUnavailable('the state is closed'));
      order.stalled?.();
      return;
    }
    this.#queue.push(order);
    if (this.#running !== null) return;
    if (order.patient !== true && (order.reject !== undefined || this.#timer === null)) this.#start();
    else this.#startIn(GATHER_MS);
  }

  /** A key that this process holds, as it will be once everything taken so far is durable; null = it holds none. */
  held(ref: KeyRef): KeyRow | null {
    return this.#held.get(idOf(ref))?.row ?? null;
  }

  /** Others have closed what this process held: it is read again. */
  forget(): void {
    this.#held.clear();
  }

  /** Resolves when everything taken so far is durable, or can't be written now. */
  async flush(): Promise<void> {
    await this.#running;
    if (this.#queue.length > 0) {
      this.#start();
      await this.#running;
    }
  }

  /** `flush`, and what waits for company is written too. */
  async settle(): Promise<void> {
    for (const { ref, mayWait } of this.#held.values()) if (mayWait) this.take(writeOrder(ref));
    await this.flush();
  }

  async close(): Promise<void> {
    await this.flush();
    this.#closed = true;
    this.#timer?.();
    this.#timer = null;
  }

  #startIn(ms: number): void {
    if (this.#closed || this.#timer !== null) return;
    this.#timer = this.#options.clock.after(ms, () => {
      this.#timer = null;
      if (this.#running === null && this.#queue.length > 0) this.#start();
    });
  }

  #start(): void {
    this.#timer?.();
    this.#timer = null;
    this.#running = this.#runAll();
  }

  async #runAll(): Promise<void> {
    while (this.#queue.length > 0) {
      // What is asked for in the same turn goes along.
      await Promise.resolve();
      if (!(await this.#carryOut(this.#nextBatch()))) {
        // Who came meanwhile is told at once; all others of them were.
        if (this.#queue.some(({ reject }) => reject !== undefined)) continue;
        this.#startIn(RETRY_MS);
        break;
      }
    }
    // In the same turn as the last look at the queue, so that nobody comes between and waits for ever.
    this.#running = null;
  }

  #nextBatch(): Order[] {
    let bytes = 0;
    let count = 0;
    for (const order of this.#queue) {
      bytes += order.bytes ?? 0;
      if (count === (this.#single > 0 ? 1 : LARGEST_BATCH) || (count > 0 && bytes > LARGEST_BYTES)) break;
      count += 1;
    }
    this.#single = Math.max(0, this.#single - 1);
    return this.#queue.splice(0, count);
  }

  /** False = the store can't be used now. */
  async #carryOut(batch: readonly Order[]): Promise<boolean> {
    let tried: Tried | null = null;
    try {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const works = await this.#load(batch);
        const settlements = batch.map((order) => order.apply(works.get(idOf(order.ref))!));
        // Where the disk may refuse, it is asked at once: whoever claims is told now.
        if (this.#isTroubled) for (const work of works.values()) work.mayWait &&= work.waited;
        const steps = stepsOf(works.values(), this.#options.sql);
        if (steps.length > 0) {
          tried = { works, settlements };
          if (!(await this.#write(batch, works, steps))) continue;
        }
        this.#keep(works);
        for (const settle of settlements) settle?.();
        return true;
      }
    } catch (error) {
      if (!(error instanceof StateStoreUnavailable)) return this.#singleOut(batch, error);
      this.#refuse(tried === null ? batch : unwritten(batch, tried), error, tried !== null);
      return false;
    }
    return this.#singleOut(batch, new StateStoreUnavailable('others change the same keys without pause'));
  }

  /** False = somebody else has changed one of the keys. */
  async #write(
    batch: readonly Order[],
    works: ReadonlyMap<string, KeyWork>,
    steps: ReturnType<typeof stepsOf>,
  ): Promise<boolean> {
    const carried = [...works.values()].some(({ waited, mayWait }) => waited && !mayWait) ? [...batch, CLAIM] : batch;
    try {
      faultPoint('before', carried);
      await this.#options.db.write(steps);
      faultPoint('after', carried);
      this.#isTroubled = false;
      return true;
    } catch (error) {
      const unmet = isUnmet(error);
      this.#isTroubled = !unmet;
      for (const id of works.keys()) {
        const held = this.#held.get(id);
        // What waits to be written may be nowhere else; all others are read again.
        if (held?.mayWait && !unmet) held.isDoubtful = true;
        else this.#held.delete(id);
      }
      if (unmet) return false;
      throw error;
    }
  }

  async #load(batch: readonly Order[]): Promise<Map<string, KeyWork>> {
    const works = new Map<string, KeyWork>();
    const unknown: [string, string][] = [];
    for (const { ref } of batch) {
      const id = idOf(ref);
      if (works.has(id)) continue;
      const held = this.#held.get(id);
      if (held === undefined || held.isDoubtful) unknown.push([ref.keyHash, ref.scope]);
      works.set(id, held?.next() ?? new KeyWork(ref, null));
    }
    if (unknown.length === 0) return works;
    const { db, sql } = this.#options;
    for (const columns of await db.read(sql.load, [JSON.stringify(unknown)])) {
      const { ref, ...known } = this.#asOurs(readKey(columns));
      const work = works.get(idOf(ref));
      // It came through without a word, or it is as it was before the claim that waits.
      if (work === undefined || known.version > work.version) works.set(idOf(ref), new KeyWork(ref, known));
    }
    return works;
  }

  #asOurs(key: KeyInFile): KeyInFile {
    const { leasesApart, holder } = this.#options;
    if (leasesApart !== true || key.row.holder !== holder.id) return key;
    return { ...key, row: { ...key.row, leaseUntil: null } };
  }

  /** What is as it will be is remembered where it is this process's. */
  #keep(works: ReadonlyMap<string, KeyWork>): void {
    for (const [id, work] of works) {
      const { row, changed } = work;
      if (row === null || row.holder !== this.#options.holder.id || !isHeld(row.state)) this.#held.delete(id);
      else if (changed || this.#held.get(id)?.isDoubtful !== false) this.#held.set(id, work.next());
    }
  }

  /** One order of the batch is at fault: each is carried out by itself. */
  #singleOut(batch: readonly Order[], error: unknown): boolean {
    const [only] = batch;
    if (batch.length > 1) {
      this.#queue.unshift(...batch);
      this.#single = Math.max(this.#single, batch.length);
      return true;
    }
    this.#options.onBug(error);
    only?.reject?.(new StateStoreUnavailable(`the state refuses it: ${String(error)}`));
    only?.stalled?.();
    return true;
  }

  /** Who waits is told; the rest waits for the disk. */
  #refuse(batch: readonly Order[], error: unknown, wrote: boolean): void {
    const left = batch.flatMap((order) => {
      if (order.reject === undefined) return [order];
      return wrote && order.suspect !== undefined ? [order.suspect()] : [];
    });
    this.#queue.unshift(...left);
    for (const order of batch) {
      order.reject?.(error);
      order.stalled?.();
    }
  }
}

/** Settles what needed no writing, replays for example: it is true all the same (H-5). Gives the rest. */
function unwritten(batch: readonly Order[], { works, settlements }: Tried): readonly Order[] {
  return batch.filter((order, index) => {
    if (works.get(idOf(order.ref))!.isToBeWritten) return true;
    settlements[index]?.();
    return false;
  });
}

/** A claim that waited goes by itself. */
function writeOrder(ref: KeyRef): Order {
  return {
    name: 'claim',
    ref,
    apply(work) {
      work.mayWait = false;
      return undefined;
    },
  };
}

export function idOf({ scope, keyHash }: KeyRef): string {
  return `${keyHash} ${scope}`;
}
