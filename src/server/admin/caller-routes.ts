/** What callers read of themselves on the data plane, as the API's description tells it (G-8, G-11, E-4). */
import {
  FLAG,
  INSTANT,
  INSTANT_OR_NULL,
  NUMBER,
  NUMBER_OR_NULL,
  object,
  orNull,
  schemaRef,
  TEXT,
  TEXT_OR_NULL,
  WHOLE,
  WHOLE_OR_NULL,
} from './openapi-parts.ts';
import { RECORD_SCHEMAS } from './openapi-schemas.ts';

export interface CallerRoute {
  /** As documented: `/v1/requests/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** Schema of the answer. */
  readonly shape: string;
  /** Security schemes, of which one is needed. */
  readonly tokens: readonly string[];
}

export const CALLER_ROUTES: readonly CallerRoute[] = [
  {
    path: '/v1/key',
    summary: 'What the key of the call may, has used and has left.',
    shape: 'OwnKey',
    tokens: ['client'],
  },
  {
    path: '/v1/requests/{id}',
    summary: 'How a request of the key, or for a member of its workspace, went; without its routing trace.',
    shape: 'OwnRequest',
    tokens: ['client', 'admin', 'session'],
  },
  {
    path: '/v1/jobs/{id}',
    summary: 'How a queued request of the key is doing, and its answer once it is there.',
    shape: 'OwnJob',
    tokens: ['client'],
  },
];

const PERIOD = object({ from: INSTANT, to: INSTANT, requests: WHOLE, tokens: WHOLE, spend_usd: NUMBER });
const LIMITS = { type: ['object', 'null'], description: 'As in the configuration file; null = there are none.' };
const LEFT = {
  type: ['object', 'null'],
  additionalProperties: NUMBER,
  description: 'Of each limit there is, by its name; null = there are none.',
};

const { properties: recorded } = RECORD_SCHEMAS['RequestSummary'] as {
  readonly properties: Readonly<Record<string, object>>;
};

/** Members that a client's request is shown with, each as in the record. */
export const OWN_REQUEST_FIELDS = [
  'id',
  'client_request_id',
  'at',
  'workspace',
  'key',
  'endpoint',
  'stream',
  'requested_model',
  'served_model',
  'status',
  'outcome',
  'ending',
  'error_code',
  'degraded',
  'degraded_reasons',
  'latency_ms',
  'ttft_ms',
  'usage',
  'cost_nano_usd',
] as const;

export const CALLER_SCHEMAS: Readonly<Record<string, object>> = {
  OwnKey: object({
    name: TEXT,
    workspace: TEXT,
    state: { enum: ['ok', 'suspended', 'banned'] },
    suspended_until: INSTANT_OR_NULL,
    expires_at: INSTANT_OR_NULL,
    models: { type: 'array', items: TEXT, description: 'Patterns of models it may call.' },
    limits: LIMITS,
    usage: object({ in_flight: WHOLE, day: PERIOD, month: PERIOD }),
    remaining: LEFT,
    workspace_limits: LIMITS,
    workspace_remaining: LEFT,
    balance: object({ prepaid: FLAG, balance_usd: NUMBER_OR_NULL, available_usd: NUMBER_OR_NULL }),
  }),
  OwnRequest: object(Object.fromEntries(OWN_REQUEST_FIELDS.map((field) => [field, recorded[field]!]))),
  OwnJob: object({
    id: TEXT,
    object: { const: 'job' },
    status: { enum: ['processing', 'succeeded', 'failed'] },
    status_url: TEXT,
    request_id: TEXT,
    created_at: INSTANT,
    finished_at: INSTANT_OR_NULL,
    expires_at: INSTANT,
    tries: WHOLE,
    max_tries: WHOLE,
    status_code: { ...WHOLE_OR_NULL, description: 'That the answer would have had.' },
    result_request_id: TEXT_OR_NULL,
    result: { description: 'The answer, byte for byte; null until it has succeeded.' },
    error: orNull(schemaRef('JobError')),
  }),
  JobError: { type: 'object', description: 'The error object the answer would have had.' },
};
