/**
 * What a request of one key gets when it asks for nothing (C-3): key over workspace over operator over built-in, within
 * the ceilings. Made once per key and snapshot; a plain request then costs a look-up.
 */
import type { FailoverOptions } from '../failover/options.ts';
import { type PolicyName, type PolicyOverrides, type PolicyTable, policyTable } from '../failover/policy.ts';
import { type OnEntry, TRIGGERS } from '../failure.ts';
import { NO_RUNGS, type Rung, readRungs } from '../ladder/rungs.ts';
import type { NanoUsd } from '../usage/usage.ts';
import { type Bounds, bounded, boundPolicy, strictest } from './ceilings.ts';
import { PRIVACY_LEVELS, type PrivacyLevel } from './ranges.ts';
import type { Ceilings, RedundancyInput } from './redundancy-types.ts';

/** Everything above the request. A key, its workspace and the configuration, as they are at one snapshot. */
export interface OptionSources {
  /** Options of the virtual model that was asked for (C-6): nearer to the request than its key. Absent = none was. */
  readonly virtual?: RedundancyInput;
  readonly key: {
    /** `failover_defaults` without its models; beats `redundancy`. */
    readonly failoverDefaults: { readonly options: RedundancyInput } | null;
    readonly redundancy: RedundancyInput;
    readonly ceilings: Ceilings;
  };
  /** Null = the key's workspace sets nothing. */
  readonly workspace: { readonly redundancy: RedundancyInput; readonly ceilings: Ceilings } | null;
  /** The operator's defaults; may lie outside the ranges. */
  readonly defaults: RedundancyInput;
  readonly policies: Partial<Record<PolicyName, PolicyOverrides>>;
  readonly backoff: { readonly baseMs: number; readonly capMs: number };
}

/** The merged defaults of one key. */
export interface OptionDefaults {
  /** What virtual model, key and workspace say, merged. */
  readonly asked: RedundancyInput;
  readonly bounds: Bounds;
  readonly tables: Readonly<Record<PolicyName, PolicyTable>>;
  /** Nobody above the request set `max_attempts` but the operator: it grows with the chain (D-4). */
  readonly attemptsGrow: boolean;
  /** Nobody above the request said `cross_model: false` (C-3: the strictest wins). */
  readonly crossModel: boolean;
  /** Complete options of a request that asks for nothing and whose chain is no longer than `maxAttempts`. */
  readonly options: FailoverOptions;
}

const KIB = 1024;

/** C-3's last resort: D-4, D-3, T-3 and T-9's figures. */
export const BUILT_IN = {
  policy: 'standard',
  on: TRIGGERS,
  timeout_ms: 300_000,
  first_token_timeout_ms: 60_000,
  idle_timeout_ms: 60_000,
  stall_timeout_ms: 300_000,
  max_attempts: 6,
  deadline_ms: 570_000,
  max_wait_ms: 5000,
  commit: 'first_token',
  max_held_bytes: 8 * KIB * KIB,
} as const satisfies RedundancyInput;

/** Merges everything above the request. Of options nobody is stricter in, the nearest to the request wins. */
export function optionDefaults(sources: OptionSources): OptionDefaults {
  const { virtual, key, workspace, defaults, policies, backoff } = sources;
  const asked: RedundancyInput = {
    ...workspace?.redundancy,
    ...key.redundancy,
    ...key.failoverDefaults?.options,
    ...virtual,
  };
  const merged = { ...BUILT_IN, ...defaults, ...asked };
  const bounds = strictest(workspace === null ? [key.ceilings] : [key.ceilings, workspace.ceilings]);
  const tables = {
    standard: policyTable('standard', policies.standard),
    strict: policyTable('strict', policies.strict),
    permissive: policyTable('permissive', policies.permissive),
  };
  const policy = boundPolicy(merged.policy, bounds);
  const levels = [virtual, key.failoverDefaults?.options, key.redundancy, workspace?.redundancy, defaults];
  // C-3: the strictest wins, so one `false` anywhere is final.
  const crossModel = !levels.some((level) => level?.cross_model === false);
  const priority = merged.priority ?? 'normal';
  const options: FailoverOptions = {
    policy,
    table: tables[policy],
    on: new Set(merged.on as readonly OnEntry[]),
    onSent: levels.some((level) => level?.on !== undefined),
    crossModel: mayCross(crossModel, priority),
    timeoutMs: bounded('timeout_ms', merged.timeout_ms, bounds),
    firstTokenTimeoutMs: merged.first_token_timeout_ms,
    firstTokenTimeoutAsked: asked.first_token_timeout_ms !== undefined,
    idleTimeoutMs: merged.idle_timeout_ms,
    stallTimeoutMs: merged.stall_timeout_ms,
    retries: merged.retries === undefined ? null : bounded('retries', merged.retries, bounds),
    maxAttempts: bounded('max_attempts', merged.max_attempts, bounds),
    deadlineMs: bounded('deadline_ms', merged.deadline_ms, bounds),
    maxCostNanoUsd: lowestCost([...levels.map((level) => level?.max_cost_usd), bounds.numbers.max_cost_usd]),
    skipIncapable: merged.skip_incapable ?? false,
    privacyLevel: strictestPrivacy(levels.map((level) => level?.privacy_level)),
    priority,
    maxWaitMs: bounded('max_wait_ms', merged.max_wait_ms, bounds),
    commit: merged.commit,
    maxHeldBytes: bounded('max_held_bytes', merged.max_held_bytes, bounds),
    hedgeAfterMs: merged.hedge_after_ms ?? null,
    onTruncated: merged.on_truncated === 'extend' ? 'extend' : null,
    finishOnDisconnect: merged.finish_on_disconnect ?? true,
    onExhausted: defaultRungs(merged.on_exhausted),
    backoff,
    clamped: [],
  };
  return { asked, bounds, tables, attemptsGrow: asked.max_attempts === undefined, crossModel, options };
}

/** C-8, C-4: `cross_model: false` and `priority: low` keep a request on its first model. */
export function mayCross(crossModel: boolean, priority: FailoverOptions['priority']): boolean {
  return crossModel && priority !== 'low';
}

/** E-4: only a request itself may ask to be queued. */
function defaultRungs(list: RedundancyInput['on_exhausted']): readonly Rung[] {
  if (list === undefined) return NO_RUNGS;
  return readRungs(list)?.filter(({ kind }) => kind !== 'queue') ?? NO_RUNGS;
}

/** C-3: of several privacy levels the most private wins. */
export function strictestPrivacy(levels: readonly (string | undefined | null)[]): PrivacyLevel | null {
  const rank = Math.max(-1, ...levels.map((level) => PRIVACY_LEVELS.indexOf(level as PrivacyLevel)));
  return PRIVACY_LEVELS[rank] ?? null;
}

/** C-3: of several limits on cost the strictest wins. */
function lowestCost(amounts: readonly (number | undefined)[]): NanoUsd | null {
  const known = amounts.filter((amount) => amount !== undefined);
  return known.length === 0 ? null : nanoUsd(Math.min(...known));
}

/** More than any budget: beyond it the number would no longer be finite in nano-dollars. */
const MOST_USD = 1e9;

/** Dollars as sent → nano-dollars. */
export function nanoUsd(dollars: number): NanoUsd {
  return BigInt(Math.round(Math.min(dollars, MOST_USD) * 1e9));
}
