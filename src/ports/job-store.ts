/** Queued requests (E-4): durable from the answer that names them until they expire. */

import type { NanoUsd } from '../core/usage/usage.ts';
import type { RequestPlace } from '../dialects/contract.ts';

export type JobState = 'waiting' | 'running' | 'succeeded' | 'failed';

/** What is to be carried out. */
export interface JobOrder {
  /** A path it could have come by: names endpoint and dialect. */
  readonly path: string;
  /** What stood beside the body. */
  readonly place?: RequestPlace;
  /** Headers a plan reads, names in lower case. No credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface NewJob {
  readonly id: string;
  readonly workspace: string;
  /** Name of the client key. */
  readonly key: string;
  /** SHA-256 of its secret, or how that begins: who gets the name later is another (G-8). */
  readonly keyHash: string;
  /** The request that was queued. */
  readonly requestId: string;
  /** Of its idempotency key; two jobs never share one. Null = it has none. */
  readonly ref: string | null;
  readonly maxTries: number;
  /** A try whose outcome is unknown ends it (D-10, D-11). */
  readonly strict: boolean;
  /** What `max_cost_usd` still allows (D-4); null = no such budget. */
  readonly costLeft: NanoUsd | null;
  /** Wall ms. */
  readonly at: number;
  readonly dueAt: number;
  readonly expiresAt: number;
  readonly order: JobOrder;
}

/** Status and body exactly as a client would have got them. */
export interface JobResult {
  readonly status: number;
  readonly body: Uint8Array;
  /** The run's own record. */
  readonly requestId: string;
}

export interface StoredJob extends Omit<NewJob, 'order'> {
  readonly state: JobState;
  readonly tries: number;
  /** Wall ms; null = not finished. */
  readonly finishedAt: number | null;
  /** Null = not finished, or it can't be read any more. */
  readonly result: JobResult | null;
}

/** Bounds of the whole queue. */
export interface JobRoom {
  /** Jobs not finished. */
  readonly open: number;
  /** Of one client key. */
  readonly openOfKey: number;
  /** Bytes of all requests and results. */
  readonly bytes: number;
  /** Of one client key. */
  readonly bytesOfKey: number;
}

/** A job that its holder may carry on. */
export interface BegunJob {
  readonly job: StoredJob;
  /** Null = it can't be read any more. */
  readonly order: JobOrder | null;
}

export interface DueJobs {
  /** Waiting and due, the next one first. */
  readonly due: readonly StoredJob[];
  /** Begun by a process that is gone: what became of their calls nobody knows. */
  readonly orphans: readonly StoredJob[];
  /** When the next one of the others is due, wall ms; null = there is none. */
  readonly nextDueAt: number | null;
}

/**
 * All but `find` and `expire` are durable when they resolve; all reject with `StateStoreUnavailable`. A job is held by the
 * process that added it until it is released, and by the one that began it until it waits again or has finished.
 */
export interface JobStore {
  /** `full`: no room; nothing was added. `known`: a job of the same `ref` is there. Nobody begins it before `release`. */
  add(job: NewJob, room: JobRoom): Promise<'added' | 'full' | 'known'>;
  /** Its client has been told: whoever comes first may begin it. So does the death of the process that added it. */
  release(id: string): Promise<void>;
  /** What is to be done now, at most so many of each. Never what a living process holds. */
  due(wall: number, limit: number): Promise<DueJobs>;
  /**
   * A job begins its next try here, or the one that it has begun unheard, or one that is an orphan (the same try). Null = it
   * has finished or expired, or another process was quicker.
   */
  begin(id: string, wall: number): Promise<BegunJob | null>;
  /**
   * A job that this process holds waits again. `counted`: false = the try called nobody and does not count. `lost`: another
   * process holds it by now, or it is gone; nothing was done.
   */
  again(id: string, next: { dueAt: number; costLeft: NanoUsd | null; counted: boolean }): Promise<'waits' | 'lost'>;
  /** Gone, as if it had never been added. */
  remove(id: string): Promise<void>;
  /**
   * `full`: no room for the result; the job is as it was. `room` null = it is kept whatever there is. `lost`: another process
   * holds it by now, or it is gone; nothing was done.
   */
  finish(
    id: string,
    end: { readonly state: 'succeeded' | 'failed'; readonly result: JobResult; readonly wall: number },
    room: JobRoom | null,
  ): Promise<'finished' | 'full' | 'lost'>;
  find(id: string): Promise<StoredJob | null>;
  /** The job of an idempotency key; null = none. */
  findByRef(ref: string): Promise<StoredJob | null>;
  /** Jobs not finished, the next one first. */
  open(): Promise<readonly StoredJob[]>;
  expire(wall: number): Promise<number>;
  sealKeys(): Promise<readonly string[]>;
}
