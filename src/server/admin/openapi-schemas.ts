/** The admin plane's objects as JSON Schema. */
import { DECISIONS } from '../../core/failover/machine.ts';
import { FAILURE_CLASSES } from '../../core/failure.ts';
import { OUTCOMES } from '../../core/outcome.ts';
import {
  arrayOf,
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
  TEXTS,
  WHOLE,
  WHOLE_OR_NULL,
} from './openapi-parts.ts';

const CLASS_OR_NULL = { enum: [...FAILURE_CLASSES, null] } as const;
const USAGE_OR_NULL = orNull(schemaRef('Usage'));

const SUMMARY = {
  id: TEXT,
  client_request_id: TEXT_OR_NULL,
  at: INSTANT,
  workspace: TEXT,
  key: TEXT_OR_NULL,
  endpoint: TEXT,
  stream: FLAG,
  requested_model: TEXT_OR_NULL,
  served_model: TEXT_OR_NULL,
  chain: TEXTS,
  policy: TEXT,
  status: WHOLE,
  outcome: { enum: OUTCOMES },
  ending: { enum: ['served', 'failed', 'rejected', 'interrupted', 'client_closed', 'replayed', 'joined', 'queued'] },
  error_code: TEXT_OR_NULL,
  degraded: FLAG,
  degraded_reasons: TEXTS,
  idempotency: {
    oneOf: [
      object(
        { key_hash: TEXT, state: TEXT, round: WHOLE, role: TEXT, digest: TEXT_OR_NULL },
        {
          original_request_id: {
            ...TEXT_OR_NULL,
            description: 'The request that made the answer, where it is another one.',
          },
        },
      ),
      { type: 'null' },
    ],
  },
  client_retry: object({ count: WHOLE, how: TEXT_OR_NULL, upstream_calls: WHOLE }),
  upstream_calls: WHOLE,
  latency_ms: NUMBER,
  ttft_ms: NUMBER_OR_NULL,
  usage: USAGE_OR_NULL,
  cost_nano_usd: WHOLE_OR_NULL,
  waste_nano_usd: WHOLE_OR_NULL,
  virtual_model: TEXT_OR_NULL,
};

const JOB = {
  ...object({ id: TEXT, try: WHOLE }),
  description: 'The job it became (`try` 0), or was a try of (E-4). Absent = none.',
};

const ATTEMPT = {
  no: WHOLE,
  id: TEXT,
  model: TEXT,
  channel: TEXT,
  credential: TEXT_OR_NULL,
  provider: TEXT,
  upstream_model: TEXT,
  started_at: INSTANT,
  sent_at: INSTANT_OR_NULL,
  latency_ms: NUMBER,
  ttft_ms: NUMBER_OR_NULL,
  status: WHOLE_OR_NULL,
  result: { enum: ['served', 'failed', 'interrupted', 'cancelled', 'late_success'] },
  class: CLASS_OR_NULL,
  trigger: TEXT_OR_NULL,
  triggers: TEXTS,
  provider_code: TEXT_OR_NULL,
  provider_message: TEXT_OR_NULL,
  provider_request_id: TEXT_OR_NULL,
  retry_after_ms: NUMBER_OR_NULL,
  retry_after_source: TEXT_OR_NULL,
  maybe_executed: FLAG,
  suspicious: FLAG,
  hedge: FLAG,
  decision: { enum: DECISIONS },
  reason: TEXT,
  changes: TEXTS,
  usage: USAGE_OR_NULL,
  cost_nano_usd: WHOLE_OR_NULL,
};

export const RECORD_SCHEMAS: Readonly<Record<string, object>> = {
  Usage: object(
    {
      input_tokens: WHOLE_OR_NULL,
      output_tokens: WHOLE_OR_NULL,
      cached_tokens: WHOLE_OR_NULL,
      reasoning_tokens: WHOLE_OR_NULL,
    },
    { estimated: FLAG },
  ),
  RequestSummary: object(SUMMARY, { job: JOB }),
  RequestRecord: object(
    { ...SUMMARY, stages: arrayOf('Stage'), candidates: arrayOf('Candidate'), attempts: arrayOf('Attempt') },
    {
      job: JOB,
      skipped_groups: { type: 'array', items: object({ skip_reason: TEXT, count: WHOLE }) },
      clamped: { type: 'array', items: object({ field: TEXT, asked: NUMBER, given: NUMBER }) },
      events: { type: 'array', items: {} },
      setup: {},
    },
  ),
  Stage: object(
    { name: { enum: ['receive', 'plan', 'admit', 'upstream', 'deliver'] }, ms: NUMBER },
    { attempts: WHOLE },
  ),
  Candidate: object({
    rank: WHOLE,
    model: TEXT,
    channel: TEXT,
    credential: TEXT_OR_NULL,
    tried: FLAG,
    skip_reason: TEXT_OR_NULL,
    available_at: INSTANT_OR_NULL,
  }),
  Attempt: object(ATTEMPT, {
    rehearsed: { ...FLAG, description: 'It failed on purpose and nobody was called (X-4). Absent = no.' },
  }),
  HealthTarget: object({
    id: TEXT,
    model: TEXT,
    channel: TEXT,
    credential: TEXT_OR_NULL,
    state: { enum: ['ok', 'cooling', 'open', 'half_open', 'drained'] },
    class: CLASS_OR_NULL,
    since: {
      ...INSTANT_OR_NULL,
      description: 'When it came into this trouble; failed probes leave it as it is. Null while it is `ok`.',
    },
    until: INSTANT_OR_NULL,
    probe_at: INSTANT_OR_NULL,
    level: WHOLE,
    calls: WHOLE,
    failures: WHOLE,
  }),
  Error: object({
    error: object({ message: TEXT, type: TEXT, code: TEXT_OR_NULL, param: TEXT_OR_NULL, request_id: TEXT }),
  }),
};
