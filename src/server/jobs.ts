/** `GET /v1/jobs/{id}`: how a queued request of the caller's own is doing, and its answer once it is there (E-4). */
import type { FastifyInstance } from 'fastify';
import { gatewayError } from '../core/errors/catalogue.ts';
import { quotedName } from '../core/quoted-name.ts';
import type { JobResult, StoredJob } from '../ports/job-store.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import { recognise } from '../runtime/authenticate.ts';
import type { Gateway } from '../runtime/gateway.ts';
import { isOf, statusOf, urlOf } from '../runtime/ladder/enqueue.ts';
import { requestIdOf, sendError } from './error-reply.ts';

export function registerJobs(app: FastifyInstance, gateway: Gateway): void {
  app.get<{ Params: { id: string } }>('/v1/jobs/:id', async (request, reply) => {
    requestIdOf(gateway, reply);
    reply.header('cache-control', 'no-store');
    const { principal } = await recognise(gateway, request.raw);
    if (!principal.ok) return sendError(gateway, reply, principal.error);
    const { id } = request.params;
    const { key } = principal.value;
    try {
      const job = await gateway.ladder.jobs.find(id);
      if (job === null || !isOf(job, key)) {
        const message = `there is no job ${quotedName(id, 64)} of yours; jobs and their results are kept for 24 hours`;
        return sendError(gateway, reply, gatewayError('not_found', message));
      }
      const wait = waitSeconds(job, gateway.clock.wall());
      if (wait !== null) reply.header('retry-after', String(wait));
      return reply.type('application/json').send(shown(job));
    } catch (error) {
      if (!(error instanceof StateStoreUnavailable)) throw error;
      return sendError(gateway, reply, storeUnavailable(gateway.clock.wall()));
    }
  });
}

function storeUnavailable(wall: number) {
  const message = 'the store cannot be read at the moment; ask again';
  return gatewayError('store_unavailable', message, { shouldRetry: true, retryAt: wall + 1000 });
}

/** When asking again makes sense; null = it has finished. */
function waitSeconds({ finishedAt, state, dueAt }: StoredJob, wall: number): number | null {
  if (finishedAt !== null) return null;
  const wait = state === 'waiting' ? Math.ceil((dueAt - wall) / 1000) : 1;
  return Math.min(Math.max(wait, 1), 60);
}

/** The answer's own bytes stand in it as they are: numbers keep their digits, unknown fields their place. */
function shown(job: StoredJob): Buffer {
  const { result } = job;
  const head = JSON.stringify({
    id: job.id,
    object: 'job',
    status: statusOf(job),
    status_url: urlOf(job.id),
    request_id: job.requestId,
    created_at: instant(job.at),
    finished_at: job.finishedAt === null ? null : instant(job.finishedAt),
    expires_at: instant(job.expiresAt),
    tries: job.tries,
    max_tries: job.maxTries,
    status_code: result?.status ?? null,
    result_request_id: result?.requestId ?? null,
  });
  const [answer, error] = job.state === 'succeeded' ? [bytesOf(result), NULL] : [NULL, errorOf(result)];
  const parts = [head.slice(0, -1), ',"result":', answer, ',"error":', error, '}'];
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

const NULL = Buffer.from('null');

function bytesOf(result: JobResult | null): Uint8Array {
  return result?.body ?? NULL;
}

/** The error object of the dialect; a body that has none stands there whole. */
function errorOf(result: JobResult | null): Uint8Array {
  if (result === null) return NULL;
  const body: unknown = JSON.parse(Buffer.from(result.body).toString('utf8'));
  const inner = typeof body === 'object' && body !== null && 'error' in body ? body.error : body;
  return typeof inner === 'object' && inner !== null ? Buffer.from(JSON.stringify(inner)) : result.body;
}

function instant(wall: number): string {
  return new Date(wall).toISOString();
}
