import { describe, expect, it } from 'vitest';
import type { AttemptRecord, RequestRecord } from '../core/record.ts';
import { COLOURED, choosePaint, PLAIN } from './paint.ts';
import { formatMs, renderTrace } from './render-trace.ts';

const ATTEMPT: AttemptRecord = {
  no: 1,
  id: 'att_1',
  model: 'a/one',
  channel: 'direct',
  credential: 'team-key',
  provider: 'a',
  upstream_model: 'one',
  started_at: '2026-11-29T10:00:00.000Z',
  sent_at: '2026-11-29T10:00:00.001Z',
  latency_ms: 120.4,
  ttft_ms: null,
  status: 429,
  result: 'failed',
  class: 'rate_limit',
  trigger: 'rate_limit',
  triggers: ['rate_limit'],
  provider_code: 'rate_limit_exceeded',
  provider_message: 'slow down',
  provider_request_id: null,
  retry_after_ms: 30_000,
  retry_after_source: 'header:retry-after',
  maybe_executed: false,
  suspicious: false,
  hedge: false,
  decision: 'next_model',
  reason: 'rate limited; next model in chain',
  changes: [],
  usage: null,
  cost_nano_usd: 0,
};

const RECORD: RequestRecord = {
  id: 'req_1',
  client_request_id: null,
  at: '2026-11-29T10:00:00.000Z',
  workspace: 'acme',
  key: 'dev',
  endpoint: 'chat',
  stream: true,
  requested_model: 'a/one',
  served_model: 'b/two',
  chain: ['a/one', 'b/two'],
  policy: 'standard',
  status: 200,
  outcome: 'success',
  ending: 'served',
  error_code: null,
  degraded: true,
  degraded_reasons: ['model'],
  idempotency: null,
  client_retry: { count: 0, how: null, upstream_calls: 2 },
  upstream_calls: 2,
  latency_ms: 853.1,
  ttft_ms: 640,
  usage: { input_tokens: 10, output_tokens: 5, cached_tokens: 0, reasoning_tokens: 0 },
  cost_nano_usd: 1200,
  waste_nano_usd: 29_000,
  virtual_model: null,
  stages: [
    { name: 'receive', ms: 0.4 },
    { name: 'upstream', ms: 812, attempts: 2 },
  ],
  candidates: [
    {
      rank: 1,
      model: 'a/one',
      channel: 'direct',
      credential: 'team-key',
      tried: true,
      skip_reason: null,
      available_at: null,
    },
    {
      rank: 2,
      model: 'a/one',
      channel: 'eu',
      credential: null,
      tried: false,
      skip_reason: 'cooling_rate_limit',
      available_at: '2026-11-29T10:01:00.000Z',
    },
    { rank: 3, model: 'b/two', channel: 'b', credential: null, tried: true, skip_reason: null, available_at: null },
    { rank: 4, model: 'b/two', channel: 'c', credential: null, tried: false, skip_reason: null, available_at: null },
    {
      rank: 5,
      model: 'b/two',
      channel: 'd',
      credential: null,
      tried: false,
      skip_reason: 'circuit_open',
      available_at: null,
    },
  ],
  attempts: [
    ATTEMPT,
    {
      ...ATTEMPT,
      no: 2,
      model: 'b/two',
      channel: 'b',
      credential: null,
      status: 200,
      result: 'served',
      class: null,
      provider_code: null,
      provider_message: null,
      retry_after_ms: null,
      retry_after_source: null,
      ttft_ms: 640,
      latency_ms: 690,
      decision: 'serve',
      reason: 'first content arrived',
      changes: ['dropped: seed'],
    },
  ],
};

