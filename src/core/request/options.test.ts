import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { POLICY_NAMES, policyTable } from '../failover/policy.ts';
import { TRIGGERS } from '../failure.ts';
import { announcedDeadlineMs } from './announced-timeout.ts';
import type { Chain } from './chain.ts';
import { BUILT_IN, type OptionSources, optionDefaults, strictestPrivacy } from './option-defaults.ts';
import { type OptionWishes, resolveOptions } from './options.ts';
import type { Ceilings, RedundancyInput } from './redundancy-types.ts';

function chain(length = 1, timeoutMs: number | null = null): Chain {
  const entries = Array.from({ length }, (_, model) => ({
    model,
    name: `m${model}`,
    requestedName: `n${model}`,
    timeoutMs,
    firstTokenTimeoutMs: null,
    degrade: null,
    origin: 'request' as const,
  }));
  return { entries, explicit: length > 1, requestedModel: 'm0' };
}

interface Levels {
  readonly virtual?: RedundancyInput;
  readonly failover?: RedundancyInput;
  readonly key?: RedundancyInput;
  readonly keyCeilings?: Ceilings;
  readonly workspace?: RedundancyInput;
  readonly ceilings?: Ceilings;
  readonly operator?: RedundancyInput;
  readonly policies?: OptionSources['policies'];
}

function defaultsOf(levels: Levels = {}) {
  return optionDefaults({
    ...(levels.virtual === undefined ? {} : { virtual: levels.virtual }),
    key: {
      failoverDefaults: levels.failover === undefined ? null : { options: levels.failover },
      redundancy: levels.key ?? {},
      ceilings: levels.keyCeilings ?? {},
    },
    workspace: { redundancy: levels.workspace ?? {}, ceilings: levels.ceilings ?? {} },
    defaults: levels.operator ?? {},
    policies: levels.policies ?? {},
    backoff: { baseMs: 500, capMs: 8000 },
  });
}

function resolve(wishes: Partial<OptionWishes> = {}, levels: Levels = {}) {
  const all = { redundancy: undefined, headerRedundancy: undefined, headers: {}, chain: chain(), ...wishes };
  return resolveOptions(all, defaultsOf(levels));
}

function optionsOf(wishes: Partial<OptionWishes> = {}, levels: Levels = {}) {
  const read = resolve(wishes, levels);
  if (!read.ok) throw new Error(read.error.message);
  return read.value.options;
}

function refusal(wishes: Partial<OptionWishes>, levels: Levels = {}) {
  const read = resolve(wishes, levels);
  if (read.ok) throw new Error('was accepted');
  return read.error;
}

describe('C-3: built-in defaults', () => {
  it('C-3: a request that asks for nothing', () => {
    expect(optionsOf()).toEqual({
      policy: 'standard',
      table: policyTable('standard'),
      on: new Set(TRIGGERS),
      onSent: false,
      crossModel: true,
      timeoutMs: 300_000,
      firstTokenTimeoutMs: 60_000,
      firstTokenTimeoutAsked: false,
      idleTimeoutMs: 60_000,
      stallTimeoutMs: 300_000,
      retries: null,
      maxAttempts: 6,
      deadlineMs: 570_000,
      maxCostNanoUsd: null,
      skipIncapable: false,
      privacyLevel: null,
      priority: 'normal',
      maxWaitMs: 5000,
      commit: 'first_token',
      maxHeldBytes: 8 * 1024 * 1024,
      hedgeAfterMs: null,
      onTruncated: null,
      finishOnDisconnect: true,
      onExhausted: [],
      backoff: { baseMs: 500, capMs: 8000 },
      clamped: [],
    });
  });

  it('C-3: costs nothing: the key’s own object is handed out', () => {
    const defaults = defaultsOf();
    const wishes = { redundancy: undefined, headerRedundancy: undefined, headers: {}, chain: chain(3) };
    expect(resolveOptions(wishes, defaults)).toMatchObject({ ok: true });
    const read = resolveOptions(wishes, defaults);
    expect(read.ok && read.value.options).toBe(defaults.options);
    expect(read.ok && read.value.chain).toBe(wishes.chain);
  });
});

