/** Counters fed by the request path; cheap by contract. */
import type { RecordDraft } from '../core/record.ts';

export interface GatewayMetrics {
  observe(draft: RecordDraft): void;
  streamOpened(): void;
  streamClosed(): void;
  retryBudgetRefused(): void;
}