describe('renderTrace', () => {
  it('O-5: request line, stages, candidates and attempts as a tree', () => {
    expect(renderTrace(RECORD, PLAIN)).toBe(
      `req_1  200 served  853 ms
2026-11-29T10:00:00.000Z  chat stream  workspace acme, key dev, policy standard
model a/one, answered by b/two
chain a/one → b/two
degraded: model
① receive 0.4 ms   ④ upstream 812 ms · 2 attempts

Candidates (ranked, not necessarily called)
├─ 1. a/one via direct (team-key)  tried
├─ 2. a/one via eu  left out: cooling_rate_limit until 2026-11-29T10:01:00.000Z
├─ 3. b/two via b  tried
├─ 4. b/two via c  not reached
└─ 5. b/two via d  behind the others: circuit_open

Attempts
├─ 1. a/one via direct (team-key)  failed 429 rate_limit  120 ms
│     upstream said: rate_limit_exceeded: slow down
│     asked to wait 30.0 s (header:retry-after)
│     → next_model: rate limited; next model in chain
└─ 2. b/two via b  served 200  690 ms, first token after 640 ms
      changed on the way: dropped: seed
      → serve: first content arrived

tokens: 10 in, 5 out; cost 0.0000012 USD; wasted 0.000029 USD`,
    );
  });

  it('O-5: a request that called nobody says so, with its error code', () => {
    const rejected: RequestRecord = {
      ...RECORD,
      status: 404,
      ending: 'rejected',
      error_code: 'model_not_found',
      served_model: null,
      key: null,
      degraded: false,
      chain: [],
      stages: [],
      candidates: [],
      attempts: [],
      usage: null,
    };
    expect(renderTrace(rejected, PLAIN)).toBe(
      `req_1  404 rejected model_not_found  853 ms
2026-11-29T10:00:00.000Z  chat stream  workspace acme, key (none), policy standard
model a/one, answered by nobody

No upstream was called.`,
    );
  });

  it('C-6: a virtual model is named with the chain it stood for, of one model too', () => {
    const text = renderTrace({ ...RECORD, virtual_model: 'smart' }, PLAIN);
    expect(text.split('\n')).toContain('virtual model smart: chain a/one → b/two');
    const one = { ...RECORD, virtual_model: 'smart', chain: ['b/two'] };
    expect(renderTrace(one, PLAIN)).toContain('virtual model smart: chain b/two\n');
  });

  it('O-5: shows what may have been executed, clamps, client retries and grouped candidates', () => {
    const text = renderTrace(
      {
        ...RECORD,
        client_retry: { count: 2, how: 'header', upstream_calls: 9 },
        clamped: [{ field: 'max_attempts', asked: 20, given: 3 }],
        skipped_groups: [{ skip_reason: 'drained', count: 7 }],
        attempts: [{ ...ATTEMPT, status: null, class: 'timeout', maybe_executed: true }],
      },
      PLAIN,
    );
    expect(text).toContain("the client's own retry no. 2 (header): 9 upstream calls for this business request so far");
    expect(text).toContain('max_attempts 20 clamped to 3');
    expect(text).toContain('and 7 more left out: drained');
    expect(text).toContain('failed no answer timeout');
    expect(text).toContain('may have done the work');
  });

  it('X-4: what failed on purpose says so', () => {
    const text = renderTrace({ ...RECORD, attempts: [{ ...ATTEMPT, rehearsed: true }] }, PLAIN);
    expect(text).toContain('rehearsed: it failed on purpose, no upstream was called');
    expect(text).toContain('as if the upstream had said: rate_limit_exceeded: slow down');
    expect(text).not.toContain('  upstream said');
  });

  it('E-5: texts from elsewhere can not steer the terminal', () => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\r\nfake';
    const text = renderTrace(
      { ...RECORD, requested_model: evil, attempts: [{ ...ATTEMPT, provider_message: evil }] },
      PLAIN,
    );
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(text.split('\n').some((line) => line.startsWith('fake'))).toBe(false);
  });

  it('colours change nothing but colours', () => {
    const coloured = renderTrace(RECORD, COLOURED);
    expect(coloured).toContain('\u001b[31m');
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(renderTrace(RECORD, PLAIN));
  });
});

describe('choosePaint', () => {
  it('colours only on a terminal, and never against NO_COLOR', () => {
    expect(choosePaint(true, {})).toBe(COLOURED);
    expect(choosePaint(false, {})).toBe(PLAIN);
    expect(choosePaint(true, { NO_COLOR: '1' })).toBe(PLAIN);
    expect(choosePaint(true, { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(PLAIN);
    expect(choosePaint(true, { NO_COLOR: '' })).toBe(COLOURED);
    expect(choosePaint(true, { TERM: 'dumb' })).toBe(PLAIN);
    expect(choosePaint(false, { FORCE_COLOR: '1' })).toBe(COLOURED);
    expect(choosePaint(true, { FORCE_COLOR: '0' })).toBe(PLAIN);
  });
});

describe('formatMs', () => {
  it.each([
    [0.42, '0.4 ms'],
    [12.6, '13 ms'],
    [1204, '1.2 s'],
    [90_000, '1.5 min'],
  ])('%d', (ms, text) => expect(formatMs(ms)).toBe(text));
});
