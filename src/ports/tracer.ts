/** Traces of finished requests (O-3): a span per request, one per attempt. Never on the request's way. */
import type { RequestWatcher } from './request-watcher.ts';

/** Queues the spans of each request; drops and counts them when the queue is full. An invalid `traceparent` counts as none. */
export interface Tracer extends RequestWatcher {
  /** Sends what is queued, or gives up on it; never rejects. */
  flush(): Promise<void>;
  /** Spans that nobody received, since start. */
  readonly dropped: number;
}
