import { describe, expect, it } from 'vitest';
import { FAILURE_CLASSES } from './failure.ts';
import { type OutcomeFacts, outcomeOf } from './outcome.ts';
import type { Outcome } from './record.ts';

const FAILED: OutcomeFacts = {
  ending: 'failed',
  status: 502,
  errorCode: null,
  failureClass: null,
  maybeExecuted: false,
};

const cases: readonly (readonly [string, Partial<OutcomeFacts>, Outcome])[] = [
  ['a served answer', { ending: 'served', status: 200 }, 'success'],
  ['a replayed answer', { ending: 'replayed', status: 200 }, 'success'],
  ['a replayed failure', { ending: 'replayed', status: 503, failureClass: 'overloaded' }, 'upstream_unavailable'],
  ['a joined failure', { ending: 'joined', status: 429, failureClass: 'rate_limit' }, 'upstream_rate_limited'],
  ['a queued request', { ending: 'queued', status: 202 }, 'success'],
  ['a served answer after failures', { ending: 'served', status: 200, failureClass: 'timeout' }, 'success'],
  ['a served refusal (F-5)', { ending: 'served', status: 200, content: 'refusal' }, 'safety_refusal'],
  ['a served filter verdict (F-5)', { ending: 'served', status: 200, content: 'filtered' }, 'safety_refusal'],
  ['an empty but complete answer', { ending: 'served', status: 200, content: 'empty' }, 'success'],
  ['content policy as an error', { status: 400, failureClass: 'content_policy' }, 'safety_refusal'],
  ['content policy by code', { status: 400, errorCode: 'content_policy_violation' }, 'safety_refusal'],
  ['an unknown model', { ending: 'rejected', status: 404, errorCode: 'model_not_found' }, 'client_error'],
  ['a wrong key', { ending: 'rejected', status: 401, errorCode: 'invalid_api_key' }, 'client_error'],
  ['the key’s own limit', { ending: 'rejected', status: 429, errorCode: 'key_rate_limited' }, 'client_error'],
  ['a chain at rest (P-4)', { ending: 'rejected', status: 429, errorCode: 'rate_limited' }, 'upstream_rate_limited'],
  ['an account without credit', { status: 429, errorCode: 'insufficient_quota' }, 'upstream_rate_limited'],
  ['draining', { ending: 'rejected', status: 503, errorCode: 'draining' }, 'upstream_unavailable'],
  ['all models rate limited (E-2)', { status: 429, errorCode: 'all_models_failed' }, 'upstream_rate_limited'],
  [
    'all models failed, the last by a rate limit',
    { status: 502, errorCode: 'all_models_failed', failureClass: 'rate_limit' },
    'upstream_unavailable',
  ],
  [
    'all models failed, the last by a stop class of the fallback (E-3)',
    { status: 502, errorCode: 'all_models_failed', failureClass: 'invalid_request' },
    'upstream_unavailable',
  ],
  [
    'all models failed, the last maybe executed',
    { status: 502, errorCode: 'all_models_failed', maybeExecuted: true },
    'network_unknown',
  ],
  ['a budget over rate limits', { status: 429, errorCode: 'retry_exhausted' }, 'upstream_rate_limited'],
  ['a budget of time', { status: 504, errorCode: 'retry_exhausted' }, 'upstream_unavailable'],
  ['strict, maybe executed', { status: 504, errorCode: 'upstream_outcome_unknown' }, 'network_unknown'],
  ['a timeout after sending', { status: 504, failureClass: 'timeout', maybeExecuted: true }, 'network_unknown'],
  ['a timeout before sending', { status: 504, failureClass: 'timeout' }, 'upstream_unavailable'],
  ['a refused credential', { status: 502, failureClass: 'auth' }, 'upstream_unavailable'],
  ['too long an input', { status: 400, failureClass: 'context_length' }, 'client_error'],
  ['a stream that broke off', { ending: 'interrupted', status: 200, maybeExecuted: true }, 'network_unknown'],
  [
    'a stream ended by an upstream error',
    { ending: 'interrupted', status: 200, failureClass: 'overloaded' },
    'upstream_unavailable',
  ],
  [
    'a stream ended by the filter',
    { ending: 'interrupted', status: 200, failureClass: 'content_policy' },
    'safety_refusal',
  ],
  ['a client that left before any call', { ending: 'client_closed', status: 499 }, 'client_error'],
  [
    'a client that left during a call',
    { ending: 'client_closed', status: 499, maybeExecuted: true },
    'network_unknown',
  ],
  ['a passed-on 429 without class', { status: 429 }, 'upstream_rate_limited'],
  ['a passed-on 4xx without class', { status: 418 }, 'client_error'],
  ['a bug', { status: 500, errorCode: 'internal_error' }, 'upstream_unavailable'],
];

describe('outcomeOf', () => {
  it.each(cases)('O-1: %s', (_name, facts, expected) => {
    expect(outcomeOf({ ...FAILED, ...facts })).toBe(expected);
  });

  it('O-1: every class has one of the six outcomes', () => {
    const outcomes = FAILURE_CLASSES.map((failureClass) => outcomeOf({ ...FAILED, failureClass }));
    expect(new Set(outcomes)).toEqual(
      new Set(['upstream_rate_limited', 'upstream_unavailable', 'client_error', 'safety_refusal']),
    );
  });
});
