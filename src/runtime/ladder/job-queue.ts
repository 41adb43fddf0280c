/**
 * Queued requests (E-4): every process starts what is due, a few at a time, and takes up what a dead one has left. What is
 * due the store says; here stands only what this process has in hand.
 */
import { gatewayError } from '../../core/errors/catalogue.ts';
import type { NanoUsd } from '../../core/usage/usage.ts';
import type { Cancel } from '../../ports/clock.ts';
import type { JobOrder, JobResult, JobStore, NewJob, StoredJob } from '../../ports/job-store.ts';
import type { Notifier } from '../../ports/notifier.ts';
import type { DataRoute } from '../reception.ts';
import { isUnavailable, JobWrites, type JobWritesOptions, RETRY_MS, ROOM } from './job-writes.ts';

/** What came of one try. */
export type TryEnd =
  | { readonly kind: 'succeeded' | 'failed'; readonly result: JobResult }
  /** Another try may help. `counted`: false = nobody was called. `result`: if there is none left. */
  | {
      readonly kind: 'again';
      readonly waitMs: number;
      readonly costLeft: NanoUsd | null;
      readonly counted: boolean;
      readonly result: JobResult;
    }
  /** The process stopped it: for the next start to judge. */
  | { readonly kind: 'cut' };

export interface JobQueueOptions extends JobWritesOptions {
  /** By path. */
  readonly routes: ReadonlyMap<string, DataRoute>;
  /** `cuttable` gets what ends the try at once. */
  readonly runTry: (
    job: StoredJob,
    order: JobOrder,
    route: DataRoute,
    cuttable: (cut: () => void) => void,
  ) => Promise<TryEnd>;
  /** Nothing new is begun. */
  readonly isDraining: () => boolean;
  /** Other processes on the same store, who add jobs, finish them and die. Absent = there are none. */
  readonly others?: Pick<Notifier, 'publish' | 'subscribe'>;
  readonly onBug: (error: unknown) => void;
}

/** Beside the requests of clients that wait: a few. */
const AT_ONCE = 4;
/** So long before a job is gone it has ended, and says how. */
const LEAST_TO_ASK_MS = 60 * 60 * 1000;
/** Expired jobs go within this time. */
export const SWEEP_MS = 10 * 60 * 1000;
/** What other processes leave is seen within this time, should nobody tell of it. */
const LOOK_MS = 5000;

