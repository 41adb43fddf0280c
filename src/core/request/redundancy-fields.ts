/** The fields of `redundancy` and their values (C-4): one table, read from requests, headers and entries of a chain. */
import { POLICY_NAMES } from '../failover/policy.ts';
import { OPT_IN_CLASSES, TRIGGERS } from '../failure.ts';
import { RUNGS_EXPECTED, readRungs } from '../ladder/rungs.ts';
import { nearestName } from '../nearest-name.ts';
import { PRIVACY_LEVELS, RANGES } from './ranges.ts';
import { bad, described, good, isRecord, type Read } from './read.ts';
import type { RedundancyInput } from './redundancy-types.ts';

/** Null when the value is good, else what it must be: `an integer from 1000 to 300000`. */
export type FieldCheck = (value: unknown) => string | null;

export function integer(min: number, max: number): FieldCheck {
  return (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? null
      : `an integer from ${min} to ${max}`;
}

export const boolean: FieldCheck = (value) => (typeof value === 'boolean' ? null : 'true or false');

export function oneOf(words: readonly string[]): FieldCheck {
  const expected = words.length === 1 ? `"${words[0]}"` : `one of ${words.join(', ')}`;
  return (value) => (typeof value === 'string' && words.includes(value) ? null : expected);
}

const on: FieldCheck = (value) => {
  const words: readonly string[] = [...TRIGGERS, ...OPT_IN_CLASSES];
  const known = Array.isArray(value) && value.every((word) => typeof word === 'string' && words.includes(word));
  return known ? null : `an array of ${words.join(', ')}`;
};

const amount: FieldCheck = (value) =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? null : 'a number above 0 (USD)';

/** E-4. */
const onExhausted: FieldCheck = (value) => (readRungs(value) === null ? RUNGS_EXPECTED : null);

/** Every field of `redundancy` with C-4's range. */
const CHECKS: { readonly [Field in keyof Required<RedundancyInput>]: FieldCheck } = {
  policy: oneOf(POLICY_NAMES),
  on,
  cross_model: boolean,
  skip_incapable: boolean,
  timeout_ms: integer(...RANGES.timeout_ms),
  first_token_timeout_ms: integer(...RANGES.first_token_timeout_ms),
  idle_timeout_ms: integer(...RANGES.idle_timeout_ms),
  stall_timeout_ms: integer(...RANGES.stall_timeout_ms),
  retries: integer(...RANGES.retries),
  max_attempts: integer(...RANGES.max_attempts),
  deadline_ms: integer(...RANGES.deadline_ms),
  max_cost_usd: amount,
  max_wait_ms: integer(...RANGES.max_wait_ms),
  priority: oneOf(['low', 'normal', 'high']),
  privacy_level: oneOf(PRIVACY_LEVELS),
  commit: oneOf(['first_token', 'complete']),
  max_held_bytes: integer(...RANGES.max_held_bytes),
  hedge_after_ms: integer(...RANGES.hedge_after_ms),
  on_truncated: oneOf(['extend']),
  on_duplicate: oneOf(['join', 'reject']),
  finish_on_disconnect: boolean,
  on_exhausted: onExhausted,
};

/** A `Map`, so that a field called `constructor` is as unknown as any other. */
export const REDUNDANCY_FIELDS: ReadonlyMap<string, FieldCheck> = new Map(Object.entries(CHECKS));

/** What an entry of a chain may say beside its model (C-3). `degrade` is read apart. */
export const ENTRY_FIELDS: ReadonlyMap<string, FieldCheck> = new Map([
  ['timeout_ms', CHECKS.timeout_ms],
  ['first_token_timeout_ms', CHECKS.first_token_timeout_ms],
]);

/**
 * Checks an object field by field. `where` is its name in messages and in `param`: `redundancy`, `models[1]`. Unknown
 * fields are errors too, with the nearest known one.
 */
export function checkFields(
  where: string,
  object: Readonly<Record<string, unknown>>,
  checks: ReadonlyMap<string, FieldCheck>,
): Read<null> {
  for (const [field, value] of Object.entries(object)) {
    const check = checks.get(field);
    if (check === undefined) return unknownField(where, field, checks.keys());
    const expected = check(value);
    if (expected === null) continue;
    const param = `${where}.${field}`;
    return bad('invalid_redundancy', `\`${param}\` must be ${expected}, not ${described(value)}`, param);
  }
  return good(null);
}

/** Reads a `redundancy` object as sent by a client. */
export function readRedundancy(value: unknown): Read<RedundancyInput> {
  if (!isRecord(value)) {
    return bad('invalid_redundancy', `\`redundancy\` must be an object, not ${described(value)}`, 'redundancy');
  }
  const checked = checkFields('redundancy', value, REDUNDANCY_FIELDS);
  return checked.ok ? good(value as RedundancyInput) : checked;
}

function unknownField(where: string, field: string, known: Iterable<string>): Read<null> {
  const names = [...known];
  const near = nearestName(field.replaceAll('-', '_'), names);
  const shown = field.slice(0, 60);
  const hint = near === null ? `known are ${names.join(', ')}` : `did you mean \`${near}\`?`;
  return bad('invalid_redundancy', `\`${where}.${shown}\` is unknown; ${hint}`, `${where}.${shown}`);
}
