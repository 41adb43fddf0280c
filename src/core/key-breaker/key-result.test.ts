import { describe, expect, it } from 'vitest';
import { type EndedRequest, keyResult } from './key-result.ts';

const SERVED: EndedRequest = { status: 200, ending: 'served', outcome: 'success', error_code: null };

describe('what counts for a key', () => {
  it.each<[string, Partial<EndedRequest>, ReturnType<typeof keyResult>]>([
    ['a whole answer', {}, 'success'],
    ['a refusal as an answer (F-5)', { outcome: 'safety_refusal' }, 'success'],
    [
      'a 400 of the gateway',
      { status: 400, ending: 'rejected', outcome: 'client_error', error_code: 'x' },
      'caller_fault',
    ],
    [
      'a key at its limits',
      { status: 429, ending: 'rejected', outcome: 'client_error', error_code: 'key_rate_limited' },
      'caller_fault',
    ],
    [
      'content the provider refuses',
      { status: 400, ending: 'failed', outcome: 'safety_refusal', error_code: 'content_policy_violation' },
      'caller_fault',
    ],
    [
      'all models failed',
      { status: 502, ending: 'failed', outcome: 'upstream_unavailable', error_code: 'all_models_failed' },
      'upstream_fault',
    ],
    [
      'an upstream at its limits',
      { status: 429, ending: 'failed', outcome: 'upstream_rate_limited', error_code: 'rate_limit_exceeded' },
      'upstream_fault',
    ],
    [
      'an unknown outcome',
      { status: 504, ending: 'failed', outcome: 'network_unknown', error_code: 'upstream_timeout' },
      'upstream_fault',
    ],
    [
      'a stream that broke off',
      { ending: 'interrupted', outcome: 'upstream_unavailable', error_code: 'stream_interrupted' },
      'upstream_fault',
    ],
    [
      'a failure inside an open stream',
      { ending: 'failed', outcome: 'upstream_unavailable', error_code: 'all_models_failed' },
      'upstream_fault',
    ],
    [
      'every target at rest',
      { status: 429, ending: 'rejected', outcome: 'upstream_rate_limited', error_code: 'rate_limited' },
      null,
    ],
    [
      'a store that is away (H-5)',
      { status: 503, ending: 'rejected', outcome: 'client_error', error_code: 'store_unavailable' },
      null,
    ],
    [
      'a conflict',
      { status: 409, ending: 'rejected', outcome: 'client_error', error_code: 'request_in_progress' },
      null,
    ],
    ['a client that left', { status: 499, ending: 'client_closed', outcome: 'client_error' }, null],
    ['a client that left an open stream', { ending: 'client_closed', outcome: 'network_unknown' }, null],
    [
      'a suspended key',
      { status: 429, ending: 'rejected', outcome: 'client_error', error_code: 'api_key_suspended' },
      null,
    ],
    ['a banned key', { status: 403, ending: 'rejected', outcome: 'client_error', error_code: 'api_key_banned' }, null],
    [
      'a gateway that stops',
      { status: 503, ending: 'rejected', outcome: 'upstream_unavailable', error_code: 'draining' },
      null,
    ],
  ])('G-6: %s', (_what, ended, expected) => {
    expect(keyResult({ ...SERVED, ...ended })).toBe(expected);
  });
});