describe('C-3: precedence', () => {
  const FIELDS = [
    'timeout_ms',
    'first_token_timeout_ms',
    'idle_timeout_ms',
    'stall_timeout_ms',
    'retries',
    'max_attempts',
    'deadline_ms',
    'max_wait_ms',
    'commit',
    'policy',
    'max_held_bytes',
    'on',
  ] as const;
  const NAMES: Readonly<Record<string, string>> = {
    timeout_ms: 'timeoutMs',
    first_token_timeout_ms: 'firstTokenTimeoutMs',
    idle_timeout_ms: 'idleTimeoutMs',
    stall_timeout_ms: 'stallTimeoutMs',
    retries: 'retries',
    max_attempts: 'maxAttempts',
    deadline_ms: 'deadlineMs',
    max_wait_ms: 'maxWaitMs',
    commit: 'commit',
    policy: 'policy',
    max_held_bytes: 'maxHeldBytes',
    on: 'on',
  };
  const opt = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const level = fc
    .record({
      timeout_ms: opt(fc.integer({ min: 1000, max: 300_000 })),
      first_token_timeout_ms: opt(fc.integer({ min: 500, max: 60_000 })),
      idle_timeout_ms: opt(fc.integer({ min: 1000, max: 600_000 })),
      stall_timeout_ms: opt(fc.integer({ min: 1000, max: 3_600_000 })),
      retries: opt(fc.integer({ min: 0, max: 5 })),
      max_attempts: opt(fc.integer({ min: 3, max: 20 })),
      deadline_ms: opt(fc.integer({ min: 1000, max: 3_600_000 })),
      max_wait_ms: opt(fc.integer({ min: 0, max: 60_000 })),
      commit: opt(fc.constantFrom('first_token' as const, 'complete' as const)),
      policy: opt(fc.constantFrom(...POLICY_NAMES)),
      max_held_bytes: opt(fc.integer({ min: 65_536, max: 33_554_432 })),
      on: opt(fc.subarray([...TRIGGERS])),
      cross_model: opt(fc.boolean()),
    })
    .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));
  const ceilings = fc
    .record({
      max_attempts: opt(fc.integer({ min: 1, max: 20 })),
      retries: opt(fc.integer({ min: 0, max: 5 })),
      deadline_ms: opt(fc.integer({ min: 1000, max: 3_600_000 })),
      timeout_ms: opt(fc.integer({ min: 1000, max: 300_000 })),
      max_wait_ms: opt(fc.integer({ min: 0, max: 60_000 })),
      max_held_bytes: opt(fc.integer({ min: 65_536, max: 33_554_432 })),
    })
    .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));

  /** The rule in ten lines: first who says something, then the lowest bound; `false` and lists apart. */
  function reference(levels: readonly RedundancyInput[], bounds: readonly Ceilings[], field: string): unknown {
    const said = levels.map((one) => (one as Record<string, unknown>)[field]).find((value) => value !== undefined);
    const value = said ?? (BUILT_IN as Record<string, unknown>)[field] ?? null;
    if (field === 'on') return new Set(value as string[]);
    if (typeof value !== 'number') return value;
    const limits = bounds.map((one) => (one as Record<string, unknown>)[field]).filter((limit) => limit !== undefined);
    return Math.min(value, ...(limits as number[]));
  }

  it('C-3, C-6: body > header > virtual model > failover_defaults > key > workspace > operator > built-in, within both ceilings', () => {
    fc.assert(
      fc.property(fc.array(level, { minLength: 7, maxLength: 7 }), ceilings, ceilings, (levels, own, above) => {
        const [body, header, virtual, failover, key, workspace, operator] = levels;
        const options = optionsOf(
          { redundancy: body, headerRedundancy: JSON.stringify(header) },
          {
            virtual: virtual!,
            failover: failover!,
            key: key!,
            workspace: workspace!,
            operator: operator!,
            keyCeilings: own,
            ceilings: above,
          },
        );
        for (const field of FIELDS) {
          expect([field, options[NAMES[field] as keyof typeof options]]).toEqual([
            field,
            reference(levels, [own, above], field),
          ]);
        }
        // Body and header are one request: there the body's word stands. Between owners one `false` is final.
        const owners = [{ ...header, ...body }, virtual!, failover!, key!, workspace!, operator!] as RedundancyInput[];
        expect(options.crossModel).toBe(owners.every((one) => one.cross_model !== false));
        expect(options.onSent).toBe(levels.some((one) => one['on'] !== undefined));
        expect(options.table).toBe(defaultsOf().tables[options.policy]);
      }),
      { numRuns: 500 },
    );
  });

  it('C-3: the operator’s own defaults may lie outside the ranges', () => {
    const operator = { timeout_ms: 1, deadline_ms: 9_000_000, max_attempts: 100, first_token_timeout_ms: 1 };
    expect(optionsOf({}, { operator })).toMatchObject({
      timeoutMs: 1,
      deadlineMs: 9_000_000,
      maxAttempts: 100,
      firstTokenTimeoutMs: 1,
    });
  });

  it('T-3: a first-token timeout is asked for by request, key or workspace, not by the operator’s defaults', () => {
    const asked = { first_token_timeout_ms: 60_000 };
    expect(optionsOf({}, { operator: asked }).firstTokenTimeoutAsked).toBe(false);
    for (const levels of [{ workspace: asked }, { key: asked }, { failover: asked }]) {
      expect(optionsOf({}, levels).firstTokenTimeoutAsked).toBe(true);
    }
    expect(optionsOf({ redundancy: asked }).firstTokenTimeoutAsked).toBe(true);
    expect(optionsOf({ headerRedundancy: JSON.stringify(asked) }).firstTokenTimeoutAsked).toBe(true);
  });

  it('D-12: cells overridden in the configuration are in the table of their policy', () => {
    const policies = { strict: { overloaded: ['next_model' as const] } };
    expect(optionsOf({ redundancy: { policy: 'strict' } }, { policies }).table.overloaded.steps).toEqual([
      'next_model',
    ]);
    expect(optionsOf({}, { policies }).table).toEqual(policyTable('standard'));
  });

  it('C-3: of several limits on cost the strictest wins', () => {
    const levels = { operator: { max_cost_usd: 5 }, key: { max_cost_usd: 2 }, workspace: { max_cost_usd: 0.1 } };
    expect(optionsOf({}, levels).maxCostNanoUsd).toBe(100_000_000n);
    expect(optionsOf({}, { ...levels, ceilings: { max_cost_usd: 0.05 } }).maxCostNanoUsd).toBe(50_000_000n);
    expect(optionsOf({}, { ...levels, virtual: { max_cost_usd: 0.01 } }).maxCostNanoUsd).toBe(10_000_000n);
  });

  it('C-3: of several privacy levels the most private wins, the request’s among them', () => {
    const levels = { key: { privacy_level: 'internal' }, workspace: { privacy_level: 'confidential' } };
    expect(optionsOf({}, levels).privacyLevel).toBe('confidential');
    expect(optionsOf({}, { ...levels, virtual: { privacy_level: 'restricted' } }).privacyLevel).toBe('restricted');
    expect(strictestPrivacy(['internal', undefined, 'restricted', 'public', null])).toBe('restricted');
    expect(strictestPrivacy([undefined, null])).toBeNull();
  });

  it('P-6: skip_incapable is the nearest word', () => {
    expect(optionsOf({}, { key: { skip_incapable: true } }).skipIncapable).toBe(true);
    expect(optionsOf({ redundancy: { skip_incapable: false } }, { key: { skip_incapable: true } }).skipIncapable).toBe(
      false,
    );
    expect(optionsOf({ redundancy: { skip_incapable: true } }).skipIncapable).toBe(true);
  });

  it('C-4: priority low keeps a request on its model, whoever says it; a request may ask for more', () => {
    for (const level of ['virtual', 'failover', 'key', 'workspace', 'operator'] as const) {
      const levels = { [level]: { priority: 'low' as const } };
      expect(optionsOf({}, levels)).toMatchObject({ priority: 'low', crossModel: false });
      const asked = { redundancy: { priority: 'normal' as const } };
      expect(optionsOf(asked, levels)).toMatchObject({ priority: 'normal', crossModel: true });
    }
    const low = { redundancy: { priority: 'low' as const, cross_model: true } };
    expect(optionsOf(low)).toMatchObject({ priority: 'low', crossModel: false });
    const high = { redundancy: { priority: 'high' as const } };
    expect(optionsOf(high, { key: { cross_model: false, priority: 'low' } })).toMatchObject({
      priority: 'high',
      crossModel: false,
    });
  });
});

