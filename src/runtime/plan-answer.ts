/** The answer of a dry run, as JSON. */
import type { GatewayError } from '../core/errors/gateway-error.ts';
import type { FailoverOptions } from '../core/failover/options.ts';
import type { Candidate, PlannedModel, PlannedTarget, Target } from '../core/failover/plan-types.ts';
import { reachableModels } from '../core/failover/row.ts';
import type { Trigger } from '../core/failure.ts';
import { shownMs } from '../core/shown-ms.ts';
import { amountRecord } from './attempt-record.ts';
import type { Walk, WalkedAttempt } from './dry-walk.ts';
import type { Job } from './job.ts';

/** An error as it would be sent. */
export interface ShownError {
  readonly status: number;
  readonly code: string | null;
  readonly message: string;
  readonly retry_at: string | null;
}

/** Who would be called. `credential`, `provider` and `upstream_model` are for those who may see a trace. */
export interface ShownTarget {
  readonly model: string;
  readonly channel: string;
  readonly credential_kind: 'byok' | 'platform' | 'none';
  readonly credential?: string | null;
  readonly provider?: string;
  readonly upstream_model?: string;
}

/** A walk as JSON shows it. */
export interface ShownWalk {
  readonly attempts: readonly object[];
  /** Null = it goes on for longer than is shown. */
  readonly ends: Pick<ShownError, 'status' | 'code'> | null;
}

/** The body of `/v1/plan`. Names as in the configuration. */
export interface PlanAnswer {
  readonly object: 'plan';
  readonly requested_model: string;
  readonly virtual_model: string | null;
  readonly chain: readonly string[];
  readonly explicit: boolean;
  readonly would: {
    readonly outcome: 'call' | 'refuse';
    /** Of the target called first. */
    readonly rank: number | null;
    readonly error: ShownError | null;
  };
  readonly policy: string;
  readonly on: readonly string[];
  readonly options: object;
  readonly budgets: object;
  readonly clamped: FailoverOptions['clamped'];
  readonly models: readonly object[];
  /** In the order of preference. */
  readonly targets: readonly object[];
  readonly left_out: readonly object[];
  readonly if_all_fail: Readonly<Record<Trigger, ShownWalk>>;
}

/** What is known beside the job. */
export interface PlanFacts {
  readonly walks: Readonly<Record<Trigger, Walk>>;
  /** What the request would be refused with before any call; null = it would go out. */
  readonly refusal: GatewayError | null;
  readonly named: boolean;
}

/** Without names of credentials where `named` is false (G-8). */
export function planAnswer(job: Job, { walks, refusal, named }: PlanFacts): PlanAnswer {
  const { chain, options, plan } = job;
  const reachable = new Set(reachableModels(plan, options));
  const shownWalk = ({ attempts, ends }: Walk): ShownWalk => ({
    attempts: attempts.map((attempt) => shownAttempt(job, attempt, named)),
    ends: ends === null ? null : { status: ends.status, code: ends.code },
  });
  return {
    object: 'plan',
    requested_model: chain.requestedModel,
    virtual_model: chain.virtual ?? null,
    chain: chain.entries.map(({ name }) => name),
    explicit: chain.explicit,
    would:
      refusal === null
        ? { outcome: 'call', rank: walks.server_error.attempts[0]?.rank ?? null, error: null }
        : { outcome: 'refuse', rank: null, error: shownError(refusal) },
    policy: options.policy,
    on: [...options.on],
    options: shownOptions(options),
    budgets: shownBudgets(options),
    clamped: options.clamped,
    models: plan.models.map((model) => shownModel(model, reachable.has(model))),
    targets: plan.models.flatMap(({ targets }) => targets.map((target) => shownPlanned(job, target, named))),
    left_out: plan.candidates.flatMap((candidate) => leftOut(job, candidate, named)),
    if_all_fail: {
      rate_limit: shownWalk(walks.rate_limit),
      server_error: shownWalk(walks.server_error),
      timeout: shownWalk(walks.timeout),
      connection_error: shownWalk(walks.connection_error),
    },
  };
}

