/**
 * The table of section 5, cell by cell: where a request goes when every call fails in the same way, in a wide plan (two
 * models, two channels, two credentials each), in a plan with a lone target, and what it ends with.
 */
import { describe, expect, it } from 'vitest';
import { optionsOf } from '../../../sim/virtual/layout.ts';
import { failing } from '../../../sim/virtual/outcome.ts';
import { type Trace, traceOf } from '../../../sim/virtual/trace.ts';
import { FAILURE_CLASSES, type FailureClass, type OnEntry } from '../failure.ts';
import { POLICIES, type PolicyName, type PolicyRow, policyTable } from './policy.ts';

const WIDE = 'a:A1,A2,B1,B2 b:C1,C2';
const WINDOWS = { A: 8000, B: 32_000, C: 128_000 };

/** Each target thrice. */
function thrice(route: string): string {
  return route.replaceAll(/\S+/g, (word) => `${word} ${word} ${word}`);
}

/** Route through the wide plan, verdict, alerts there; route of a lone target. */
type Row = readonly [wide: string, verdict: string, alerts: number, lone: string];

const EVERY = 'A1 A2 B1 B2 C1 C2';
const CHANNELS = 'A1 B1 C1';
const STOPPED: Row = ['A1', 'stopped', 0, 'A1'];
const STOPPED_ALERT: Row = ['A1', 'stopped', 1, 'A1'];

/** `empty` is a failure only where `on` names it; its row is the same in each. */
const EXPECTED: Readonly<Record<PolicyName, Readonly<Record<PolicyRow, Row>>>> = {
  standard: {
    maybe_executed: [CHANNELS, 'exhausted', 0, 'A1'],
    rate_limit: [EVERY, 'exhausted', 0, 'A1 A1'],
    quota_exhausted: [EVERY, 'exhausted', 6, 'A1'],
    overloaded: [CHANNELS, 'exhausted', 0, 'A1 A1'],
    server_error: [CHANNELS, 'exhausted', 0, 'A1 A1'],
    malformed: [CHANNELS, 'exhausted', 0, 'A1 A1'],
    timeout: [CHANNELS, 'exhausted', 0, 'A1'],
    connection_error: [CHANNELS, 'exhausted', 0, 'A1'],
    auth: ['A1 A2 B1 B2', 'stopped', 4, 'A1'],
    permission: ['A1 A2 B1 B2', 'stopped', 4, 'A1'],
    model_not_found: ['A1 A2 B1 B2', 'stopped', 4, 'A1'],
    context_length: ['A1 B1', 'stopped', 0, 'A1'],
    payload_too_large: ['A1 B1', 'stopped', 0, 'A1'],
    content_policy: STOPPED,
    invalid_request: STOPPED,
    unsupported: STOPPED,
    generation_rejected: STOPPED,
    gateway_rejected: STOPPED,
    client_closed: STOPPED,
    empty: [CHANNELS, 'exhausted', 0, 'A1'],
  },
  strict: {
    maybe_executed: ['A1', 'outcome_unknown', 0, 'A1'],
    rate_limit: [thrice(EVERY), 'exhausted', 0, thrice('A1')],
    quota_exhausted: ['A1 A2 B1 B2', 'stopped', 4, 'A1'],
    overloaded: [thrice(CHANNELS), 'exhausted', 0, thrice('A1')],
    server_error: [thrice(CHANNELS), 'exhausted', 0, thrice('A1')],
    malformed: [thrice(CHANNELS), 'exhausted', 0, thrice('A1')],
    timeout: [thrice(CHANNELS), 'exhausted', 0, thrice('A1')],
    connection_error: ['A1 A1 B1 B1 C1 C1', 'exhausted', 0, 'A1 A1'],
    auth: STOPPED_ALERT,
    permission: STOPPED_ALERT,
    model_not_found: STOPPED_ALERT,
    context_length: STOPPED_ALERT,
    payload_too_large: STOPPED,
    content_policy: STOPPED,
    invalid_request: STOPPED_ALERT,
    unsupported: STOPPED_ALERT,
    generation_rejected: STOPPED,
    gateway_rejected: STOPPED,
    client_closed: STOPPED,
    empty: [CHANNELS, 'exhausted', 0, 'A1'],
  },
  permissive: {
    maybe_executed: [EVERY, 'exhausted', 0, 'A1'],
    rate_limit: [EVERY, 'exhausted', 0, 'A1 A1'],
    quota_exhausted: [EVERY, 'exhausted', 6, 'A1'],
    overloaded: [EVERY, 'exhausted', 0, 'A1'],
    server_error: [EVERY, 'exhausted', 0, 'A1'],
    malformed: [EVERY, 'exhausted', 0, 'A1'],
    timeout: [EVERY, 'exhausted', 0, 'A1'],
    connection_error: [EVERY, 'exhausted', 0, 'A1'],
    auth: [EVERY, 'exhausted', 6, 'A1'],
    permission: [EVERY, 'exhausted', 6, 'A1'],
    model_not_found: [EVERY, 'exhausted', 6, 'A1'],
    context_length: [EVERY, 'exhausted', 0, 'A1'],
    payload_too_large: [EVERY, 'exhausted', 0, 'A1'],
    content_policy: [CHANNELS, 'exhausted', 0, 'A1'],
    invalid_request: [EVERY, 'exhausted', 0, 'A1'],
    unsupported: [EVERY, 'exhausted', 0, 'A1'],
    generation_rejected: STOPPED,
    gateway_rejected: STOPPED,
    client_closed: STOPPED,
    empty: [CHANNELS, 'exhausted', 0, 'A1'],
  },
};

