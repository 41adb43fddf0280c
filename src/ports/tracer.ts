/** Traces of finished requests (O-3): a span per request, one per attempt. Never on the request's way. */
import type { RecordDraft } from '../core/record.ts';

export interface Tracer {
  /**
   * Queues the spans of one request; drops and counts them when the queue is full.
   * @param traceparent the client's header as it came; null = none. An invalid one counts as none.
   */
  observe(draft: RecordDraft, traceparent: string | null): void;
  /** Sends what is queued, or gives up on it; never rejects. */
  flush(): Promise<void>;
  /** Spans that nobody received, since start. */
  readonly dropped: number;
}