function shownError({ status, code, message, retryAt }: GatewayError): ShownError {
  return { status, code, message, retry_at: shownInstant(retryAt) };
}

/** The last instant a date can name: a provider's nonsense must not break the answer that shows it. */
const LAST_INSTANT = 8.64e15;

function shownInstant(wall: number | null): string | null {
  return wall === null ? null : new Date(Math.min(wall, LAST_INSTANT)).toISOString();
}

function shownOptions(options: FailoverOptions): object {
  return {
    cross_model: options.crossModel,
    skip_incapable: options.skipIncapable,
    privacy_level: options.privacyLevel,
    priority: options.priority,
    commit: options.commit,
  };
}

/** Amounts in nano-dollars; null = none is set, of `retries` the policy's own count (D-9). */
function shownBudgets(options: FailoverOptions): object {
  return {
    max_attempts: options.maxAttempts,
    deadline_ms: options.deadlineMs,
    max_cost_nano_usd: amountRecord(options.maxCostNanoUsd),
    retries: options.retries,
    max_wait_ms: options.maxWaitMs,
    timeout_ms: options.timeoutMs,
    first_token_timeout_ms: options.firstTokenTimeoutMs,
    idle_timeout_ms: options.idleTimeoutMs,
    stall_timeout_ms: options.stallTimeoutMs,
  };
}

function shownModel({ name, origin, targets, timeoutMs, skipped }: PlannedModel, reachable: boolean): object {
  return {
    model: name,
    origin,
    // D-1, C-8: whether a failure of any kind could lead there.
    reachable,
    targets: targets.length,
    timeout_ms: timeoutMs,
    skipped: skipped === null ? null : { reason: skipped.reason, available_at: shownInstant(skipped.availableAt) },
  };
}

function shownTarget({ snapshot }: Job, { model, channel, credential }: Target, named: boolean): ShownTarget {
  const via = snapshot.channels[channel]!;
  const entry = credential === null ? null : snapshot.credentials[credential]!;
  const shown: ShownTarget = {
    model: snapshot.models[model]!.id,
    channel: via.id,
    credential_kind: entry?.kind ?? 'none',
  };
  if (!named) return shown;
  const { provider, upstreamModel } = via;
  return { ...shown, credential: entry?.name ?? null, provider: provider.name, upstream_model: upstreamModel };
}

function shownPlanned(job: Job, planned: PlannedTarget, named: boolean): object {
  const { rank, target } = planned;
  const unfit = job.unfit(target);
  return {
    rank,
    ...shownTarget(job, target, named),
    state: planned.throughOpenCircuit ? 'circuit_open' : planned.throughBackoff === true ? 'cooling_backoff' : 'ok',
    // P-6: the code the request would be refused with at its turn, or that it would be passed over.
    incapable: unfit === null ? null : (unfit.failure?.code ?? 'passed_over'),
    worst_cost_nano_usd: amountRecord(job.money.worstCost(target)),
  };
}

/** Members of a virtual model that the key may not call are no business of the key's (G-3). */
function leftOut(job: Job, { rank, target, skip }: Candidate, named: boolean): object[] {
  if (skip === null || (skip.reason === 'model_not_allowed' && !named)) return [];
  const { reason, availableAt } = skip;
  return [{ rank, ...shownTarget(job, target, named), reason, available_at: shownInstant(availableAt) }];
}

function shownAttempt(job: Job, attempt: WalkedAttempt, named: boolean): object {
  const { no, rank, waitMs, timeoutMs, firstTokenTimeoutMs, decision, reason } = attempt;
  return {
    no,
    rank,
    ...shownTarget(job, job.planned(rank).target, named),
    wait_ms: shownMs(waitMs),
    timeout_ms: timeoutMs,
    first_token_timeout_ms: firstTokenTimeoutMs,
    decision,
    reason,
  };
}
