/** `/metrics` (O-3): requests are counted as they end; circuits and what others keep are asked for when somebody scrapes. */

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { RecordDraft } from '../../core/record.ts';
import type { NamedModels } from '../../core/signals/primary.ts';
import type { GatewayMetrics, OperationMetrics } from '../../ports/metrics.ts';
import { channelLabels, OperationCounters } from './operation-counters.ts';
import { RequestCounters } from './request-counters.ts';

/** A circuit as the health board names it: `channel` is `MODEL#CHANNEL`. */
export interface CircuitReading {
  readonly channel: string;
  readonly state: 'closed' | 'half_open' | 'open';
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
  readonly operations: OperationMetrics;
  /** Records the log gave up (O-2). */
  logDropped(count: number): void;
  /** The page, in Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** How often the event loop's lag is sampled, ms. Each sample wakes the process: 100 a second, as usual, are 5 ms of CPU. */
const LOOP_SAMPLE_MS = 100;

const CIRCUIT_VALUE = { closed: 0, half_open: 1, open: 2 } as const;

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  if (options.process !== false) {
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
  }
  return new PrometheusMetrics(registry, options);
}

class PrometheusMetrics implements Metrics {
  readonly operations: OperationMetrics;
  readonly #registry: Registry;
  readonly #requests: RequestCounters;
  readonly #retryBudgetRefused;
  readonly #logDropped;
  readonly #streams;

  constructor(registry: Registry, { snapshot, circuits }: MetricsOptions) {
    this.#registry = registry;
    const registers = [registry];
    this.#requests = new RequestCounters(registry, snapshot);
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
    showCircuits(registry, circuits ?? (() => []));
    this.operations = new OperationCounters(registry);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  observe(draft: RecordDraft): void {
    this.#requests.observe(draft);
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
}

function showCircuits(registry: Registry, circuits: () => Iterable<CircuitReading>): void {
  new Gauge({
    name: 'understudy_circuit_state',
    help: 'Circuit of a channel: 0 closed, 1 half-open, 2 open.',
    labelNames: ['model', 'channel'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { channel, state } of circuits()) this.set(channelLabels(channel), CIRCUIT_VALUE[state]);
    },
  });
}
