/** Counters fed by the request path; cheap by contract. */
import type { RecordDraft } from '../core/record.ts';

export interface GatewayMetrics {
  observe(draft: RecordDraft): void;
  streamOpened(): void;
  streamClosed(): void;
  retryBudgetRefused(): void;
}

/** Figures that others keep and the page asks for at each scrape. What is absent is not shown. */
export interface ShownFigures {
  storeUp?(): boolean;
  /** Shared state of several replicas. */
  sharedUp?(): boolean;
  /** Living replicas, this one included. */
  replicas?(): number;
  /** Names of the alerts that are on, without `alert.`. */
  activeAlerts?(): Iterable<string>;
  /** Channels that are slowed down, and to how many calls at a time (O-4). */
  slowedChannels?(): Iterable<{ readonly channel: string; readonly cap: number }>;
  /** Spans that nobody received, since start. */
  tracesDropped?(): number;
}

export type DeliveryState = 'delivered' | 'retried' | 'given_up';

/** Counters of what goes on beside the requests. */
export interface OperationMetrics {
  /** One operation of the store (`claim`, `finish`, `reserve`, …: few fixed words) took so long. */
  storeTook(operation: string, ms: number): void;
  /** Events lost because the queue was full (G-7). */
  eventsDropped(count: number): void;
  /** What one try to deliver a webhook came to. */
  delivery(state: DeliveryState): void;
  /** Rows that retention deleted; `what`: `requests`, `events`, `audit`, … */
  retentionDeleted(what: string, count: number): void;
  /** Adds figures to the page. */
  show(figures: ShownFigures): void;
}
