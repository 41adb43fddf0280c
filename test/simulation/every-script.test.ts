import { describe, expect, it } from 'vitest';
import { type Choose, everyPath } from '../../sim/virtual/every-path.ts';
import { layout, optionsOf } from '../../sim/virtual/layout.ts';
import { failing, MORE_OUTCOMES, OUTCOMES, type Outcome } from '../../sim/virtual/outcome.ts';
import type { FailoverOptions } from '../../src/core/failover/options.ts';
import { POLICY_NAMES, type PolicyName } from '../../src/core/failover/policy.ts';
import { watchedRun } from './watched-run.ts';

/** The ways to lay out up to three targets over models, channels and credentials. */
const LAYOUTS = [
  'a:A1',
  'a:A1,A2',
  'a:A1,B1',
  'a:A1 b:B1',
  'a:A1,A2,A3',
  'a:A1,A2,B1',
  'a:A1,B1,B2',
  'a:A1,B1,C1',
  'a:A1,A2 b:B1',
  'a:A1,B1 b:C1',
  'a:A1 b:B1,B2',
  'a:A1 b:B1,C1',
  'a:A1 b:B1 c:C1',
];

/** Channel B knows more than A, of C nothing is known. */
const WINDOWS = { A: 8000, B: 128_000 };

interface Variant {
  readonly name: string;
  readonly keyed: boolean;
  readonly actsUpstream: boolean;
  readonly options: (policy: PolicyName) => FailoverOptions;
}

const VARIANTS: readonly Variant[] = [
  { name: 'built-in', keyed: false, actsUpstream: false, options: (policy) => optionsOf({ policy }) },
  {
    name: 'retries 1, keyed',
    keyed: true,
    actsUpstream: false,
    options: (policy) => optionsOf({ policy, retries: 1 }),
  },
  {
    name: 'opted in, 3 attempts, 40 s',
    keyed: false,
    actsUpstream: false,
    options: (policy) =>
      optionsOf({
        policy,
        on: ['rate_limit', 'auth', 'context_length', 'content_policy', 'empty'],
        maxAttempts: 3,
        deadlineMs: 40_000,
      }),
  },
  {
    name: 'acts upstream, cross_model off',
    keyed: false,
    actsUpstream: true,
    options: (policy) => optionsOf({ policy, crossModel: false }),
  },
];

type Kind = keyof typeof OUTCOMES;
const ALL = Object.keys(OUTCOMES) as Kind[];
/** From the third call on: one of each way to go on, and an end. */
const THIRD: readonly Kind[] = [
  'ok',
  'rate_limit_short',
  'server_error',
  'cut',
  'auth',
  'context_length',
  'refused_limit',
];
const FOURTH: readonly Kind[] = ['ok', 'rate_limit_short', 'server_error', 'auth'];
const REST: readonly Kind[] = ['server_error'];

function kindsOf(call: number): readonly Kind[] {
  if (call <= 2) return ALL;
  return call === 3 ? THIRD : call === 4 ? FOURTH : REST;
}

/** One path: the script is chosen while it is read. */
function runPath(text: string, policy: PolicyName, variant: Variant, choose: Choose): void {
  const script: Kind[] = [];
  try {
    watchedRun({
      plan: layout(text, { windows: WINDOWS }),
      options: variant.options(policy),
      keyed: variant.keyed,
      actsUpstream: variant.actsUpstream,
      attemptOffset: 0,
      script: () => {
        const kinds = kindsOf(script.length + 1);
        const kind = kinds[choose(kinds.length)]!;
        script.push(kind);
        return OUTCOMES[kind];
      },
      random: () => 0.5,
    });
  } catch (cause) {
    throw new Error(`${policy}, ${variant.name}, ${text}, calls: ${script.join(' → ')}`, { cause });
  }
}

describe.each(POLICY_NAMES)('D-1 D-2 D-4 D-9 D-10 D-11: every small script under %s', (policy) => {
  it.each(VARIANTS)('$name', (variant) => {
    let paths = 0;
    for (const text of LAYOUTS) paths += everyPath((choose) => runPath(text, policy, variant, choose));
    expect(paths).toBeGreaterThan(2000);
  });
});

