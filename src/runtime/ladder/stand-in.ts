/** Sends what the ladder found to the client, with everything that says it was not an upstream's answer (E-4, R-1, R-2). */
import { attemptSummaries } from '../../core/errors/final-error.ts';
import type { FailoverState } from '../../core/failover/machine.ts';
import type { Ending } from '../../core/record.ts';
import { buildReport } from '../../core/report.ts';
import type { Delivery } from '../delivery.ts';
import type { Job } from '../job.ts';
import { EVENT_STREAM, errorHeaders, servedHeaders, withJsonHeaders, withStreamHeaders } from '../response-headers.ts';
import type { Queued } from './enqueue.ts';
import type { StandIn } from './rungs.ts';

/** How the request ended for its client. */
export interface Served {
  readonly status: number;
  readonly ending: Ending;
  readonly servedModel: string | null;
  readonly degradedReasons: readonly string[];
  /** Id of the job that will carry it out. */
  readonly job?: string;
}

/** Null = it could not be rendered, and nothing was sent. */
export function serveStandIn(
  job: Job,
  delivery: Delivery,
  { servedModel, degradedReasons, render }: StandIn,
  { state, attempts }: { readonly state: FailoverState; readonly attempts: number },
): Served | null {
  const { chain, identity, request, classic, codec } = job;
  const report = buildReport({
    requestId: identity.requestId,
    attempts,
    requestedModel: chain.requestedModel,
    servedModel,
    degradedReasons,
    failover: chain.entries.length > 1 ? attemptSummaries(state) : null,
  });
  const body = render({ servedModel, report: Buffer.from(JSON.stringify(report)), classic });
  if (body === null || delivery.gone) return null;
  delivery.stopKeepAlive();
  const headers = servedHeaders(identity, { servedModel, attempts, degraded: true });
  const type = codec.streamType?.(request) ?? EVENT_STREAM;
  delivery.open(200, request.stream ? withStreamHeaders(headers, type) : withJsonHeaders(headers, body.length));
  delivery.end(body);
  return { status: 200, ending: 'served', servedModel, degradedReasons };
}

export function tellQueued(job: Job, delivery: Delivery, { id, status, statusUrl }: Queued, attempts: number): Served {
  const body = Buffer.from(JSON.stringify({ status, id, status_url: statusUrl }));
  const headers = errorHeaders(job.identity, {}, attempts);
  delivery.open(202, withJsonHeaders(headers, body.length));
  delivery.end(body);
  return { status: 202, ending: 'queued', servedModel: null, degradedReasons: [], job: id };
}