export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #writes: JobWrites;
  /** Durable, but its client has not been told. */
  readonly #held = new Set<string>();
  /** Begun without a word of it, or not to be had: looked at again from this wall ms on. */
  readonly #later = new Map<string, { readonly at: number; readonly mayBeOurs: boolean }>();
  readonly #running = new Map<string, Promise<void>>();
  /** End running tries when the process stops. */
  readonly #cuts = new Set<() => void>();
  #cancelTimer: Cancel | null = null;
  #looking = false;
  #lookAgain = false;
  readonly #deaf: () => void;
  #closed = false;

  constructor(options: JobQueueOptions) {
    this.#options = options;
    this.#writes = new JobWrites(options);
    this.#deaf = options.others?.subscribe('job', () => this.#pump()) ?? (() => undefined);
  }

  /** Takes up what is there. Rejects with `StateStoreUnavailable`. */
  async start(): Promise<void> {
    const { store, clock } = this.#options;
    await store.expire(clock.wall());
    await this.#look();
    if (this.#lookAgain) this.#pump();
  }

  /** The path a route is reached by; null = it takes no jobs. */
  pathOf(route: DataRoute): string | null {
    for (const [path, known] of this.#options.routes) if (known === route) return path;
    return null;
  }

  /** Durable when it resolves, and held until its client has been told. Rejects with `StateStoreUnavailable`. */
  async add(job: NewJob): Promise<'added' | 'full' | 'known'> {
    const added = await this.#add(job);
    if (added === 'added') this.#held.add(job.id);
    return added;
  }

  /** Its client has been told: it is tried when it is due. Nothing, if it was released before. */
  release(id: string): void {
    if (this.#held.delete(id)) void this.#release(id).catch(this.#options.onBug);
  }

  async #release(id: string): Promise<void> {
    const { store, others } = this.#options;
    await this.#writes.insist(() => store.release(id));
    others?.publish('job', id);
    this.#pump();
  }

  async #add(job: NewJob): Promise<'added' | 'full' | 'known'> {
    try {
      return await this.#options.store.add(job, ROOM);
    } catch (error) {
      // It may be there all the same, and nobody will be told of it: it must not run.
      void this.#writes.insist(() => this.#options.store.remove(job.id)).catch(this.#options.onBug);
      throw error;
    }
  }

  /** Null = there is none, or it has expired. Rejects with `StateStoreUnavailable`. */
  async find(id: string): Promise<StoredJob | null> {
    const job = await this.#options.store.find(id);
    return job === null || job.expiresAt <= this.#options.clock.wall() ? null : job;
  }

  findByRef(ref: string): Promise<StoredJob | null> {
    return this.#options.store.findByRef(ref);
  }

  expire(): Promise<number> {
    return this.#options.store.expire(this.#options.clock.wall());
  }

  sealKeys(): Promise<readonly string[]> {
    return this.#options.store.sealKeys();
  }

  /** Takes a job back that nobody has been told of. Nothing, if it was released. */
  async withdraw(id: string): Promise<void> {
    if (this.#held.delete(id)) await this.#writes.insist(() => this.#options.store.remove(id));
  }

  /** Begins nothing more and cuts what runs; the next start judges it. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#deaf();
    this.#writes.close();
    this.#cancelTimer?.();
    for (const cut of this.#cuts) cut();
    await Promise.allSettled(this.#running.values());
  }

  /** I-8 for jobs: its call may have been executed. Under strict that is the end (D-10), else it cost a try. */
  async #orphaned(job: StoredJob): Promise<void> {
    const { store, clock } = this.#options;
    if (!job.strict && job.tries < job.maxTries) {
      await store.again(job.id, { dueAt: clock.wall(), costLeft: job.costLeft, counted: true });
      return;
    }
    const error = gatewayError(
      'gateway_restarted',
      'the gateway stopped while this job ran; the upstream may have executed its call, check before sending it again',
      { maybeExecuted: true },
    );
    // Not insisted upon: a disk that is away must not hold up the start.
    await this.#writes.finish(job, 'failed', this.#options.render(undefined, error));
  }

  /** One look at a time; what happens during one is seen by the next. */
  #pump(): void {
    if (this.#closed) return;
    this.#lookAgain = true;
    if (!this.#looking) void this.#lookWhileNeeded();
  }

  async #lookWhileNeeded(): Promise<void> {
    this.#looking = true;
    try {
      while (this.#lookAgain && !this.#closed) {
        this.#lookAgain = false;
        await this.#look();
      }
    } catch (error) {
      if (!isUnavailable(error)) this.#options.onBug(error);
      this.#timer(this.#options.clock.wall() + RETRY_MS);
    } finally {
      this.#looking = false;
    }
  }

  /** Begins what is due, judges what the dead have left. Rejects with `StateStoreUnavailable`. */
  async #look(): Promise<void> {
    const { store, clock, isDraining } = this.#options;
    if (isDraining() || this.#running.size >= AT_ONCE) return;
    const wall = clock.wall();
    const { due, orphans, nextDueAt } = await store.due(wall, AT_ONCE + this.#running.size + this.#later.size);
    for (const job of orphans) await this.#orphaned(job);
    if (orphans.length > 0) this.#lookAgain = true;
    const ours = [...this.#later].filter(([, { mayBeOurs }]) => mayBeOurs).map(([id]) => id);
    for (const id of new Set([...ours, ...due.map((job) => job.id)])) {
      if (this.#closed || isDraining() || this.#running.size >= AT_ONCE) return;
      if (this.#running.has(id) || (this.#later.get(id)?.at ?? 0) > wall) continue;
      this.#later.delete(id);
      this.#start(id);
    }
    for (const [id, { at, mayBeOurs }] of this.#later) if (!mayBeOurs && at <= wall) this.#later.delete(id);
    const again = [...this.#later.values()].map(({ at }) => at);
    this.#timer(Math.min(nextDueAt ?? Number.POSITIVE_INFINITY, ...again));
  }

  #start(id: string): void {
    const running = this.#run(id)
      .catch(this.#options.onBug)
      .finally(() => {
        this.#running.delete(id);
        this.#pump();
      });
    this.#running.set(id, running);
  }

  /** @param at wall ms */
  #timer(at: number): void {
    const { clock, others } = this.#options;
    this.#cancelTimer?.();
    if (this.#closed || (at === Number.POSITIVE_INFINITY && others === undefined)) return;
    const longest = others === undefined ? SWEEP_MS : LOOK_MS;
    const wait = Math.max(0, Math.min(at - clock.wall(), longest));
    this.#cancelTimer = clock.after(wait, () => this.#pump());
  }

  async #run(id: string): Promise<void> {
    const begun = await this.#begin(id);
    if (begun === null) return;
    const { job, order } = begun;
    const route = order === null ? undefined : this.#options.routes.get(order.path);
    try {
      if (order !== null && route !== undefined) await this.#settle(job, await this.#try(job, order, route));
      else await this.#fail(job, route, "what was queued can't be read or carried out any more; send it again");
    } catch (error) {
      this.#options.onBug(error);
      await this.#fail(job, route, 'a fault inside the gateway; report it with the request id');
    }
  }

  async #begin(id: string): Promise<Awaited<ReturnType<JobStore['begin']>>> {
    const { store, clock, onBug } = this.#options;
    try {
      const begun = await store.begin(id, clock.wall());
      // Another process was quicker, or it has expired.
      if (begun === null) this.#later.set(id, { at: clock.wall() + RETRY_MS, mayBeOurs: false });
      return begun;
    } catch (error) {
      if (!isUnavailable(error)) onBug(error);
      const at = clock.wall() + (isUnavailable(error) ? RETRY_MS : SWEEP_MS);
      this.#later.set(id, { at, mayBeOurs: true });
      return null;
    }
  }

  async #try(job: StoredJob, order: JobOrder, route: DataRoute): Promise<TryEnd> {
    let cut: (() => void) | null = null;
    try {
      return await this.#options.runTry(job, order, route, (given) => {
        cut = given;
        this.#cuts.add(given);
      });
    } finally {
      if (cut !== null) this.#cuts.delete(cut);
    }
  }

  #fail(job: StoredJob, route: DataRoute | undefined, message: string): Promise<void> {
    return this.#finish(job, 'failed', this.#options.render(route, gatewayError('internal_error', message)));
  }

  async #settle(job: StoredJob, end: TryEnd): Promise<void> {
    if (end.kind === 'cut') return;
    if (end.kind !== 'again') return await this.#finish(job, end.kind, end.result);
    const { store, clock } = this.#options;
    if (end.counted && job.tries >= job.maxTries) return await this.#finish(job, 'failed', end.result);
    const dueAt = clock.wall() + end.waitMs;
    if (dueAt > job.expiresAt - LEAST_TO_ASK_MS) return await this.#finish(job, 'failed', end.result);
    await this.#writes.insist(() => store.again(job.id, { dueAt, costLeft: end.costLeft, counted: end.counted }));
  }

  #finish(job: StoredJob, state: 'succeeded' | 'failed', result: JobResult): Promise<void> {
    return this.#writes.insist(() => this.#writes.finish(job, state, result));
  }
}