/** What happens beside a hedge: before it is due, while it runs, after it. */
const BESIDE = {
  ok: { kind: 'answer', afterMs: 700, restMs: 50 },
  slow_ok: { kind: 'answer', afterMs: 4000, restMs: 50 },
  fails: failing({ class: 'server_error', status: 500 }, 50),
  fails_late: failing({ class: 'server_error', status: 500 }, 900),
  rejects_late: { ...OUTCOMES.rejects_opaque, afterMs: 820 },
  stops_late: failing({ class: 'invalid_request', status: 400 }, 800),
  rejected_late: failing({ class: 'auth', status: 401 }, 850),
  hang: { kind: 'hang' },
  client_leaves: { kind: 'leave', afterMs: 750, detach: false },
  refused: OUTCOMES.refused_limit,
  refused_for_good: OUTCOMES.refused_for_good,
  truncated: { kind: 'truncated', afterMs: 650, length: 400, extendTo: 200 },
  truncated_longer: MORE_OUTCOMES.truncated_longer,
} as const satisfies Record<string, Outcome>;
type BesideKind = keyof typeof BESIDE;
const BESIDE_ALL = Object.keys(BESIDE) as BesideKind[];
const BESIDE_LATER: readonly BesideKind[] = ['ok', 'fails', 'hang', 'refused', 'truncated', 'rejects_late'];

interface HedgedVariant {
  readonly name: string;
  readonly keyed: boolean;
  readonly options: (policy: PolicyName) => FailoverOptions;
}

const HEDGED: readonly HedgedVariant[] = [
  { name: 'hedged', keyed: false, options: (policy) => optionsOf({ policy, hedgeAfterMs: 500 }) },
  {
    name: 'hedged, extended, keyed, 1 retry',
    keyed: true,
    options: (policy) => optionsOf({ policy, hedgeAfterMs: 500, onTruncated: 'extend', retries: 1 }),
  },
  {
    name: 'hedged, extended, few attempts, little time',
    keyed: false,
    options: (policy) =>
      optionsOf({
        policy,
        hedgeAfterMs: 500,
        onTruncated: 'extend',
        maxAttempts: 3,
        deadlineMs: 3000,
        on: ['timeout'],
      }),
  },
];

function runHedged(text: string, policy: PolicyName, variant: HedgedVariant, choose: Choose): number {
  const script: BesideKind[] = [];
  try {
    const run = watchedRun({
      plan: layout(text),
      options: variant.options(policy),
      keyed: variant.keyed,
      actsUpstream: false,
      attemptOffset: 0,
      script: () => {
        const kinds = script.length < 2 ? BESIDE_ALL : script.length === 2 ? BESIDE_LATER : (['fails'] as const);
        const kind = kinds[choose(kinds.length)]!;
        script.push(kind);
        return BESIDE[kind];
      },
      random: () => 0.5,
    });
    const { history } = run.state;
    const hedges = history.filter(({ role }) => role === 'hedge');
    // Beside the attempt before it, and not before its time.
    const early = hedges.some(({ no, startedAt }) =>
      history.some((other) => other.no === no - 1 && startedAt - other.startedAt !== 500),
    );
    if (early) throw new Error('a hedge waits its time');
    return hedges.length;
  } catch (cause) {
    throw new Error(`${policy}, ${variant.name}, ${text}, calls: ${script.join(' → ')}`, { cause });
  }
}

describe.each(POLICY_NAMES)('D-5 D-8: every small script with a hedge under %s', (policy) => {
  it.each(HEDGED)('$name', (variant) => {
    let paths = 0;
    let hedges = 0;
    for (const text of LAYOUTS) {
      paths += everyPath((choose) => {
        hedges += runHedged(text, policy, variant, choose);
      });
    }
    expect(paths).toBeGreaterThan(500);
    // D-10: what may have been executed is not asked twice without a key.
    expect(hedges > 100).toBe(policy !== 'strict' || variant.keyed);
  });
});
