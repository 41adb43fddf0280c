/** Writes down what became of a queued request, however long the disk takes (E-4). */
import { gatewayError } from '../../core/errors/catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JobResult, JobRoom, JobStore, StoredJob } from '../../ports/job-store.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import type { DataRoute } from '../reception.ts';

export interface JobWritesOptions {
  readonly store: JobStore;
  readonly clock: Clock;
  /** An error as the client of a path would see it, for jobs that no try ended. */
  readonly render: (route: DataRoute | undefined, error: ReturnType<typeof gatewayError>) => JobResult;
  readonly onFinished: (job: StoredJob, state: 'succeeded' | 'failed', result: JobResult) => void;
}

const MIB = 1024 * 1024;
/** A queue that is longer answers nobody in time; one key takes a quarter of the disk at most. */
export const ROOM: JobRoom = { open: 1000, openOfKey: 100, bytes: 512 * MIB, bytesOfKey: 128 * MIB };
/** How long a disk that can't be written is left alone. */
export const RETRY_MS = 1000;

export class JobWrites {
  readonly #options: JobWritesOptions;
  #closed = false;

  constructor(options: JobWritesOptions) {
    this.#options = options;
  }

  /** The process stops: what can't be written now is for the next start to judge. */
  close(): void {
    this.#closed = true;
  }

  /** The end of a job, told once it is written. Rejects with `StateStoreUnavailable`. */
  async finish(job: StoredJob, state: 'succeeded' | 'failed', result: JobResult): Promise<void> {
    const { store, clock, onFinished } = this.#options;
    const kept = await store.finish(job.id, { state, result, wall: clock.wall() }, state === 'failed' ? null : ROOM);
    if (kept === 'finished') onFinished(job, state, result);
    if (kept === 'full') await this.finish(job, 'failed', this.#tooMuch(result));
  }

  /** It was answered, but there is no room for what it was. */
  #tooMuch({ requestId }: JobResult): JobResult {
    const message =
      'this job was answered, but no room is left to keep its answer; ask for less, or queue fewer requests';
    return { ...this.#options.render(undefined, gatewayError('result_not_stored', message)), requestId };
  }

  /** Again and again until it is written, or the process stops. */
  async insist(write: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await write();
        return;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (this.#closed) return;
        await new Promise<void>((done) => void this.#options.clock.after(RETRY_MS, done));
      }
    }
  }
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof StateStoreUnavailable;
}
