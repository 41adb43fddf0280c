/**
 * Queued requests of one process (E-4): starts what is due, a few at a time, and takes up after a restart what an earlier
 * process left.
 */
import { gatewayError } from '../../core/errors/catalogue.ts';
import type { NanoUsd } from '../../core/usage/usage.ts';
import type { Cancel } from '../../ports/clock.ts';
import type { JobOrder, JobResult, JobStore, NewJob, StoredJob } from '../../ports/job-store.ts';
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
  readonly onBug: (error: unknown) => void;
}

/** Beside the requests of clients that wait: a few. */
const AT_ONCE = 4;
/** So long before a job is gone it has ended, and says how. */
const LEAST_TO_ASK_MS = 60 * 60 * 1000;
/** Expired jobs go within this time. */
export const SWEEP_MS = 10 * 60 * 1000;

export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #writes: JobWrites;
  /** Durable, but its client has not been told: when each would be due. */
  readonly #held = new Map<string, number>();
  /** Wall ms at which each waiting job is due. */
  readonly #due = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();
  /** End running tries when the process stops. */
  readonly #cuts = new Set<() => void>();
  #cancelTimer: Cancel | null = null;
  #closed = false;

  constructor(options: JobQueueOptions) {
    this.#options = options;
    this.#writes = new JobWrites(options);
  }

  /** Takes up what is there. Rejects with `StateStoreUnavailable`. */
  async start(): Promise<void> {
    const { store, clock } = this.#options;
    await store.expire(clock.wall());
    for (const job of await store.open()) {
      // A second start, after a disk that could not be read: what has been taken up since is this process's own.
      if (this.#held.has(job.id) || this.#due.has(job.id) || this.#running.has(job.id)) continue;
      if (job.state === 'running') await this.#orphaned(job);
      else this.#due.set(job.id, job.dueAt);
    }
    this.#pump();
  }

  /** The path a route is reached by; null = it takes no jobs. */
  pathOf(route: DataRoute): string | null {
    for (const [path, known] of this.#options.routes) if (known === route) return path;
    return null;
  }

  /** Durable when it resolves, and held until its client has been told. Rejects with `StateStoreUnavailable`. */
  async add(job: NewJob): Promise<'added' | 'full' | 'known'> {
    const added = await this.#add(job);
    if (added === 'added') this.#held.set(job.id, job.dueAt);
    return added;
  }

  /** Its client has been told: it is tried when it is due. Nothing, if it was released before. */
  release(id: string): void {
    const dueAt = this.#held.get(id);
    if (dueAt === undefined) return;
    this.#held.delete(id);
    void this.#release(id, dueAt).catch(this.#options.onBug);
  }

  async #release(id: string, dueAt: number): Promise<void> {
    await this.#writes.insist(() => this.#options.store.release(id));
    this.#due.set(id, dueAt);
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
      this.#due.set(job.id, clock.wall());
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

  #pump(): void {
    if (this.#closed) return;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const { clock, isDraining } = this.#options;
    const wall = clock.wall();
    const next = [...this.#due].sort((a, b) => a[1] - b[1]);
    for (const [id, dueAt] of next) {
      if (isDraining() || this.#running.size >= AT_ONCE) return;
      if (dueAt > wall) {
        this.#cancelTimer = clock.after(Math.min(dueAt - wall, SWEEP_MS), () => this.#pump());
        return;
      }
      this.#due.delete(id);
      const running = this.#run(id)
        .catch(this.#options.onBug)
        .finally(() => {
          this.#running.delete(id);
          this.#pump();
        });
      this.#running.set(id, running);
    }
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
      return await store.begin(id, clock.wall());
    } catch (error) {
      if (!isUnavailable(error)) onBug(error);
      this.#due.set(id, clock.wall() + (isUnavailable(error) ? RETRY_MS : SWEEP_MS));
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
    if (!this.#closed) this.#due.set(job.id, dueAt);
  }

  #finish(job: StoredJob, state: 'succeeded' | 'failed', result: JobResult): Promise<void> {
    return this.#writes.insist(() => this.#writes.finish(job, state, result));
  }
}
