import { describe, expect, it } from 'vitest';
import { type Choose, everyPath } from '../../sim/virtual/every-path.ts';
import { layout, optionsOf } from '../../sim/virtual/layout.ts';
import { OUTCOMES } from '../../sim/virtual/outcome.ts';
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