describe('C-4: ceilings', () => {
  it('C-4: numbers a request asks for are clamped, and the record says so', () => {
    const redundancy = { max_attempts: 20, deadline_ms: 600_000, timeout_ms: 5000, retries: 5 };
    const levels = { ceilings: { max_attempts: 10, retries: 3, timeout_ms: 9000 }, keyCeilings: { max_attempts: 4 } };
    expect(optionsOf({ redundancy }, levels)).toMatchObject({
      maxAttempts: 4,
      deadlineMs: 600_000,
      timeoutMs: 5000,
      retries: 3,
      clamped: [
        { field: 'retries', asked: 5, given: 3 },
        { field: 'max_attempts', asked: 20, given: 4 },
      ],
    });
  });

  it('C-4: defaults stay within the ceilings too; nobody asked, so nothing is recorded', () => {
    const levels = {
      ceilings: { max_attempts: 2, timeout_ms: 10_000 },
      key: { retries: 4 },
      keyCeilings: { retries: 1 },
    };
    expect(optionsOf({}, levels)).toMatchObject({ maxAttempts: 2, timeoutMs: 10_000, retries: 1, clamped: [] });
  });

  it('C-4: an entry’s timeout is bounded as well', () => {
    const read = resolve({ chain: chain(2, 30_000) }, { ceilings: { timeout_ms: 20_000 } });
    expect(read).toMatchObject({
      ok: true,
      value: {
        chain: { entries: [{ timeoutMs: 20_000 }, { timeoutMs: 20_000 }] },
        options: { clamped: [{ field: 'n0.timeout_ms', asked: 30_000, given: 20_000 }, { field: 'n1.timeout_ms' }] },
      },
    });
  });

  it('C-4: a policy that was asked for is refused, not changed', () => {
    const levels = {
      ceilings: { policies: ['standard', 'strict'] },
      keyCeilings: { policies: ['strict', 'permissive'] },
    };
    for (const policy of ['standard', 'permissive']) {
      expect(refusal({ redundancy: { policy } }, levels)).toMatchObject({
        status: 400,
        code: 'invalid_redundancy',
        message: `\`redundancy.policy\` may not be "${policy}" here; allowed: strict`,
        param: 'redundancy.policy',
      });
    }
    expect(optionsOf({ redundancy: { policy: 'strict' } }, levels).policy).toBe('strict');
  });

  it('C-3: a default policy that is not allowed gives way to the most careful one that is', () => {
    expect(optionsOf({}, { ceilings: { policies: ['permissive', 'strict'] } }).policy).toBe('strict');
    expect(optionsOf({}, { ceilings: { policies: ['permissive'] } }).policy).toBe('permissive');
    const none = { ceilings: { policies: ['permissive'] }, keyCeilings: { policies: ['standard'] } };
    expect(optionsOf({}, none).policy).toBe('strict');
  });
});

