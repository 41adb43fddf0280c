/**
 * `/metrics` (O-3). A request costs its counters two map look-ups each, about 3 µs in all; circuits are asked for when
 * somebody scrapes.
 */

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { WorkspaceEntry } from '../../config/snapshot.ts';
import type { AttemptRecord, RecordDraft } from '../../core/record.ts';
import { AUTO } from '../../core/request/virtual-models.ts';
import type { GatewayMetrics } from '../../ports/metrics.ts';
import { CounterCells } from './counter-cells.ts';
import { HistogramCells } from './histogram-cells.ts';
import { LabelValues, OTHER } from './label-value.ts';

/** A circuit as the health board names it: `channel` is `MODEL#CHANNEL`. */
export interface CircuitReading {
  readonly channel: string;
  readonly state: 'closed' | 'half_open' | 'open';
}

/** Names of models in a configuration, and what stands for them. */
export interface NamedModels {
  readonly modelById: { has(name: string): boolean };
  readonly aliases?: ReadonlyMap<string, string>;
  readonly workspaces?: ReadonlyMap<string, Pick<WorkspaceEntry, 'virtualModels' | 'auto'>>;
}

export interface MetricsOptions {
  /** The configuration in force: only its model names become label values. */
  readonly snapshot: () => NamedModels;
  /** Asked at each scrape. */
  readonly circuits?: () => Iterable<CircuitReading>;
  /** Process metrics (memory, event loop, file handles). Default true. */
  readonly process?: boolean;
}

export interface Metrics extends GatewayMetrics {
  /** Records the log gave up (O-2). */
  logDropped(count: number): void;
  /** The page, in Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Seconds. From a cached short answer to the longest stream worth telling apart. */
const REQUEST_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600];
const TTFT_BUCKETS = [0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 20, 30, 60];

const CIRCUIT_VALUE = { closed: 0, half_open: 1, open: 2 } as const;

/** `none`: no upstream was called. Else whose answer, or whose last failure, the client got (O-3). */
type Role = 'none' | 'primary' | 'fallback';

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  if (options.process !== false) collectDefaultMetrics({ register: registry });
  return new PrometheusMetrics(registry, options);
}

class PrometheusMetrics implements Metrics {
  readonly #registry: Registry;
  readonly #options: MetricsOptions;
  readonly #models = new LabelValues();
  readonly #channels = new LabelValues();
  readonly #endpoints = new LabelValues(100);
  readonly #requests;
  readonly #attempts;
  readonly #seconds;
  readonly #ttft;
  readonly #maybeExecuted;
  readonly #retryBudgetRefused;
  readonly #logDropped;
  readonly #streams;
  readonly #cost;
  readonly #waste;

