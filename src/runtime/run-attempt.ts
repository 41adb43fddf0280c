/**
 * One upstream call, from its first byte to its last: sends, watches the clock, reads head and body, and tells its
 * listener what came of it. Decides nothing; nothing of one attempt reaches the next.
 */
import { classifyTransport } from '../core/classify/transport.ts';
import type { Failure, Phase } from '../core/failure.ts';
import type { Usage } from '../core/usage/usage.ts';
import type { Answer, ContentKind, StreamTap } from '../dialects/contract.ts';
import type { Clock } from '../ports/clock.ts';
import type { Transport, TransportFault, UpstreamCall, UpstreamHandler } from '../ports/transport.ts';
import { AnswerReader } from './answer-reader.ts';
import { type AttemptListener, type AttemptSpec, limitOf } from './attempt-contract.ts';
import { AttemptTimers, type TimeoutKind } from './attempt-timers.ts';
import { contentFailure } from './content-failure.ts';

export type { AttemptListener, AttemptSpec };

// An upstream that keeps the socket open after `[DONE]` must not hold it for ever.
const LINGER_MS = 1000;

/** One call of one target, from its start to its last byte. It ends once; times in monotonic ms. */
export class Attempt implements UpstreamHandler {
  readonly no: number;
  readonly startedAt: number;
  readonly startedWall: number;
  /** Monotonic ms; null until it happened. */
  sentAt: number | null = null;
  readyAt: number | null = null;
  endedAt: number | null = null;
  /** Which of our timers ended it, and how long it gave it; null = none. */
  timedOut: { readonly kind: TimeoutKind; readonly ms: number } | null = null;
  state: 'running' | 'ready' | 'committed' | 'over' = 'running';

  readonly #spec: AttemptSpec;
  readonly #clock: Clock;
  readonly #listener: AttemptListener;
  readonly #timers: AttemptTimers;
  readonly #reader: AnswerReader;
  #call: UpstreamCall | null = null;
  #paused = false;
  #ended = false;
  #lastByteAt = 0;
  #lastContentAt = 0;
  #contentEvents = 0;

  constructor(spec: AttemptSpec, clock: Clock, listener: AttemptListener) {
    this.no = spec.no;
    this.#spec = spec;
    this.#clock = clock;
    this.#listener = listener;
    this.#reader = new AnswerReader(spec);
    this.#timers = new AttemptTimers(clock, (kind) => this.#timeout(kind));
    this.startedAt = clock.now();
    this.startedWall = clock.wall();
  }

  start(transport: Transport): void {
    const { timeoutMs, firstTokenTimeoutMs, stream } = this.#spec;
    this.#timers.limit(timeoutMs, 'total_timeout');
    if (stream && firstTokenTimeoutMs !== null && firstTokenTimeoutMs < timeoutMs) {
      this.#timers.limit(firstTokenTimeoutMs, 'first_token_timeout');
    }
    this.#call = transport.call(this.#spec.upstream, this);
  }

  /** The answer may flow: from here on only idle and stall limits hold (T-3). */
  commit(): void {
    if (this.state !== 'ready') return;
    this.state = 'committed';
    this.#timers.stop();
    const { tap } = this.#reader;
    if (tap === null) return;
    if (!tap.complete && tap.fault === null) this.#watchFlow();
    this.#afterPush(tap);
  }