describe('C-4: body and header', () => {
  it('C-4: body beats header, field by field', () => {
    const read = optionsOf({
      redundancy: { timeout_ms: 5000, policy: 'strict' },
      headerRedundancy: '{"timeout_ms": 9000, "retries": 2}',
    });
    expect(read).toMatchObject({ timeoutMs: 5000, policy: 'strict', retries: 2 });
  });

  it('C-4: a header that is no JSON is named', () => {
    expect(refusal({ headerRedundancy: 'timeout_ms=5' })).toMatchObject({
      status: 400,
      code: 'invalid_redundancy',
      param: 'X-Understudy-Redundancy',
    });
    expect(refusal({ headerRedundancy: '[]' }).code).toBe('invalid_redundancy');
  });

  it('C-4: a bad header is an error even where the body says the same field', () => {
    const wishes = { redundancy: { timeout_ms: 5000 }, headerRedundancy: '{"timeout_ms": 5}' };
    expect(refusal(wishes).code).toBe('invalid_redundancy');
  });

  it('I-1: a key is taken, one that is none is refused', () => {
    expect(resolve({ headers: { 'idempotency-key': 'k-1' } }).ok).toBe(true);
    expect(refusal({ headers: { 'idempotency-key': ['a', 'b'] } }).code).toBe('invalid_idempotency_key');
  });
});