function run(policy: PolicyName, row: PolicyRow, targets: string, on?: readonly OnEntry[]): Trace {
  const failed =
    row === 'maybe_executed' ? failing({ class: 'server_error', maybeExecuted: true }) : failing({ class: row });
  return traceOf({
    targets,
    windows: WINDOWS,
    options: optionsOf({ policy, maxAttempts: 20, ...(on === undefined ? {} : { on }) }),
    script: [failed],
  });
}

describe.each(['standard', 'strict', 'permissive'] as const)('D-12: the table under %s', (policy) => {
  const rows = Object.entries(EXPECTED[policy]) as [PolicyRow, Row][];

  it.each(rows)('%s', (row, [wide, verdict, alerts, lone]) => {
    const through = run(policy, row, WIDE);
    expect([through.route, through.verdict.kind, through.alerts]).toEqual([wide, verdict, alerts]);
    expect(run(policy, row, 'a:A1').route).toBe(lone);
  });

  it('has every class and maybe_executed as a row, and no other', () => {
    expect(Object.keys(POLICIES[policy]).sort()).toEqual(['maybe_executed', ...FAILURE_CLASSES].sort());
  });
});

describe('D-1: an opt-in class turns "stop" into "→ model"', () => {
  const cases: readonly [PolicyName, FailureClass, OnEntry, string][] = [
    ['standard', 'auth', 'auth', EVERY],
    ['standard', 'permission', 'auth', EVERY],
    ['standard', 'model_not_found', 'model_not_found', EVERY],
    ['standard', 'context_length', 'context_length', CHANNELS],
    ['standard', 'content_policy', 'content_policy', 'A1 C1'],
    ['standard', 'empty', 'empty', CHANNELS],
    ['strict', 'auth', 'auth', 'A1 C1'],
    ['strict', 'permission', 'auth', 'A1 C1'],
    ['strict', 'model_not_found', 'model_not_found', 'A1 C1'],
    ['strict', 'context_length', 'context_length', 'A1 C1'],
    ['strict', 'content_policy', 'content_policy', 'A1 C1'],
    ['strict', 'empty', 'empty', CHANNELS],
    ['permissive', 'auth', 'auth', EVERY],
    ['permissive', 'content_policy', 'content_policy', CHANNELS],
  ];
  it.each(cases)('%s: %s by on: [%s]', (policy, failureClass, word, route) => {
    const through = run(policy, failureClass, WIDE, [word]);
    expect([through.route, through.verdict.kind]).toEqual([route, 'exhausted']);
  });

  it.each(['auth', 'context_length', 'content_policy', 'model_not_found'] as const)('%s without it stays', (name) => {
    expect(run('standard', name, WIDE, ['server_error']).route).not.toContain('C');
  });

  it.each(['invalid_request', 'unsupported', 'payload_too_large', 'quota_exhausted'] as const)(
    'strict: %s stops whatever `on` names',
    (name) => {
      const through = run('strict', name, WIDE, ['rate_limit', 'auth', 'model_not_found', 'context_length', 'empty']);
      expect([through.route.includes('C'), through.verdict.kind]).toEqual([false, 'stopped']);
    },
  );
});

describe('D-12: configuration overrides single cells', () => {
  function overridden(policy: PolicyName, steps: Parameters<typeof policyTable>[1], targets: string): string {
    const options = optionsOf({ policy, table: policyTable(policy, steps), maxAttempts: 20 });
    return traceOf({ targets, options, script: [failing({ class: 'overloaded' })] }).route;
  }

  it('a cell means exactly its steps; a repeat it names happens once at each target', () => {
    const steps = { overloaded: ['retry', 'next_channel', 'next_model'] } as const;
    expect(overridden('standard', steps, WIDE)).toBe('A1 A1 B1 B1 C1 C1');
  });

  it('next_credential in a cell tries the credentials of the channel although its own fault is at hand', () => {
    expect(overridden('standard', { overloaded: ['next_credential', 'stop'] }, WIDE)).toBe('A1 A2');
  });

  it('unlisted rows stay', () => {
    expect(overridden('standard', { server_error: ['stop'] }, WIDE)).toBe(CHANNELS);
  });
});
