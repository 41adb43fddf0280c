/** `redundancy` and its relatives: the same fields as in a request (C-3), with C-4's ranges or the operator's freedom. */
import * as z from 'zod';
import { POLICY_NAMES } from '../../core/failover/policy.ts';
import { OPT_IN_CLASSES, TRIGGERS } from '../../core/failure.ts';
import { MOST_RUNGS } from '../../core/ladder/rungs.ts';
import { BUILT_IN } from '../../core/request/option-defaults.ts';
import { MAX_AGE_S, PRIVACY_LEVELS, RANGES, type Range } from '../../core/request/ranges.ts';
import { bool, decimal, int, list, MAX_TIMER_MS, mapping, oneOf, size, text } from './fields.ts';

const KIB = 1024;
const LATER = ' Not available in this version';

export const onSchema = list(oneOf([...TRIGGERS, ...OPT_IN_CLASSES]), { of: 'triggers and classes' }).describe(
  'Which failures let a request leave its model (C-4). `[]`: none. Default: the four triggers.',
);

const exhaustedStep = z
  .union(
    [
      oneOf(['busy']),
      mapping({ cache: mapping({ max_age_s: int(...MAX_AGE_S, 'seconds') }) }),
      mapping({ default: text() }),
    ],
    {
      error: () =>
        'must be busy, {cache: {max_age_s: 60}} or {default: NAME}; queue is for a request itself to ask for',
    },
  )
  .describe('The first that can, answers.');

/** The operator's own defaults may lie outside in both directions, as long as a timer and the memory can hold them. */
const OPERATOR_RANGES: Record<keyof typeof RANGES, Range> = {
  timeout_ms: [1, MAX_TIMER_MS],
  first_token_timeout_ms: [1, MAX_TIMER_MS],
  idle_timeout_ms: [1, MAX_TIMER_MS],
  stall_timeout_ms: [1, MAX_TIMER_MS],
  retries: [0, 100],
  max_attempts: [1, 1000],
  deadline_ms: [1, MAX_TIMER_MS],
  max_wait_ms: [0, MAX_TIMER_MS],
  hedge_after_ms: [1, MAX_TIMER_MS],
  max_held_bytes: [1, KIB * KIB * KIB],
};

/** What holds where nobody says anything. */
function builtIn(field: Exclude<keyof typeof BUILT_IN, 'on'>): string {
  return ` Default: \`${BUILT_IN[field]}\`.`;
}

