/** Looks at every finished request, once, from its record: counters, alerts, traces, events (O-3, O-4, G-7). */
import type { RecordDraft } from '../core/record.ts';

export interface RequestWatcher {
  /**
   * Cheap and total by contract: it stands in the request's way. What takes longer is queued.
   * @param traceparent the client's header as it came; null = none
   */
  observe(draft: RecordDraft, traceparent: string | null): void;
}
