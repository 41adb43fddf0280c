/** Record drafts for tests of everything that stores, counts or shows them. */
import type { AttemptRecord, RecordDraft, SnapshotNames } from '../../src/core/record.ts';

const FIRST_AT = Date.UTC(2026, 10, 29, 10, 0, 0);

/** Wall ms of the `n`th sample draft: one second apart. */
export function sampleAt(n: number): number {
  return FIRST_AT + n * 1000;
}

/** `req_` and the number with leading zeros: sorts like the number. */
export function sampleId(n: number): string {
  return `req_${String(n).padStart(8, '0')}`;
}

export const SAMPLE_NAMES: SnapshotNames = {
  version: 3,
  models: ['openai/gpt-5-nano', 'anthropic/claude-sonnet'],
  channels: [
    [0, 'direct'],
    [1, 'eu'],
  ],
  credentials: ['acme-openai', 'platform-anthropic'],
};

export function sampleAttempt(no: number, change: Partial<AttemptRecord> = {}): AttemptRecord {
  const failed = no === 1;
  return {
    no,
    id: `att_${no}`,
    model: failed ? 'openai/gpt-5-nano' : 'anthropic/claude-sonnet',
    channel: failed ? 'direct' : 'eu',
    credential: failed ? 'acme-openai' : 'platform-anthropic',
    provider: failed ? 'openai' : 'anthropic',
    upstream_model: failed ? 'gpt-5-nano' : 'claude-sonnet',
    started_at: '2026-11-29T10:00:00.000Z',
    sent_at: '2026-11-29T10:00:00.001Z',
    latency_ms: 120.25,
    ttft_ms: failed ? null : 60,
    status: failed ? 429 : 200,
    result: failed ? 'failed' : 'served',
    class: failed ? 'rate_limit' : null,
    trigger: failed ? 'rate_limit' : null,
    triggers: failed ? ['rate_limit'] : [],
    provider_code: failed ? 'rate_limit_exceeded' : null,
    provider_message: failed ? 'Rate limit reached; try again in 30 s.' : null,
    provider_request_id: 'req_up',
    retry_after_ms: failed ? 30_000 : null,
    retry_after_source: failed ? 'header:retry-after' : null,
    maybe_executed: false,
    suspicious: false,
    hedge: false,
    decision: failed ? 'next_model' : 'serve',
    reason: failed ? 'rate limited; the wait does not fit; next model' : 'served',
    changes: [],
    usage: failed ? null : { input_tokens: 10, output_tokens: 5, cached_tokens: 0, reasoning_tokens: 0 },
    cost_nano_usd: failed ? 0 : 1200,
    ...change,
  };
}

/** The `n`th sample: two attempts, served by the second model of its chain. */
export function sampleDraft(n: number, change: Partial<RecordDraft> = {}): RecordDraft {
  return {
    id: sampleId(n),
    client_request_id: null,
    at: new Date(sampleAt(n)).toISOString(),
    workspace: 'acme',
    key: 'dev',
    endpoint: 'chat',
    stream: true,
    requested_model: 'openai/gpt-5-nano',
    served_model: 'anthropic/claude-sonnet',
    chain: ['openai/gpt-5-nano', 'anthropic/claude-sonnet'],
    policy: 'standard',
    status: 200,
    outcome: 'success',
    ending: 'served',
    error_code: null,
    degraded: true,
    degraded_reasons: ['model'],
    idempotency: { key_hash: 'cafe01', state: 'succeeded', round: 1, role: 'owner' },
    client_retry: { count: 0, how: null, upstream_calls: 2 },
    upstream_calls: 2,
    latency_ms: 853.1,
    ttft_ms: 640,
    usage: { input_tokens: 10, output_tokens: 5, cached_tokens: 0, reasoning_tokens: 0 },
    cost_nano_usd: 1200,
    waste_nano_usd: 30,
    virtual_model: 'smart',
    snapshotVersion: 3,
    stages: [
      { name: 'receive', ms: 0.4 },
      { name: 'upstream', ms: 812, attempts: 2 },
    ],
    candidates: [
      [1, 0, 0, 0, 1, -1, 0],
      [2, 1, 1, 1, 1, -1, 0],
      [3, 1, 1, -1, 0, 0, sampleAt(60)],
    ],
    attempts: [sampleAttempt(1), sampleAttempt(2)],
    clamped: [{ field: 'max_attempts', asked: 20, given: 10 }],
    setup: null,
    events: [{ type: 'begin', now: 1.5, wall: sampleAt(n), random: 0.5 }],
    ...change,
  };
}

/** A request that one attempt at its own model served. */
export function plainDraft(n: number, change: Partial<RecordDraft> = {}): RecordDraft {
  return sampleDraft(n, {
    served_model: 'openai/gpt-5-nano',
    chain: ['openai/gpt-5-nano'],
    degraded: false,
    degraded_reasons: [],
    idempotency: null,
    attempts: [sampleAttempt(1, { status: 200, result: 'served', class: null, decision: 'serve', cost_nano_usd: 900 })],
    ...change,
  });
}
