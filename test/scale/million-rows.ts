/** A million requests over three days, written by the database itself. Request `n` is the `n`th oldest, 259 ms after the one before. */
import type { RequestFilter } from '../../src/ports/record-store.ts';

export const ROWS = 1_000_000;
/** Wall ms of the oldest: 2026-11-26T00:00:00Z. */
export const FIRST_AT = Date.UTC(2026, 10, 26);
export const APART_MS = 259;
/** Wall ms after the newest. */
export const END_AT = FIRST_AT + ROWS * APART_MS;

/** What an engine writes differently. */
export interface Words {
  /** Text of the whole number `n` with leading zeros, 8 digits. */
  readonly padded: string;
  /** A JSON list of these expressions. */
  list(...values: readonly string[]): string;
  yes(condition: string): string;
  /** `text` repeated. */
  times(text: string, count: number): string;
}

const when = (...pairs: readonly (readonly [string, string])[]): string =>
  `CASE ${pairs.map(([condition, value]) => `WHEN ${condition} THEN ${value}`).join(' ')} END`;
const either = (condition: string, value: string, other: string): string => when([condition, value], ['1 = 1', other]);

/** Columns of request `n`, each as an expression, in the order of the table. */
export function columnsOf({ padded, list, yes, times }: Words): Readonly<Record<string, string>> {
  const id = `'req_' || ${padded}`;
  const at = `${FIRST_AT} + n * ${APART_MS}`;
  const isFailedOver = 'n % 50 = 0';
  // A key is of one workspace.
  const workspace = either('n % 10 < 7', "'acme'", "'w' || (n % 40)");
  const key = either('n = 500000', "'rare'", "'key' || (n % 40)");
  const requested = "'maker/model-' || (n % 12)";
  const served = when(['n % 33 = 0', 'NULL'], [isFailedOver, "'maker/model-' || ((n + 1) % 12)"], ['1 = 1', requested]);
  const status = when(['n = 400000', '504'], ['n % 33 = 0', '429'], ['n % 100 = 7', '503'], ['1 = 1', '200']);
  const outcome = when(
    ['n = 400000', "'network_unknown'"],
    ['n % 33 = 0', "'upstream_rate_limited'"],
    ['n % 100 = 7', "'upstream_unavailable'"],
    ['1 = 1', "'success'"],
  );
  const summary = list(
    ...[id, 'NULL', "'2026-11-26T00:00:00.000Z'", workspace, key, "'chat'", 'NULL', requested, served],
    ...[list(requested), "'standard'", status, outcome, "'served'", 'NULL', 'NULL', list(), 'NULL', 'NULL'],
    ...['853.1', '640', list('10', '5', '0', '0'), '1200', '30', 'NULL', '1'],
  );
  return {
    id,
    at,
    workspace,
    key,
    requested_model: requested,
    served_model: served,
    virtual_model: either('n % 20 = 3', "'smart'", 'NULL'),
    status,
    outcome,
    degraded: yes('n = 123456'),
    failover: yes(isFailedOver),
    idempotency: either('n % 3 = 0', `'hash' || ${padded}`, 'NULL'),
    snapshot: 'NULL',
    summary,
    detail: `'{"stages":[],"candidates":[],"skipped":[],"attempts":[],"clamped":[],"events":["' || ${times('n-of-the-trace ', 30)} || '"],"setup":null}'`,
  };
}

/** A filter's values: what many have, what one has, what none has. */
export const VALUES: readonly Partial<RequestFilter>[] = [
  { from: FIRST_AT + 500_000 * APART_MS },
  { to: FIRST_AT + 500_000 * APART_MS },
  { workspace: 'acme' },
  { workspace: 'w8' },
  { workspace: 'nobody' },
  { key: 'key7' },
  { key: 'rare' },
  { key: 'nobody' },
  { model: 'maker/model-3' },
  { model: 'smart' },
  { model: 'none/such' },
  { status: 200 },
  { status: 429 },
  { status: 504 },
  { status: 418 },
  { outcome: 'success' },
  { outcome: 'upstream_unavailable' },
  { outcome: 'network_unknown' },
  { outcome: 'safety_refusal' },
  { failover: true },
  { failover: false },
  { degraded: true },
  { degraded: false },
  { idempotency: 'any' },
  { idempotency: 'none' },
  { idempotency: 'hash00600000' },
  { idempotency: 'never' },
];

/** Each value alone, and each pair of values of different filters. */
export function filters(): Partial<RequestFilter>[] {
  const pairs = VALUES.flatMap((one, ix) =>
    VALUES.slice(ix + 1)
      .filter((other) => Object.keys(one)[0] !== Object.keys(other)[0])
      .map((other) => ({ ...one, ...other })),
  );
  return [{}, ...VALUES, ...pairs];
}