describe('D-4: budgets', () => {
  it('D-4: the default of max_attempts is raised to the chain’s length', () => {
    expect(optionsOf({ chain: chain(9) }).maxAttempts).toBe(9);
    expect(optionsOf({ chain: chain(3) }, { operator: { max_attempts: 2 } }).maxAttempts).toBe(3);
  });

  it('D-4: what somebody asked for is not raised, and ceilings bound the raise', () => {
    expect(optionsOf({ chain: chain(3), redundancy: { max_attempts: 1 } }).maxAttempts).toBe(1);
    expect(optionsOf({ chain: chain(3) }, { key: { max_attempts: 2 } }).maxAttempts).toBe(2);
    expect(optionsOf({ chain: chain(9) }, { ceilings: { max_attempts: 7 } }).maxAttempts).toBe(7);
    expect(optionsOf({ chain: chain(9) }, { ceilings: { max_attempts: 4 } }).maxAttempts).toBe(4);
  });

  it.each<[Record<string, unknown>, number | null]>([
    [{ 'x-stainless-timeout': '60' }, 58_000],
    [{ 'x-stainless-timeout': '3' }, 1500],
    [{ 'x-stainless-timeout': '4' }, 2000],
    [{ 'x-stainless-read-timeout': '30.5' }, 28_500],
    [{ 'x-server-timeout': '10', 'x-stainless-timeout': '600' }, 8000],
    [{ 'x-stainless-timeout': '0.5' }, 250],
    [{ 'x-stainless-timeout': '0' }, null],
    [{ 'x-stainless-timeout': '-5' }, null],
    [{ 'x-stainless-timeout': 'NaN' }, null],
    [{ 'x-stainless-timeout': 'Infinity' }, null],
    [{ 'x-stainless-timeout': '1e3' }, null],
    [{ 'x-stainless-timeout': '' }, null],
    [{ 'x-stainless-timeout': ['5', '6'] }, null],
    [{}, null],
  ])('D-4: a client that announces %o is answered within %s ms', (headers, expected) => {
    expect(announcedDeadlineMs(headers)).toBe(expected);
    expect(optionsOf({ headers }).deadlineMs).toBe(expected ?? 570_000);
  });

  it('D-4: the announced time only shortens', () => {
    const headers = { 'x-stainless-timeout': '3600' };
    expect(optionsOf({ headers }).deadlineMs).toBe(570_000);
    expect(optionsOf({ headers, redundancy: { deadline_ms: 2000 } }).deadlineMs).toBe(2000);
    const short = { 'x-stainless-timeout': '10' };
    expect(optionsOf({ headers: short, redundancy: { deadline_ms: 60_000 } })).toMatchObject({
      deadlineMs: 8000,
      clamped: [],
    });
  });
});
