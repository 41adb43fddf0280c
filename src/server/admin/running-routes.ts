/** What is under way at this gateway now, with its attempts as they grow (O-5). */
import { DECISIONS } from '../../core/failover/machine.ts';
import { FAILURE_CLASSES } from '../../core/failure.ts';
import { recordOf } from '../../runtime/elsewhere.ts';
import { ATTEMPT_STATES } from '../../runtime/running-attempt.ts';
import {
  finishedRequest,
  RUNNING_STATES,
  type RunningRequest,
  runningRequest,
  runningRequests,
} from '../../runtime/running-requests.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import {
  arrayOf,
  FLAG,
  INSTANT,
  NUMBER,
  NUMBER_OR_NULL,
  object,
  orNull,
  schemaRef,
  TEXT,
  TEXT_OR_NULL,
  TEXTS,
  WHOLE,
  WHOLE_OR_NULL,
} from './openapi-parts.ts';
import { noSuch } from './refusals.ts';

export const RUNNING_SCHEMAS: Readonly<Record<string, object>> = {
  RunningRequest: object({
    id: TEXT,
    client_request_id: TEXT_OR_NULL,
    state: {
      enum: RUNNING_STATES,
      description:
        '`receiving` its body; `admitting`: it waits for its limits or its idempotency key; `joined` to another request’s run; `waiting` before it repeats a target; `answering`; `ending`: what is left when everything failed is tried, or the answer is being kept.',
    },
    at: INSTANT,
    elapsed_ms: NUMBER,
    workspace: { ...TEXT_OR_NULL, description: 'Null: its key has not been looked at yet.' },
    key: TEXT_OR_NULL,
    endpoint: TEXT,
    stream: FLAG,
    requested_model: TEXT_OR_NULL,
    virtual_model: TEXT_OR_NULL,
    chain: TEXTS,
    policy: TEXT_OR_NULL,
    job: { ...orNull(object({ id: TEXT, try: WHOLE })), description: 'The job it is a try of (E-4).' },
    attempts: arrayOf('RunningAttempt'),
  }),
  RunningAttempt: object({
    no: WHOLE,
    model: TEXT,
    channel: TEXT,
    credential: TEXT_OR_NULL,
    started_at: INSTANT,
    state: {
      enum: [...ATTEMPT_STATES, 'served', 'failed', 'interrupted', 'cancelled', 'late_success'],
      description:
        '`waiting` for an answer; `receiving` one of which nothing can be shown yet; `ready`: held back; `streaming` to the client. The others: how it ended.',
    },
    latency_ms: NUMBER,
    ttft_ms: NUMBER_OR_NULL,
    status: WHOLE_OR_NULL,
    class: { enum: [...FAILURE_CLASSES, null] },
    provider_message: TEXT_OR_NULL,
    hedge: FLAG,
    rehearsed: FLAG,
    decision: { enum: [...DECISIONS, null], description: 'Null while it runs.' },
    reason: TEXT_OR_NULL,
  }),
};

export function runningRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/requests/running',
      summary: 'Requests under way at this gateway, the newest 200, newest first, with their attempts so far.',
      needs: 'requests.read',
      parameters: [],
      answer: object({ data: arrayOf('RunningRequest'), total: WHOLE }),
      handle: ({ scope }) => runningRequests(deps.gateway, scope),
    },
    {
      method: 'GET',
      path: '/v1/requests/running/{id}',
      summary:
        'One request under way at this gateway, by its id or the client’s own. One that is over is shown by its id, with the state `finished`.',
      needs: 'requests.read',
      parameters: [],
      answer: schemaRef('RunningRequest'),
      handle: (call) => showRunning(deps, call),
    },
  ];
}

async function showRunning({ gateway }: AdminDeps, { id, scope }: AdminCall): Promise<RunningRequest> {
  const running = runningRequest(gateway, id, scope);
  if (running !== null) return running;
  const record = await recordOf(gateway, id);
  if (record === null || (scope !== null && record.workspace !== scope)) {
    throw noSuch('request', id, '/v1/requests/running');
  }
  return finishedRequest(record);
}