  #watchFlow(): void {
    this.#lastByteAt = this.#lastContentAt = this.#clock.now();
    this.#timers.watch(this.#spec.idleTimeoutMs, 'idle_timeout', () => (this.#paused ? null : this.#lastByteAt));
    this.#timers.watch(this.#spec.stallTimeoutMs, 'stall_timeout', () => (this.#paused ? null : this.#lastContentAt));
  }

  /** Stops the call at once; nothing is told any more (T-6). */
  abort(): void {
    if (this.state === 'over') return;
    this.#finish();
    this.#call?.abort();
  }

  /** The client reads again. */
  resume(): void {
    if (!this.#paused || this.state !== 'committed') return;
    this.#paused = false;
    this.#lastByteAt = this.#lastContentAt = this.#clock.now();
    this.#call?.resume();
  }

  /** For whole answers: the driver has written it. */
  completeWhole(): void {
    if (this.state === 'committed' && this.answer !== null) this.#complete();
  }

  /** An id or a header of the upstream, unless it is a secret (E-5). */
  guarded(text: string): string {
    return this.#spec.guard(text);
  }

  /** The whole answer, when it came as one piece. */
  get answer(): Answer | null {
    return this.#reader.answer;
  }

  /** The tap, when it streams. */
  get tap(): StreamTap | null {
    return this.#reader.tap;
  }

  get status(): number | null {
    return this.#reader.status;
  }

  get phase(): Phase {
    if (this.state === 'committed') return 'committed';
    if (this.status !== null) return this.#reader.phase;
    return this.#call?.sent === true ? 'sent' : 'unsent';
  }

  get usage(): Usage | null {
    return this.tap?.usage ?? this.answer?.usage ?? null;
  }

  /** Bytes of text, reasoning and calls received. */
  get contentBytes(): number {
    return this.tap?.contentBytes ?? this.answer?.contentBytes ?? 0;
  }

  /** Events of a stream that carried content. */
  get contentEvents(): number {
    return this.tap?.contentEvents ?? 0;
  }

  /** The whole answer came. */
  get complete(): boolean {
    return this.tap?.complete ?? this.answer !== null;
  }

  /** It is no JSON and no stream of events: its content type says what it is. */
  get isRaw(): boolean {
    const type = this.tap?.contentType;
    return (
      this.answer?.raw !== undefined ||
      (type !== undefined && !/^(?:text\/event-stream|application\/json)\b/.test(type))
    );
  }

  get suspicious(): boolean {
    return this.tap?.suspicious ?? false;
  }

  // --- what the transport tells ---

  onSent(): void {
    this.sentAt = this.#clock.now();
  }

  onHead(status: number, headers: Record<string, string>): void {
    this.#reader.head(status, headers);
  }

  onData(chunk: Uint8Array): boolean {
    if (this.state === 'over') return true;
    try {
      this.#read(chunk);
    } catch (error) {
      this.#crash(error);
    }
    // Complete but for the body's own end: that must come through even while the client is still reading.
    return this.#isOver() || !this.#paused;
  }

  onEnd(): void {
    this.#ended = true;
    try {
      if (this.state === 'over') this.#timers.stop();
      else this.#readEnd();
    } catch (error) {
      this.#crash(error);
    }
  }

  onFault(fault: TransportFault): void {
    this.#ended = true;
    if (this.state === 'over') this.#timers.stop();
    else this.#broken(() => classifyTransport(fault, this.phase, { status: this.status }));
  }

  #read(chunk: Uint8Array): void {
    if (this.#reader.push(chunk)) {
      this.#fail(this.#reader.failure(this.#clock.wall()));
      return;
    }
    const { tap } = this.#reader;
    if (tap === null) return;
    this.#lastByteAt = this.#clock.now();
    this.#afterPush(tap);
  }

  #readEnd(): void {
    const { tap } = this.#reader;
    if (tap !== null) {
      tap.end();
      this.#afterPush(tap);
      return;
    }
    const content = this.#reader.readWhole();
    if (content === null) this.#fail(this.#reader.failure(this.#clock.wall()));
    else this.#ready(content);
  }

  // --- what came of it ---

  /** The call broke off, or time is up. What the answer had said by then counts first. */
  #broken(why: () => Failure): void {
    try {
      if (this.#reader.saysFailure) this.#fail(this.#reader.failure(this.#clock.wall()));
      else if (this.#reader.completeFinished()) this.#afterPush(this.#reader.tap!);
      else this.#fail(why());
    } catch (error) {
      this.#crash(error);
    }
  }

  /** A bug of ours in reading. Sockets and timers call us: nobody above them could answer the client. */
  #crash(error: unknown): void {
    if (this.#isOver()) return;
    this.#finish();
    this.#call?.abort();
    this.#listener.attemptCrashed(this, error);
  }

  #afterPush(tap: StreamTap): void {
    if (tap.contentEvents !== this.#contentEvents) {
      if (this.#contentEvents === 0 && this.state === 'running' && this.#spec.tap.holdAll) {
        // T-9: held, the first token is there all the same; what breaks off or stalls behind it is found as if shown.
        this.#timers.stop('first_token_timeout');
        this.#watchFlow();
      }
      this.#contentEvents = tap.contentEvents;
      this.#lastContentAt = this.#lastByteAt;
    }
    if (this.state === 'committed') {
      this.#forward(tap);
      if (tap.fault !== null) this.#fail(this.#reader.failure(this.#clock.wall()));
      else if (tap.complete) this.#complete();
    } else if (this.state === 'running') {
      // Content before a fault in one and the same read has been seen first: any split of the bytes ends alike (T-1).
      if (tap.ready !== null) this.#ready(tap.ready);
      else if (tap.fault !== null) this.#fail(this.#reader.failure(this.#clock.wall()));
    }
  }

  #forward(tap: StreamTap): void {
    const bytes = tap.drain();
    if (bytes !== null && !this.#listener.attemptBytes(this, bytes)) this.#paused = true;
  }

  #ready(content: ContentKind): void {
    this.readyAt = this.#clock.now();
    const failure = contentFailure(content, this.status);
    if (content === 'filtered' && failure !== null) {
      this.#fail(failure);
      return;
    }
    this.state = 'ready';
    this.#listener.attemptReady(this, content, failure);
  }

  #fail(failure: Failure): void {
    const committed = this.state === 'committed';
    this.#finish();
    this.#call?.abort();
    if (committed) this.#listener.attemptInterrupted(this, failure);
    else this.#listener.attemptFailed(this, failure);
  }

  #complete(): void {
    this.#finish();
    // After the terminator the body's own end is moments away: waiting for it keeps the connection for the next call.
    if (!this.#ended) this.#timers.linger(LINGER_MS, () => this.#call?.abort());
    this.#listener.attemptCompleted(this);
  }

  #timeout(kind: TimeoutKind): void {
    if (this.state === 'over' || this.state === 'ready') return;
    this.timedOut = { kind, ms: limitOf(this.#spec, kind) };
    this.#broken(() => classifyTransport({ kind }, this.phase, { status: this.status }));
  }

  #isOver(): boolean {
    return this.state === 'over';
  }

  #finish(): void {
    this.state = 'over';
    this.endedAt = this.#clock.now();
    this.#timers.stop();
  }
}
