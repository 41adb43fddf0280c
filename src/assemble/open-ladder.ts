/** E-4's ladder of one process: kept answers, queued requests, and what is done for them from time to time. */

import type { Snapshot } from '../config/snapshot.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import { quotedName } from '../core/quoted-name.ts';
import type { Cancel } from '../ports/clock.ts';
import type { JobResult, StoredJob } from '../ports/job-store.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import type { Store } from '../ports/store.ts';
import type { Gateway } from '../runtime/gateway.ts';
import { JobQueue, SWEEP_MS } from '../runtime/ladder/job-queue.ts';
import { jobError, tryJob } from '../runtime/ladder/job-try.ts';
import type { Ladder } from '../runtime/ladder/ladder.ts';
import type { DataRoute } from '../runtime/reception.ts';
import { DATA_ROUTES, JOB_ROUTES } from '../server/data-routes.ts';

export interface LadderParts {
  readonly store: Pick<Store, 'kept' | 'jobs' | 'clock' | 'kind' | 'notifier'>;
  /** The gateway it becomes a part of. */
  readonly gateway: () => Gateway;
}

export interface OpenLadder extends Ladder {
  /** Takes up the jobs that are there, now or as soon as the disk lets it. Never rejects. */
  start(): Promise<void>;
  /** Deletes what has expired, and answers of workspaces that keep none any more. Never rejects. */
  tidy(): Promise<void>;
  /** Ids of the keys that its bytes were sealed with. */
  sealKeys(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** After a start on a disk that can't be read: jobs of the process before are taken up as soon as it can. */
const SOON_MS = 1000;

export function openLadder({ store, gateway }: LadderParts): OpenLadder {
  const { kept, clock } = store;
  const jobs = new JobQueue({
    store: store.jobs,
    clock,
    routes: JOB_ROUTES,
    runTry: (job, order, route, cuttable) => tryJob(gateway(), job, { order, route }, cuttable),
    render: (route, error) => renderedFor(gateway(), route, error),
    isDraining: () => gateway().leaving,
    ...(store.kind === 'sqlite' ? {} : { others: store.notifier }),
    onFinished: (job, how, result) => tellFinished(gateway(), job, how, result),
    onBug: (error) => gateway().reportBug(error, 'job'),
  });
  let cancel: Cancel | null = null;
  let closed = false;
  const tidy = async (): Promise<void> => {
    try {
      await Promise.all([kept.forget(clock.wall(), keepers(gateway().snapshot())), jobs.expire()]);
    } catch (error) {
      // Another time: nothing of it is given out after its hour.
      if (!(error instanceof StateStoreUnavailable)) gateway().reportBug(error, 'ladder');
    }
  };
  const sweep = (): void => {
    if (closed) return;
    cancel = clock.after(SWEEP_MS, () => void tidy().then(sweep));
  };
  const start = async (): Promise<void> => {
    try {
      await jobs.start();
      await tidy();
      sweep();
    } catch (error) {
      if (!(error instanceof StateStoreUnavailable)) gateway().reportBug(error, 'ladder');
      if (!closed) cancel = clock.after(SOON_MS, () => void start());
    }
  };
  return {
    kept,
    jobs,
    start,
    tidy,
    sealKeys: async () => [...(await kept.sealKeys()), ...(await jobs.sealKeys())],
    async close() {
      closed = true;
      cancel?.();
      await jobs.close();
    },
  };
}

function keepers({ workspaces }: Snapshot): ReadonlySet<string> {
  return new Set([...workspaces.values()].flatMap(({ name, answers }) => (answers === null ? [] : [name])));
}

/** An error of no try; of an endpoint that is gone, in the common form. */
function renderedFor(gateway: Gateway, route: DataRoute | undefined, error: GatewayError): JobResult {
  const [known] = DATA_ROUTES.values();
  const identity = { requestId: gateway.newId('req_'), clientRequestId: null };
  return jobError(gateway, route ?? known!, identity, error);
}

/** G-7. One message for all jobs of a key: a busy queue must not push other events out of sight. */
function tellFinished(gateway: Gateway, job: StoredJob, how: 'succeeded' | 'failed', result: JobResult): void {
  const { requestId, status } = result;
  const message = `a queued request of key ${quotedName(job.key)} has ${how}`;
  gateway.alerts.raise({
    kind: 'job.finished',
    message,
    requestId,
    at: gateway.clock.wall(),
    workspace: job.workspace,
    data: { job: job.id, status_url: `/v1/jobs/${job.id}`, key: job.key, state: how, status, queued_by: job.requestId },
  });
}
