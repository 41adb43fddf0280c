import { describe, expect, it } from 'vitest';
import { checkIdempotencyKey } from './idempotency-key.ts';
import { readRedundancy } from './redundancy-fields.ts';
import type { RedundancyInput } from './redundancy-types.ts';

function refusal(value: unknown) {
  const read = readRedundancy(value);
  return read.ok ? null : { code: read.error.code, message: read.error.message, param: read.error.param };
}

const RANGES: readonly [keyof RedundancyInput, number, number][] = [
  ['timeout_ms', 1000, 300_000],
  ['first_token_timeout_ms', 500, 60_000],
  ['idle_timeout_ms', 1000, 600_000],
  ['stall_timeout_ms', 1000, 3_600_000],
  ['retries', 0, 5],
  ['max_attempts', 1, 20],
  ['deadline_ms', 1000, 3_600_000],
  ['max_wait_ms', 0, 60_000],
  ['hedge_after_ms', 100, 60_000],
  ['max_held_bytes', 65_536, 33_554_432],
];

describe('C-4: ranges', () => {
  it.each(RANGES)('C-4: %s is an integer from %i to %i', (field, min, max) => {
    expect(refusal({ [field]: min })).toBeNull();
    expect(refusal({ [field]: max })).toBeNull();
    for (const wrong of [min - 1, max + 1, min + 0.5, String(min), null, true, [min], Number.NaN]) {
      const refused = refusal({ [field]: wrong });
      expect(refused).toMatchObject({ code: 'invalid_redundancy', param: `redundancy.${field}` });
      expect(refused?.message).toContain(`\`redundancy.${field}\` must be an integer from ${min} to ${max}, not `);
    }
  });

  it.each<[keyof RedundancyInput, readonly unknown[], readonly unknown[]]>([
    ['policy', ['standard', 'strict', 'permissive'], ['Strict', '', 1, null]],
    [
      'on',
      [[], ['timeout'], ['connection_error', 'server_error', 'rate_limit', 'timeout'], ['auth', 'empty', 'timeout']],
      ['timeout', ['timeouts'], ['permission'], [1], null, { timeout: true }],
    ],
    ['cross_model', [true, false], ['false', 0, null]],
    ['skip_incapable', [true, false], ['true', 1]],
    ['max_cost_usd', [0.001, 5], [0, -1, '1', null]],
    ['priority', ['low', 'normal', 'high'], ['urgent', 1]],
    ['privacy_level', ['public', 'internal', 'confidential', 'restricted'], ['secret', 1]],
    ['commit', ['first_token', 'complete'], ['last_token', true]],
    ['on_truncated', ['extend'], ['retry', null]],
    ['on_duplicate', ['join', 'reject'], ['replace', null]],
    ['finish_on_disconnect', [true, false], ['yes', null]],
    [
      'on_exhausted',
      [[], ['busy'], ['queue', { default: 'sorry' }, { cache: { max_age_s: 1 } }], [{ cache: { max_age_s: 86_400 } }]],
      [
        'busy',
        ['none'],
        [{ cache: { max_age_s: 0 } }],
        [{ cache: { max_age_s: 86_401 } }],
        [{ cache: {} }],
        [{ default: 5 }],
        [{ default: 'a', cache: { max_age_s: 1 } }],
        [null],
      ],
    ],
  ])('C-4: %s', (field, accepted, refused) => {
    for (const value of accepted) expect(refusal({ [field]: value })).toBeNull();
    for (const value of refused) {
      expect(refusal({ [field]: value })).toMatchObject({
        code: 'invalid_redundancy',
        message: expect.stringContaining(`\`redundancy.${field}\` must be`),
        param: `redundancy.${field}`,
      });
    }
  });

  it('C-4: unknown fields are errors, with the nearest known one', () => {
    expect(refusal({ timeout: 5000 })?.message).toBe('`redundancy.timeout` is unknown; did you mean `timeout_ms`?');
    expect(refusal({ 'max-attempts': 5 })?.message).toContain('did you mean `max_attempts`?');
    expect(refusal({ cross_modal: true })?.message).toContain('did you mean `cross_model`?');
    expect(refusal({ colour: 'blue' })?.message).toContain('known are policy, on, cross_model');
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
      expect(refusal({ [name]: 1 })?.code).toBe('invalid_redundancy');
    }
    expect(refusal(JSON.parse('{"__proto__": {"policy": "strict"}}'))?.code).toBe('invalid_redundancy');
  });

  it.each([null, [], 'strict', 5, true])('C-4: %j is no redundancy', (value) => {
    expect(refusal(value)).toMatchObject({ code: 'invalid_redundancy', param: 'redundancy' });
  });
});

describe('the header of a key', () => {
  it('I-1: a keyed request is never run as a plain one', () => {
    expect(checkIdempotencyKey(undefined).ok).toBe(true);
    for (const key of ['order-1', 'x'.repeat(255), '!~']) expect(checkIdempotencyKey(key).ok).toBe(true);
    for (const key of ['', ' ', 'a b', 'ä', 'x'.repeat(256), 'a\tb']) {
      expect(checkIdempotencyKey(key)).toMatchObject({ error: { status: 400, code: 'invalid_idempotency_key' } });
    }
  });
});
