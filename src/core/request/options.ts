/** What one request may do: its own wishes over its key's defaults, within the ceilings (C-3, C-4, D-4). */
import type { FailoverOptions } from '../failover/options.ts';
import type { OnEntry } from '../failure.ts';
import { type Rung, readRungs, withTries } from '../ladder/rungs.ts';
import type { NanoUsd } from '../usage/usage.ts';
import { announcedDeadlineMs } from './announced-timeout.ts';
import { type BoundedField, bounded, type Clamp } from './ceilings.ts';
import type { Chain, ChainEntry } from './chain.ts';
import { withoutUnreachableDefault } from './default-model.ts';
import { checkIdempotencyKey } from './idempotency-key.ts';
import { mayCross, nanoUsd, type OptionDefaults, strictestPrivacy } from './option-defaults.ts';
import { bad, good, type Read } from './read.ts';
import { readRedundancy } from './redundancy-fields.ts';
import type { RedundancyInput } from './redundancy-types.ts';

/** What the request itself says. */
export interface OptionWishes {
  /** The body's `redundancy`; undefined = absent. */
  readonly redundancy: unknown;
  /** The header X-Understudy-Redundancy: the same object as JSON; undefined = absent. */
  readonly headerRedundancy: string | undefined;
  /** All headers, names in lower case: announced timeouts and `idempotency-key` are read. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly chain: Chain;
}

export interface ResolvedOptions {
  readonly options: FailoverOptions;
  /** The chain as far as the options let it go, with its entries' timeouts within the ceilings. */
  readonly chain: Chain;
}

/** The options of one request, or 400 naming the field at fault. */
export function resolveOptions(wishes: OptionWishes, defaults: OptionDefaults): Read<ResolvedOptions> {
  const keyed = checkIdempotencyKey(headerText(wishes.headers['idempotency-key']));
  if (!keyed.ok) return keyed;
  const asked = readWishes(wishes);
  if (!asked.ok) return asked;
  const policy = checkPolicy(asked.value, defaults);
  if (!policy.ok) return policy;

  const clamped: Clamp[] = [];
  const wished = applyWishes(asked.value, defaults, clamped);
  const reached = withoutUnreachableDefault(wishes.chain, wished);
  if (!reached.ok) return reached;
  const chain = boundChain(reached.value, defaults, clamped);
  const grown = growAttempts(wished, asked.value, defaults, chain.entries.length);
  const timed = announce(grown, announcedDeadlineMs(wishes.headers));
  return good({ options: clamped.length > 0 ? { ...timed, clamped } : timed, chain });
}

/** Node gives repeated headers as one text or as a list; any is enough to know that one was sent. */
function headerText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Body over header, field by field. Null = the request asks for nothing. */
function readWishes({ redundancy, headerRedundancy }: OptionWishes): Read<RedundancyInput | null> {
  if (redundancy === undefined && headerRedundancy === undefined) return good(null);
  const header = headerRedundancy === undefined ? good({}) : readHeader(headerRedundancy);
  if (!header.ok) return header;
  const body = redundancy === undefined ? good({}) : readRedundancy(redundancy);
  if (!body.ok) return body;
  return good({ ...header.value, ...body.value });
}

function readHeader(text: string): Read<RedundancyInput> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const header = 'X-Understudy-Redundancy';
    return bad('invalid_redundancy', `${header} must be a JSON object, e.g. {"timeout_ms": 30000}`, header);
  }
  return readRedundancy(value);
}

/** Ceilings refuse a policy that was asked for; they never change it in silence. */
function checkPolicy(asked: RedundancyInput | null, { bounds }: OptionDefaults): Read<null> {
  const policy = asked?.policy;
  if (policy === undefined || bounds.policies === null || bounds.policies.has(policy)) return good(null);
  const allowed = [...bounds.policies].join(', ') || 'none';
  const param = 'redundancy.policy';
  return bad('invalid_redundancy', `\`${param}\` may not be "${policy}" here; allowed: ${allowed}`, param);
}

