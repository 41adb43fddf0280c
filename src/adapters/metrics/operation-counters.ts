/** What goes on beside the requests: the store, events, alerts, retention. Figures that others keep are asked for at the scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { DeliveryState, OperationMetrics, ShownFigures } from '../../ports/metrics.ts';
import { HistogramCells } from './histogram-cells.ts';
import { LabelValues } from './label-value.ts';

/** Seconds. A commit of a local disk to one that hangs. */
const STORE_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** A channel as health and limits name it: `MODEL#CHANNEL`. */
export function channelLabels(name: string): { readonly model: string; readonly channel: string } {
  const hash = name.lastIndexOf('#');
  return { model: name.slice(0, Math.max(0, hash)), channel: name.slice(hash + 1) };
}

export class OperationCounters implements OperationMetrics {
  readonly #registry: Registry;
  readonly #operations = new LabelValues(50);
  readonly #kept = new LabelValues(50);
  readonly #figures: ShownFigures = {};
  readonly #storeSeconds;
  readonly #eventsDropped;
  readonly #deliveries;
  readonly #deleted;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#storeSeconds = new HistogramCells(
      registry,
      { name: 'understudy_store_seconds', help: 'Time an operation of the store took.' },
      ['op'],
      STORE_BUCKETS,
    );
    this.#eventsDropped = this.#counter('understudy_events_dropped_total', 'Events lost as the queue was full.', []);
    this.#deliveries = this.#counter(
      'understudy_webhook_deliveries_total',
      'Tries to deliver a webhook by what they came to.',
      ['state'],
    );
    this.#deleted = this.#counter('understudy_retention_deleted_total', 'Rows that retention deleted.', ['what']);
    this.#shown();
  }

  storeTook(operation: string, ms: number): void {
    if (ms >= 0) this.#storeSeconds.observe([this.#operations.of(operation)], ms / 1000);
  }

  eventsDropped(count: number): void {
    if (count > 0) this.#eventsDropped.inc(count);
  }

  delivery(state: DeliveryState): void {
    this.#deliveries.inc({ state });
  }

  retentionDeleted(what: string, count: number): void {
    if (count > 0) this.#deleted.inc({ what: this.#kept.of(what) }, count);
  }

  show(figures: ShownFigures): void {
    Object.assign(this.#figures, figures);
  }

  #shown(): void {
    const figures = this.#figures;
    const bit = (up: boolean | undefined): number | undefined => (up === undefined ? undefined : Number(up));
    this.#gauge('understudy_store_up', '1 while the store answers, else 0.', [], (set) =>
      set({}, bit(figures.storeUp?.())),
    );
    this.#gauge('understudy_shared_up', '1 while the state that replicas share answers, else 0.', [], (set) =>
      set({}, bit(figures.sharedUp?.())),
    );
    this.#gauge('understudy_replicas', 'Living replicas, this one included.', [], (set) =>
      set({}, figures.replicas?.()),
    );
    this.#gauge('understudy_alert_active', '1 for each built-in alert that is on.', ['alert'], (set) => {
      for (const alert of figures.activeAlerts?.() ?? []) set({ alert }, 1);
    });
    this.#gauge(
      'understudy_channel_cap',
      'Calls at a time that a channel gets of this replica while it is slowed down.',
      ['model', 'channel'],
      (set) => {
        for (const { channel, cap } of figures.slowedChannels?.() ?? []) set(channelLabels(channel), cap);
      },
    );
    this.#counter('understudy_trace_dropped_total', 'Spans that no collector received.', [], () =>
      figures.tracesDropped?.(),
    );
  }

  #counter(name: string, help: string, labelNames: string[], total?: () => number | undefined): Counter {
    const registers = [this.#registry];
    if (total === undefined) return new Counter({ name, help, labelNames, registers });
    return new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        this.inc(total() ?? 0);
      },
    });
  }

  #gauge(name: string, help: string, labelNames: string[], fill: (set: SetGauge) => void): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        this.reset();
        // A reset leaves 0 where there are no labels, which nobody told.
        if (labelNames.length === 0) this.remove();
        fill((labels, value) => {
          if (value !== undefined) this.set({ ...labels }, value);
        });
      },
    });
  }
}

type SetGauge = (labels: Readonly<Record<string, string>>, value: number | undefined) => void;
