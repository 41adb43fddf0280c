/** One configuration with its health, and the plans of requests to it, in names. */
import { optionsOf } from '../../sim/virtual/layout.ts';
import type { Plan, Target } from '../../src/core/failover/plan-types.ts';
import { type FailureClass, makeFailure } from '../../src/core/failure.ts';
import { HealthBoard } from '../../src/core/health/board.ts';
import { DEFAULT_HEALTH } from '../../src/core/health/settings.ts';
import type { LimitReached, LimitScope } from '../../src/core/limits/limits.ts';
import { buildPlan, type PlanContext, type PlanSources } from '../../src/core/plan/plan.ts';
import { PlanCatalogue } from '../../src/core/plan/plan-catalogue.ts';
import type { PlanSource } from '../../src/core/plan/plan-source.ts';
import type { Chain, ChainEntry } from '../../src/core/request/chain.ts';
import { planSource, planSources, type SourceSpec } from './plan-source.ts';

export const NOW = 1000;
export const WALL = 1_700_000_000_000;

export interface Asked {
  readonly models: readonly string[];
  /** Of all but the first. */
  readonly origin?: ChainEntry['origin'];
  readonly options?: NonNullable<Parameters<typeof optionsOf>[0]>;
  readonly workspace?: string;
  readonly context?: Partial<PlanContext>;
  readonly chain?: Partial<Chain>;
}

export class PlanWorld {
  readonly source: PlanSource;
  readonly catalogue: PlanCatalogue;
  readonly board = new HealthBoard(DEFAULT_HEALTH);
  readonly sources: PlanSources;
  /** By `kind id`. */
  readonly reached = new Map<string, LimitReached>();

  constructor(spec: SourceSpec, change: Partial<PlanSources> = {}) {
    this.source = planSource(spec);
    this.catalogue = new PlanCatalogue(this.source);
    const limits = { reached: ({ kind, id }: LimitScope) => this.reached.get(`${kind} ${id}`) ?? null };
    this.sources = planSources(this.board, { limits, ...change });
  }

  plan({ models, origin = 'request', options = {}, workspace = 'acme', context = {}, chain = {} }: Asked): Plan {
    const entries = models.map((name, position) => ({
      model: this.source.models.findIndex(({ id }) => id === name),
      name,
      requestedName: name,
      timeoutMs: null,
      firstTokenTimeoutMs: null,
      degrade: null,
      origin: position === 0 ? ('request' as const) : origin,
    }));
    const whole = { entries, explicit: models.length > 1, requestedModel: models[0]!, ...chain };
    const asked = { now: NOW, wall: WALL, workspace, stream: false, options: optionsOf(options), ...context };
    return buildPlan(whole, this.catalogue, this.sources, asked);
  }

  /** `model#channel/credential`. */
  name({ channel, credential }: Target): string {
    const secret = credential === null ? '' : `/${this.source.credentials[credential]!.name}`;
    return `${this.source.channels[channel]!.healthKey}${secret}`;
  }

  targets(plan: Plan): string[] {
    return plan.models.flatMap(({ targets }) => targets.map(({ target }) => this.name(target)));
  }

  /** Each candidate's name with why it is left out. */
  reasons(plan: Plan): (readonly [string, string | null])[] {
    return plan.candidates.map(({ target, skip }) => [this.name(target), skip?.reason ?? null] as const);
  }

  /** So many calls of a target fail. */
  fail(name: string, failureClass: FailureClass, hintMs: number | null = null, times = 1): void {
    const hint = hintMs === null ? null : { ms: hintMs, source: 'header:retry-after' };
    const failure = makeFailure({ class: failureClass, message: '', hint });
    for (let i = 0; i < times; i += 1) {
      const admission = this.board.admit(this.catalogue.keysOf(this.targetOf(name)), NOW, { throughOpen: true });
      if (!admission.ok) throw new Error(admission.reason);
      this.board.settle(admission.permit, { kind: 'failure', failure }, NOW);
    }
  }

  /** Opens its channel's circuit. */
  open(name: string): void {
    this.fail(name, 'server_error', null, 5);
  }

  targetOf(name: string): Target {
    const all = this.source.channels.flatMap(({ ix, model, credentials }) =>
      (credentials.length === 0 ? [null] : credentials).map((credential) => ({ model, channel: ix, credential })),
    );
    const target = all.find((candidate) => this.name(candidate) === name);
    if (target === undefined) throw new Error(`no target ${name}`);
    return target;
  }
}