function applyWishes(asked: RedundancyInput | null, defaults: OptionDefaults, clamped: Clamp[]): FailoverOptions {
  const base = defaults.options;
  if (asked === null) return base;
  const clamp = (field: BoundedField, value: number | undefined): number | undefined =>
    value === undefined ? undefined : clampNumber(field, field, value, defaults, clamped);
  const policy = asked.policy ?? base.policy;
  const priority = asked.priority ?? base.priority;
  return {
    ...base,
    policy,
    table: defaults.tables[policy],
    on: asked.on === undefined ? base.on : new Set(asked.on as readonly OnEntry[]),
    onSent: base.onSent || asked.on !== undefined,
    crossModel: mayCross(defaults.crossModel && asked.cross_model !== false, priority),
    timeoutMs: clamp('timeout_ms', asked.timeout_ms) ?? base.timeoutMs,
    firstTokenTimeoutMs: asked.first_token_timeout_ms ?? base.firstTokenTimeoutMs,
    firstTokenTimeoutAsked: base.firstTokenTimeoutAsked || asked.first_token_timeout_ms !== undefined,
    idleTimeoutMs: asked.idle_timeout_ms ?? base.idleTimeoutMs,
    stallTimeoutMs: asked.stall_timeout_ms ?? base.stallTimeoutMs,
    retries: clamp('retries', asked.retries) ?? base.retries,
    maxAttempts: clamp('max_attempts', asked.max_attempts) ?? base.maxAttempts,
    deadlineMs: clamp('deadline_ms', asked.deadline_ms) ?? base.deadlineMs,
    maxCostNanoUsd: lowerCost(asked.max_cost_usd, base.maxCostNanoUsd, clamped),
    skipIncapable: asked.skip_incapable ?? base.skipIncapable,
    privacyLevel: strictestPrivacy([asked.privacy_level, base.privacyLevel]),
    priority,
    maxWaitMs: clamp('max_wait_ms', asked.max_wait_ms) ?? base.maxWaitMs,
    commit: asked.commit ?? base.commit,
    maxHeldBytes: clamp('max_held_bytes', asked.max_held_bytes) ?? base.maxHeldBytes,
    hedgeAfterMs: asked.hedge_after_ms ?? base.hedgeAfterMs,
    onTruncated: asked.on_truncated === 'extend' ? 'extend' : base.onTruncated,
    finishOnDisconnect: asked.finish_on_disconnect ?? base.finishOnDisconnect,
    onExhausted: wishedRungs(asked, defaults) ?? base.onExhausted,
  };
}

/** The request's own ladder; null = it has none. Its own `retries` is the number of a queued job's tries (D-9). */
function wishedRungs(
  { on_exhausted: list, retries }: RedundancyInput,
  { bounds }: OptionDefaults,
): readonly Rung[] | null {
  const rungs = list === undefined ? null : readRungs(list);
  if (rungs === null || retries === undefined) return rungs;
  return withTries(rungs, bounded('retries', retries, bounds));
}

/** C-3: a request may lower what it may cost, never raise it. Raising is no fault; the record shows what was given. */
function lowerCost(asked: number | undefined, base: NanoUsd | null, clamped: Clamp[]): NanoUsd | null {
  if (asked === undefined) return base;
  const wished = nanoUsd(asked);
  if (base === null || wished <= base) return wished;
  clamped.push({ field: 'max_cost_usd', asked, given: Number(base) / 1e9 });
  return base;
}

/** `shown`: the field as the record names it. */
function clampNumber(
  field: BoundedField,
  shown: string,
  asked: number,
  { bounds }: OptionDefaults,
  clamped: Clamp[],
): number {
  const given = bounded(field, asked, bounds);
  if (given !== asked) clamped.push({ field: shown, asked, given });
  return given;
}

/** An entry's `timeout_ms` beats the request's, but not the ceiling. */
function boundChain(chain: Chain, defaults: OptionDefaults, clamped: Clamp[]): Chain {
  const limit = defaults.bounds.numbers.timeout_ms;
  if (limit === undefined || chain.entries.every(({ timeoutMs }) => timeoutMs === null || timeoutMs <= limit)) {
    return chain;
  }
  const bound = (entry: ChainEntry): ChainEntry => {
    if (entry.timeoutMs === null) return entry;
    const shown = `${entry.requestedName}.timeout_ms`;
    return { ...entry, timeoutMs: clampNumber('timeout_ms', shown, entry.timeoutMs, defaults, clamped) };
  };
  return { ...chain, entries: chain.entries.map(bound) };
}

/** D-4: the default of `max_attempts` is raised to the chain's length, as far as the ceilings allow. */
function growAttempts(
  options: FailoverOptions,
  asked: RedundancyInput | null,
  { attemptsGrow, bounds }: OptionDefaults,
  length: number,
): FailoverOptions {
  if (!attemptsGrow || asked?.max_attempts !== undefined || length <= options.maxAttempts) return options;
  return { ...options, maxAttempts: Math.max(options.maxAttempts, bounded('max_attempts', length, bounds)) };
}

/** D-4: never later than the client waits. */
function announce(options: FailoverOptions, deadlineMs: number | null): FailoverOptions {
  return deadlineMs === null || deadlineMs >= options.deadlineMs ? options : { ...options, deadlineMs };
}
