/** Plans and options in short hand, for virtual runs and tests of the core. */
import type { FailoverOptions } from '../../src/core/failover/options.ts';
import type { Candidate, Plan, PlannedModel, PlannedTarget, SkipReason } from '../../src/core/failover/plan-types.ts';
import { type PolicyName, policyTable } from '../../src/core/failover/policy.ts';
import type { FailureClass, OnEntry } from '../../src/core/failure.ts';
import { TRIGGERS } from '../../src/core/failure.ts';

/** What a layout may say beside its targets, by model name. */
export interface ModelExtras {
  readonly origin?: PlannedModel['origin'];
  readonly skipped?: { readonly reason: SkipReason; readonly availableAt: number | null };
  readonly timeoutMs?: number;
  readonly firstTokenTimeoutMs?: number;
  readonly reasons?: boolean;
}

export interface LayoutExtras {
  readonly models?: Readonly<Record<string, ModelExtras>>;
  /** Known context window by channel letter. */
  readonly windows?: Readonly<Record<string, number>>;
  /** Worst-case cost by channel letter; null = price unknown. */
  readonly costs?: Readonly<Record<string, bigint | null>>;
  /** Targets whose credential has an address of its own, as in the text: `A2`. */
  readonly ownAddresses?: readonly string[];
  readonly explicit?: boolean;
}

/**
 * `a:A1,A2,B1 b:C1` = model a with the channels A (credentials 1, 2) and B, model b with C. A model without targets
 * (`b:`) is skipped. Ranks count from 1 over the whole plan; channel letters are never shared by models.
 */
export function layout(text: string, extras: LayoutExtras = {}): Plan {
  let rank = 0;
  const channels = new Map<string, number>();
  const credentials = new Map<string, number>();
  const index = (known: Map<string, number>, name: string): number => {
    if (!known.has(name)) known.set(name, known.size);
    return known.get(name)!;
  };
  const models = text.split(' ').map((part, modelIx): PlannedModel => {
    const [name = '', list = ''] = part.split(':');
    const extra = extras.models?.[name] ?? {};
    const targets = list
      .split(',')
      .filter((word) => word !== '')
      .map((word): PlannedTarget => {
        rank += 1;
        const channel = word.slice(0, 1);
        const cost = extras.costs?.[channel];
        return {
          rank,
          target: { model: modelIx, channel: index(channels, channel), credential: index(credentials, word) },
          contextWindow: extras.windows?.[channel] ?? null,
          throughOpenCircuit: false,
          ...(cost === undefined ? {} : { worstCost: cost }),
          ...(extras.ownAddresses?.includes(word) ? { ownAddress: true } : {}),
        };
      });
    return plannedModel(name, modelIx, targets, extra);
  });
  const candidates = models.flatMap(({ targets }) =>
    targets.map((planned): Candidate => ({ rank: planned.rank, target: planned.target, skip: null })),
  );
  return { snapshotVersion: 1, models, candidates, explicit: extras.explicit ?? models.length > 1 };
}

function plannedModel(name: string, model: number, targets: PlannedTarget[], extra: ModelExtras): PlannedModel {
  const windows = targets.map(({ contextWindow }) => contextWindow).filter((window) => window !== null);
  return {
    model,
    name,
    targets,
    timeoutMs: extra.timeoutMs ?? null,
    firstTokenTimeoutMs: extra.firstTokenTimeoutMs ?? null,
    reasons: extra.reasons ?? false,
    contextWindow: windows.length === 0 ? null : Math.max(...windows),
    skipped: extra.skipped ?? (targets.length === 0 ? { reason: 'cooling_rate_limit', availableAt: null } : null),
    origin: extra.origin ?? 'request',
  };
}

/** The built-in options with some changed; naming `on` counts as sending it. */
export function optionsOf(
  changes: Partial<Omit<FailoverOptions, 'on'>> & { on?: readonly OnEntry[] } = {},
): FailoverOptions {
  const { on, ...rest } = changes;
  const policy: PolicyName = changes.policy ?? 'standard';
  return {
    policy,
    table: policyTable(policy),
    on: new Set<OnEntry>(on ?? TRIGGERS),
    onSent: on !== undefined,
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
    ...rest,
  };
}

/** Classes that are the caller's own fault (F). */
export const CALLER_FAULTS: ReadonlySet<FailureClass> = new Set(['invalid_request', 'unsupported', 'gateway_rejected']);
