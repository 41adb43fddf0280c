import { describe, expect, it } from 'vitest';
import { optionsOf } from '../../../sim/virtual/layout.ts';
import { failing, OUTCOMES, type Outcome } from '../../../sim/virtual/outcome.ts';
import { type TraceInput, traceOf } from '../../../sim/virtual/trace.ts';
import { finalError } from '../errors/final-error.ts';
import type { SkipReason } from '../failover/plan-types.ts';
import type { FailureClass } from '../failure.ts';
import { climbs } from './when.ts';

function climbed(input: TraceInput): boolean {
  const { state } = traceOf(input);
  return climbs(state, finalError(state, { wallNow: state.at.wall }).code);
}

const of = (failureClass: FailureClass): Outcome => failing({ class: failureClass });
const direct = (failureClass: FailureClass, policy: 'standard' | 'strict' | 'permissive') =>
  climbed({ targets: 'a:A1', options: optionsOf({ policy, retries: 0 }), script: [of(failureClass)] });

const HEALING: FailureClass[] = [
  'connection_error',
  'timeout',
  'rate_limit',
  'quota_exhausted',
  'overloaded',
  'server_error',
  'malformed',
];
const TO_CORRECT: FailureClass[] = [
  'auth',
  'permission',
  'model_not_found',
  'context_length',
  'content_policy',
  'payload_too_large',
  'invalid_request',
  'unsupported',
  'generation_rejected',
];

describe('E-4: when everything failed', () => {
  it.each(HEALING)('E-4: %s of the only target', (failureClass) => {
    expect(direct(failureClass, 'standard')).toBe(true);
    expect(direct(failureClass, 'permissive')).toBe(true);
  });

  it.each(TO_CORRECT)('E-4, E-3: not %s, whatever the policy', (failureClass) => {
    for (const policy of ['standard', 'strict', 'permissive'] as const)
      expect(direct(failureClass, policy)).toBe(false);
  });

  it('E-4, D-10: not an unknown outcome, nor an answer, nor a client that left', () => {
    const lost = failing({ class: 'timeout', maybeExecuted: true, phase: 'sent' });
    expect(climbed({ targets: 'a:A1', options: optionsOf({ policy: 'strict' }), script: [lost] })).toBe(false);
    for (const end of [OUTCOMES.ok, OUTCOMES.broken_stream, OUTCOMES.client_leaves]) {
      expect(climbed({ targets: 'a:A1', script: [end] })).toBe(false);
    }
  });

  it('E-4, E-2: a chain whose last model stops for itself has failed as a whole', () => {
    const chain = { targets: 'a:A1 b:B1', explicit: true };
    expect(climbed({ ...chain, script: [of('server_error'), of('context_length')] })).toBe(true);
    expect(climbed({ ...chain, script: [of('context_length'), of('server_error')] })).toBe(false);
  });

  it('E-4, D-4: a budget that ended it', () => {
    const options = optionsOf({ maxAttempts: 1 });
    expect(climbed({ targets: 'a:A1,B1', options, script: [of('server_error')] })).toBe(true);
  });

  it('E-4, D-4: not a budget that paid for no attempt, though a model before it rests', () => {
    const input = {
      targets: 'a: b:B1',
      costs: { B: 100n },
      options: optionsOf({ maxCostNanoUsd: 10n }),
      script: [OUTCOMES.ok],
    };
    const { state } = traceOf(input);
    expect(state.verdict).toEqual({ kind: 'retry_exhausted', budget: 'cost' });
    expect([state.history.length, state.skippedModels.length]).toEqual([0, 1]);
    expect(climbed(input)).toBe(false);
  });

  it.each<[SkipReason, boolean]>([
    ['cooling_rate_limit', true],
    ['limit', true],
    ['cooling_quota', true],
    ['cooling_auth', false],
    ['cooling_model_not_found', false],
    ['guardrail', false],
    ['price_unknown', false],
  ])('E-4, P-4: a chain at rest: %s', (reason, expected) => {
    const { state } = traceOf({ targets: 'a:A1', script: [{ kind: 'refuse', reason, failure: null }] });
    const code = finalError(state, { wallNow: state.at.wall }).code;
    expect(climbs(state, code)).toBe(expected);
  });

  it('E-4, G-4: not what the gateway itself refuses', () => {
    expect(climbed({ targets: 'a:A1', script: [OUTCOMES.refused_for_good] })).toBe(false);
  });
});
