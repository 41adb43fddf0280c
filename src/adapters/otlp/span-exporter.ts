/**
 * Sends spans to a collector (O-3): queued, in batches, beside the requests. What the queue has no room for, and what no
 * collector takes, is dropped and counted.
 */
import type { RecordDraft } from '../../core/record.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Tracer } from '../../ports/tracer.ts';
import type { Transport } from '../../ports/transport.ts';
import { type PostAnswer, post } from './post.ts';
import { type SpanSources, spansOf } from './request-spans.ts';
import type { OtlpSettings } from './settings.ts';
import { exportBody, type Span } from './span.ts';
import { readTraceParent, type TraceParent, traceIdOf } from './trace-context.ts';

export interface ExporterParts {
  readonly settings: OtlpSettings;
  readonly sources: SpanSources;
  readonly transport: Transport;
  readonly clock: Clock;
  /** What is wrong in plain words, null = it is well again. */
  readonly onProblem: (problem: string | null) => void;
}

/** Spans that wait at most, and spans of one call. */
const QUEUE = 2048;
const BATCH = 512;
const EVERY_MS = 5000;
/** A stop waits no longer for a collector. */
const LAST_MS = 2000;
/** Waits before what may be sent again is. */
const AGAIN_MS = [1000, 2000, 4000];
/** The collector can't take it now; all else it will never take. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

interface Waiting {
  readonly draft: RecordDraft;
  readonly parent: TraceParent | null;
}

export class SpanExporter implements Tracer {
  readonly #parts: ExporterParts;
  #waiting: Waiting[] = [];
  #spans = 0;
  #dropped = 0;
  #sending: Promise<void> | null = null;
  #cancelTimer: Cancel | null = null;
  #wake: (() => void) | null = null;
  #closing = false;

  constructor(parts: ExporterParts) {
    this.#parts = parts;
  }

  get dropped(): number {
    return this.#dropped;
  }

  observe(draft: RecordDraft, traceparent: string | null): void {
    const parent = readTraceParent(traceparent);
    if (!this.#parts.settings.sampler(() => parent?.traceId ?? traceIdOf(draft.id), parent)) return;
    const spans = 1 + draft.attempts.length;
    if (this.#spans + spans > QUEUE) {
      this.#dropped += spans;
      return;
    }
    this.#waiting.push({ draft, parent });
    this.#spans += spans;
    if (this.#spans >= BATCH) this.#send();
    else this.#cancelTimer ??= this.#parts.clock.after(EVERY_MS, () => this.#send());
  }

  async flush(): Promise<void> {
    this.#send();
    await this.#sending;
  }

  /** Sends what is queued once more and gives up on what can't be sent at once. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#wake?.();
    await this.flush();
    this.#cancelTimer?.();
  }

  #send(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  /** Until nothing waits. Never rejects. */
  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const spans = this.#nextBatch();
      const { problem, rejected } = await this.#deliver(spans);
      this.#dropped += problem === null ? rejected : spans.length;
      this.#parts.onProblem(rejected > 0 ? `the collector did not take ${rejected} of ${spans.length} spans` : problem);
    }
  }

  #nextBatch(): Span[] {
    const spans: Span[] = [];
    let taken = 0;
    for (const { draft, parent } of this.#waiting) {
      if (spans.length >= BATCH) break;
      spans.push(...spansOf(draft, parent, this.#parts.sources));
      taken += 1;
    }
    this.#waiting = this.#waiting.slice(taken);
    this.#spans -= spans.length;
    return spans;
  }

  async #deliver(spans: readonly Span[]): Promise<PostAnswer> {
    const { settings, transport, clock } = this.#parts;
    const body = exportBody(settings.resource, spans);
    for (let again = 0; ; again += 1) {
      const timeoutMs = this.#closing ? Math.min(LAST_MS, settings.timeoutMs) : settings.timeoutMs;
      const answer = await post({ transport, clock, ...settings, timeoutMs, body });
      const wait = AGAIN_MS[again];
      const passes = answer.status === null || PASSING.has(answer.status);
      if (answer.problem === null || wait === undefined || !passes || this.#closing) return answer;
      await this.#pause(Math.max(wait, Math.min(answer.retryAfterMs ?? 0, 30_000)));
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