/** Every field of `redundancy`, optional, names as on the wire. */
function redundancy(ranges: Record<keyof typeof RANGES, Range>) {
  const ms = (field: keyof typeof RANGES, what: string) =>
    int(ranges[field][0], ranges[field][1], 'ms').describe(what).exactOptional();
  return mapping({
    policy: oneOf(POLICY_NAMES)
      .describe(`The decision table that rules (D).${builtIn('policy')}`)
      .exactOptional(),
    on: onSchema.exactOptional(),
    cross_model: bool().describe('`false` keeps a request on its first model (C-8). Default: `true`.').exactOptional(),
    skip_incapable: bool()
      .describe('Pass over models that cannot do what is asked, instead of 400 (P-6). Default: `false`.')
      .exactOptional(),
    timeout_ms: ms('timeout_ms', `Longest time of one attempt until it commits (T-3).${builtIn('timeout_ms')}`),
    first_token_timeout_ms: ms(
      'first_token_timeout_ms',
      `Longest wait for the first content token (T-3).${builtIn('first_token_timeout_ms')}`,
    ),
    idle_timeout_ms: ms(
      'idle_timeout_ms',
      `Longest pause between bytes of a committed stream (T-3).${builtIn('idle_timeout_ms')}`,
    ),
    stall_timeout_ms: ms(
      'stall_timeout_ms',
      `Longest pause between content events of a committed stream (T-3).${builtIn('stall_timeout_ms')}`,
    ),
    retries: int(...ranges.retries)
      .describe(
        'Further calls to one target after backoff (D-9). Default: 2 under `strict`; 1 under `standard` when there is a single target; else 0.',
      )
      .exactOptional(),
    max_attempts: int(...ranges.max_attempts)
      .describe(`Most upstream calls of one request (D-4).${builtIn('max_attempts')}`)
      .exactOptional(),
    deadline_ms: ms('deadline_ms', `Longest time of a request until commit (D-4).${builtIn('deadline_ms')}`),
    max_cost_usd: decimal({ min: 0, above: true, unit: 'USD' })
      .describe(
        'Most one request may cost, judged by the worst case of each attempt (D-4). Of several the lowest holds.',
      )
      .exactOptional(),
    max_wait_ms: ms('max_wait_ms', `Longest wait for a target to come back (D-3).${builtIn('max_wait_ms')}`),
    priority: oneOf(['low', 'normal', 'high'])
      .describe('`low` never leaves its model and is shed first (C-4). Default: `normal`.')
      .exactOptional(),
    privacy_level: oneOf(PRIVACY_LEVELS)
      .describe(
        'How private the request is: only channels whose `max_privacy` covers it are called (G-2). Default: `public`.',
      )
      .exactOptional(),
    commit: oneOf(['first_token', 'complete'])
      .describe(`When an answer starts to flow to the client (T-9).${builtIn('commit')}`)
      .exactOptional(),
    max_held_bytes: size(...ranges.max_held_bytes)
      .describe(`Most bytes held under \`commit: complete\` (T-9).${builtIn('max_held_bytes')}`)
      .exactOptional(),
    hedge_after_ms: ms(
      'hedge_after_ms',
      'Start the next target in parallel after this long without a token; the first to answer is served (D-8). Default: never.',
    ),
    on_truncated: oneOf(['extend'])
      .describe(
        'An answer that its length cut off is asked for once more with twice the output budget; not for streams (D-5). Default: it is served as it is.',
      )
      .exactOptional(),
    on_duplicate: oneOf(['join', 'reject'])
      .describe(`What a second request under a running key gets (I-6).${LATER}: only \`join\`.`)
      .exactOptional(),
    finish_on_disconnect: bool()
      .describe(
        'A call under an idempotency key runs on when its client leaves, for the next request of the key (T-6). Default `true`.',
      )
      .exactOptional(),
    on_exhausted: list(exhaustedStep, { max: MOST_RUNGS, of: 'busy, cache, default' })
      .describe(
        'What answers when everything failed (E-4), in order: `busy`, `{cache: {max_age_s: 60}}`, `{default: NAME}`.',
      )
      .exactOptional(),
  });
}

/** For keys and workspaces: the ranges of requests. */
export const requestRedundancy = redundancy(RANGES);
/** For `defaults`: the operator's own. */
export const operatorRedundancy = redundancy(OPERATOR_RANGES);

/** Bounds a workspace or key sets: numbers are clamped, policies refused (C-3, C-4). */
export const ceilingsSchema = mapping({
  max_attempts: int(...OPERATOR_RANGES.max_attempts).exactOptional(),
  retries: int(...OPERATOR_RANGES.retries).exactOptional(),
  deadline_ms: int(...OPERATOR_RANGES.deadline_ms, 'ms').exactOptional(),
  timeout_ms: int(...OPERATOR_RANGES.timeout_ms, 'ms').exactOptional(),
  max_wait_ms: int(...OPERATOR_RANGES.max_wait_ms, 'ms').exactOptional(),
  max_cost_usd: decimal({ min: 0, above: true, unit: 'USD' }).exactOptional(),
  max_held_bytes: size(...OPERATOR_RANGES.max_held_bytes).exactOptional(),
  policies: list(oneOf(POLICY_NAMES), { min: 1, of: POLICY_NAMES.join(', ') })
    .describe('Policies a request may name.')
    .exactOptional(),
}).describe('The most a request may ask for: numbers above are clamped and shown in the record, policies refused.');

/** A key's default chain (S1). */
export const failoverDefaultsSchema = mapping({
  models: list(text('must be the name of a model'), { min: 1, of: 'up to 3 names of models' })
    .describe('Up to 3 distinct models, in order (C-5).')
    .exactOptional(),
  timeout_ms: int(...RANGES.timeout_ms, 'ms').exactOptional(),
  first_token_timeout_ms: int(...RANGES.first_token_timeout_ms, 'ms').exactOptional(),
  on: onSchema.exactOptional(),
}).describe('The chain a plain request for one of these models gets, and its options (C-5).');