  constructor(registry: Registry, options: MetricsOptions) {
    this.#registry = registry;
    this.#options = options;
    const registers = [registry];
    this.#requests = new CounterCells(
      registry,
      'understudy_requests_total',
      'Requests by what the client asked for, what served it, and how it ended.',
      ['endpoint', 'model', 'served', 'outcome', 'ending'],
    );
    this.#attempts = new CounterCells(
      registry,
      'understudy_attempts_total',
      'Upstream calls by target, failure class, result and what was decided next.',
      ['model', 'channel', 'class', 'result', 'decision', 'role'],
    );
    this.#seconds = new HistogramCells(
      registry,
      { name: 'understudy_request_seconds', help: 'Time from the first byte of a request to the last of its answer.' },
      ['endpoint', 'role'],
      REQUEST_BUCKETS,
    );
    this.#ttft = new HistogramCells(
      registry,
      {
        name: 'understudy_ttft_seconds',
        help: 'Time from the first byte of a request to the first content of its answer.',
      },
      ['endpoint', 'role'],
      TTFT_BUCKETS,
    );
    this.#maybeExecuted = new Counter({
      name: 'understudy_maybe_executed_total',
      help: 'Failed attempts that the upstream may have carried out and charged for.',
      labelNames: ['model', 'channel'],
      registers,
    });
    this.#retryBudgetRefused = new Counter({
      name: 'understudy_retry_budget_refused_total',
      help: 'Repeats that the retry budget refused.',
      registers,
    });
    this.#logDropped = new Counter({
      name: 'understudy_log_dropped_total',
      help: 'Request records that could not be written.',
      registers,
    });
    this.#streams = new Gauge({
      name: 'understudy_streams_open',
      help: 'Streams being delivered to clients.',
      registers,
    });
    this.#cost = new Counter({
      name: 'understudy_cost_nano_usd_total',
      help: 'Cost of served answers in nano-dollars.',
      labelNames: ['model', 'role'],
      registers,
    });
    this.#waste = new Counter({
      name: 'understudy_waste_nano_usd_total',
      help: 'Cost of attempts that served nobody, in nano-dollars, by the model that was asked for or served.',
      labelNames: ['model', 'role'],
      registers,
    });
    this.#circuits(registry);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  observe(draft: RecordDraft): void {
    const endpoint = this.#endpoints.of(draft.endpoint);
    const served = this.#model(draft.served_model);
    const model = this.#model(draft.requested_model);
    const primary = this.#primaryOf(draft);
    const role = roleOf(draft, primary);
    this.#requests.add([endpoint, model, served, draft.outcome, draft.ending]);
    for (const attempt of draft.attempts) this.#attempt(attempt, primary);
    if (draft.latency_ms >= 0) this.#seconds.observe([endpoint, role], draft.latency_ms / 1000);
    if (draft.ttft_ms !== null && draft.ttft_ms >= 0) this.#ttft.observe([endpoint, role], draft.ttft_ms / 1000);
    const paid = draft.served_model === null ? model : served;
    if (isAmount(draft.cost_nano_usd)) this.#cost.inc({ model: paid, role }, draft.cost_nano_usd);
    if (isAmount(draft.waste_nano_usd)) this.#waste.inc({ model: paid, role }, draft.waste_nano_usd);
  }

  streamOpened(): void {
    this.#streams.inc();
  }

  streamClosed(): void {
    this.#streams.dec();
  }

  retryBudgetRefused(): void {
    this.#retryBudgetRefused.inc();
  }

  logDropped(count: number): void {
    this.#logDropped.inc(count);
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #attempt(attempt: AttemptRecord, primary: string | null): void {
    // No upstream was called (H-2, X-4).
    if (attempt.rehearsed === true) return;
    const model = this.#model(attempt.model);
    const channel = this.#channels.of(attempt.channel);
    const role = attempt.model === primary ? 'primary' : 'fallback';
    this.#attempts.add([model, channel, attempt.class ?? 'none', attempt.result, attempt.decision, role]);
    if (attempt.maybe_executed) this.#maybeExecuted.inc({ model, channel });
  }

  /**
   * The model the request was meant for. Not always the first of its chain: a default model may stand in for it (C-7),
   * open circuits may put it behind others (P-5). A virtual name only stands for the first, if that is one of its own.
   */
  #primaryOf({ chain, requested_model: requested, workspace }: RecordDraft): string | null {
    const first = chain[0] ?? requested;
    if (requested === null) return first;
    const { modelById, aliases, workspaces } = this.#options.snapshot();
    if (modelById.has(requested)) return requested;
    const names = workspaces?.get(workspace);
    const members = requested === AUTO ? names?.auto : names?.virtualModels.get(requested)?.models;
    if (members === undefined) return aliases?.get(requested) ?? first;
    return first !== null && members.includes(first) ? first : (members[0] ?? requested);
  }

  /** Names a client invented are all one. */
  #model(name: string | null): string {
    if (name !== null && !this.#options.snapshot().modelById.has(name)) return OTHER;
    return this.#models.of(name);
  }

  #circuits(registry: Registry): void {
    const { circuits } = this.#options;
    new Gauge({
      name: 'understudy_circuit_state',
      help: 'Circuit of a channel: 0 closed, 1 half-open, 2 open.',
      labelNames: ['model', 'channel'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { channel, state } of circuits?.() ?? []) {
          const hash = channel.lastIndexOf('#');
          this.set(
            { model: channel.slice(0, Math.max(0, hash)), channel: channel.slice(hash + 1) },
            CIRCUIT_VALUE[state],
          );
        }
      },
    });
  }
}

function roleOf(draft: RecordDraft, primary: string | null): Role {
  const answered = draft.served_model ?? draft.attempts.at(-1)?.model ?? null;
  if (answered === null) return 'none';
  return answered === primary ? 'primary' : 'fallback';
}

/** A counter never falls, and nothing unknown is added up. */
function isAmount(value: number | null): value is number {
  return value !== null && value > 0;
}
