/**
 * The decision table of 1-behaviour §5 as data: for each named policy, what each failure row does next.
 * Steps are tried in order; `decide` is the only reader. Configuration may override single cells (D-12).
 */
import type { FailureClass } from '../failure.ts';

export const STEPS = [
  'wait_retry',
  'retry',
  'next_credential',
  'next_channel',
  'next_channel_larger',
  'next_model',
  'next_model_larger',
  'alert',
  'stop',
] as const;
export type Step = (typeof STEPS)[number];

/** Rows: every class plus `maybe_executed`, which is picked first (D-10). `empty` is among the classes. */
export type PolicyRow = FailureClass | 'maybe_executed';

export const POLICY_NAMES = ['standard', 'strict', 'permissive'] as const;
export type PolicyName = (typeof POLICY_NAMES)[number];

/** A cell: the steps, and for the rows that may repeat the target whether only a lone target repeats. */
export interface PolicyCell {
  readonly steps: readonly Step[];
  /** `standard`'s "a single target: …": the repeat happens only if the plan has one target and no explicit `retries`. */
  readonly repeatOnlyIfSingle: boolean;
  /** Count of repeats this row allows by default; null = the policy's own (D-9). An explicit `retries` replaces it. */
  readonly repeats: number | null;
  /** `strict`'s maybe_executed: under an idempotency key read the class's row instead; else stop with 504. */
  readonly keyedReadsClass: boolean;
}

export type PolicyTable = Readonly<Record<PolicyRow, PolicyCell>>;

function cell(...steps: Step[]): PolicyCell {
  return { steps, repeatOnlyIfSingle: false, repeats: null, keyedReadsClass: false };
}
function single(...steps: Step[]): PolicyCell {
  return { steps, repeatOnlyIfSingle: true, repeats: null, keyedReadsClass: false };
}

const STOP = cell('stop');
const ANY = cell('next_credential', 'next_channel', 'next_model');
const ANY_ALERT = cell('next_credential', 'next_channel', 'next_model', 'alert');
const CONFIG_FAULT = cell('next_credential', 'next_channel', 'alert', 'stop');
const OUTAGE = single('next_channel', 'next_model', 'retry');
const STRICT_OUTAGE = cell('retry', 'next_channel', 'next_model');
const EMPTY = cell('next_channel', 'next_model');

export const POLICIES: Readonly<Record<PolicyName, PolicyTable>> = {
  standard: {
    maybe_executed: cell('next_channel', 'next_model'),
    rate_limit: single('next_credential', 'next_channel', 'next_model', 'wait_retry'),
    quota_exhausted: cell('next_credential', 'next_channel', 'next_model', 'alert'),
    overloaded: OUTAGE,
    server_error: OUTAGE,
    malformed: OUTAGE,
    timeout: cell('next_channel', 'next_model'),
    connection_error: cell('next_channel', 'next_model'),
    auth: CONFIG_FAULT,
    permission: CONFIG_FAULT,
    model_not_found: CONFIG_FAULT,
    context_length: cell('next_channel_larger', 'next_model_larger', 'stop'),
    payload_too_large: cell('next_channel', 'stop'),
    content_policy: STOP,
    invalid_request: STOP,
    unsupported: STOP,
    generation_rejected: STOP,
    gateway_rejected: STOP,
    client_closed: STOP,
    empty: EMPTY,
  },
  strict: {
    maybe_executed: { steps: ['stop'], repeatOnlyIfSingle: false, repeats: null, keyedReadsClass: true },
    rate_limit: cell('wait_retry', 'next_credential', 'next_channel', 'next_model'),
    quota_exhausted: cell('next_credential', 'next_channel', 'alert', 'stop'),
    overloaded: STRICT_OUTAGE,
    server_error: STRICT_OUTAGE,
    malformed: STRICT_OUTAGE,
    timeout: STRICT_OUTAGE,
    connection_error: { ...STRICT_OUTAGE, repeats: 1 },
    auth: cell('alert', 'stop'),
    permission: cell('alert', 'stop'),
    model_not_found: cell('alert', 'stop'),
    context_length: cell('alert', 'stop'),
    payload_too_large: STOP,
    content_policy: STOP,
    invalid_request: cell('alert', 'stop'),
    unsupported: cell('alert', 'stop'),
    generation_rejected: STOP,
    gateway_rejected: STOP,
    client_closed: STOP,
    empty: EMPTY,
  },
  permissive: {
    maybe_executed: ANY,
    // The row itself says "once", so D-9's general count of 0 for `permissive` does not apply to it.
    rate_limit: { ...single('next_credential', 'next_channel', 'next_model', 'wait_retry'), repeats: 1 },
    quota_exhausted: cell('next_credential', 'next_channel', 'next_model', 'alert'),
    overloaded: ANY,
    server_error: ANY,
    malformed: ANY,
    timeout: ANY,
    connection_error: ANY,
    auth: ANY_ALERT,
    permission: ANY_ALERT,
    model_not_found: ANY_ALERT,
    context_length: ANY,
    payload_too_large: ANY,
    content_policy: cell('next_channel', 'next_model'),
    invalid_request: ANY,
    unsupported: ANY,
    generation_rejected: STOP,
    gateway_rejected: STOP,
    client_closed: STOP,
    empty: EMPTY,
  },
};

/** Cell overrides from configuration: row → steps. Unlisted rows stay (D-12). */
export type PolicyOverrides = Partial<Record<PolicyRow, readonly Step[]>>;

/** The table of a named policy with its overridden cells. An overridden cell means exactly its steps. */
export function policyTable(name: PolicyName, overrides?: PolicyOverrides): PolicyTable {
  const base = POLICIES[name];
  if (overrides === undefined) return base;
  const out: Record<PolicyRow, PolicyCell> = { ...base };
  for (const [row, steps] of Object.entries(overrides)) {
    if (steps !== undefined) out[row as PolicyRow] = cell(...steps);
  }
  return out;
}
