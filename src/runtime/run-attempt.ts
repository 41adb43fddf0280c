/**
 * One upstream call, from its first byte to its last: sends, watches the clock, reads head and body, and tells its
 * listener what came of it. Decides nothing; nothing of one attempt reaches the next.
 */
import { classifyTransport } from '../core/classify/transport.ts';
import type { ErrorVocabulary } from '../core/classify/vocabulary.ts';
import { type Failure, makeFailure, type Phase } from '../core/failure.ts';
import type { Usage } from '../core/usage/usage.ts';
import type { Answer, ContentKind, DialectCodec, StreamTap, StreamTapOptions } from '../dialects/contract.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { Transport, TransportFault, UpstreamCall, UpstreamHandler, UpstreamRequest } from '../ports/transport.ts';
import { ByteCollector } from './byte-collector.ts';
import { failureOfStreamFault } from './stream-failure.ts';

// An error body is read for its words, not for its bulk: more than this says nothing more (F-3).
const MAX_ERROR_BYTES = 256 * 1024;

// An upstream that keeps the socket open after `[DONE]` must not hold it for ever.
const LINGER_MS = 1000;

/** What an attempt needs; built by the driver from target, request and snapshot. */
export interface AttemptSpec {
  readonly no: number;
  readonly upstream: UpstreamRequest;
  readonly codec: DialectCodec;
  readonly vocabulary: ErrorVocabulary;
  readonly mask: (text: string) => string;
  readonly stream: boolean;
  readonly tap: StreamTapOptions;
  readonly timeoutMs: number;
  readonly firstTokenTimeoutMs: number | null;
  readonly idleTimeoutMs: number;
  readonly stallTimeoutMs: number;
  readonly maxAnswerBytes: number;
}

/** Told in order: `ready` or `failed` first; after a commit any `progress`, then `completed` or `interrupted`. */
export interface AttemptListener {
  /** There is something to show; nothing flows until `commit()`. */
  attemptReady(attempt: Attempt, content: ContentKind, failure: Failure | null): void;
  attemptFailed(attempt: Attempt, failure: Failure): void;
  /** Committed bytes to pass on. False = pause the upstream until `resume()`. */
  attemptBytes(attempt: Attempt, bytes: Uint8Array): boolean;
  attemptCompleted(attempt: Attempt): void;
  attemptInterrupted(attempt: Attempt, failure: Failure): void;
}

type TimeoutKind = 'first_token_timeout' | 'total_timeout' | 'idle_timeout' | 'stall_timeout';

export class Attempt implements UpstreamHandler {
  readonly no: number;
  readonly startedAt: number;
  readonly startedWall: number;
  /** Monotonic ms; null until it happened. */
  sentAt: number | null = null;
  readyAt: number | null = null;
  endedAt: number | null = null;
  status: number | null = null;
  /** The whole answer, when it came as one piece. */
  answer: Answer | null = null;
  /** The tap, when it streams. */
  tap: StreamTap | null = null;
  state: 'running' | 'ready' | 'committed' | 'over' = 'running';

  readonly #spec: AttemptSpec;
  readonly #clock: Clock;
  readonly #listener: AttemptListener;
  readonly #timers: Cancel[] = [];
  #call: UpstreamCall | null = null;
  #headers: Record<string, string> = {};
  #body: ByteCollector | null = null;
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
    this.startedAt = clock.now();
    this.startedWall = clock.wall();
  }

  start(transport: Transport): void {
    const { timeoutMs, firstTokenTimeoutMs, stream } = this.#spec;
    this.#arm(timeoutMs, 'total_timeout');
    if (stream && firstTokenTimeoutMs !== null && firstTokenTimeoutMs < timeoutMs) {
      this.#arm(firstTokenTimeoutMs, 'first_token_timeout');
    }
    this.#call = transport.call(this.#spec.upstream, this);
  }

  /** The answer may flow: from here on only idle and stall limits hold (T-3). */
  commit(): void {
    if (this.state !== 'ready') return;
    this.state = 'committed';
    this.#disarm();
    if (this.tap === null) return;
    if (this.tap.complete) {
      this.#forward();
      this.#complete();
      return;
    }
    this.#lastByteAt = this.#lastContentAt = this.#clock.now();
    this.#watch(this.#spec.idleTimeoutMs, 'idle_timeout', () => this.#lastByteAt);
    this.#watch(this.#spec.stallTimeoutMs, 'stall_timeout', () => this.#lastContentAt);
    this.#forward();
    this.#afterPush();
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

  get phase(): Phase {
    if (this.state === 'committed') return 'committed';
    if (this.status !== null) return this.#body === null && this.tap === null ? 'headers' : 'body';
    return this.#call?.sent === true ? 'sent' : 'unsent';
  }

  get usage(): Usage | null {
    return this.tap?.usage ?? this.answer?.usage ?? null;
  }

  get suspicious(): boolean {
    return this.tap?.suspicious ?? false;
  }

  // --- what the transport tells ---

  onSent(): void {
    this.sentAt = this.#clock.now();
  }

  onHead(status: number, headers: Record<string, string>): void {
    this.status = status;
    this.#headers = headers;
  }

  onData(chunk: Uint8Array): boolean {
    if (this.state === 'over') return true;
    if (this.tap === null && this.#body === null) this.#chooseReader(chunk);
    if (this.tap !== null) {
      this.tap.push(chunk);
      this.#afterPush();
      // Complete but for the body's own end: that must come through even while the client is still reading.
      return this.#isOver() || !this.#paused;
    }
    this.#collect(chunk);
    return true;
  }

  onEnd(): void {
    this.#ended = true;
    if (this.state === 'over') {
      this.#disarm();
      return;
    }
    if (this.tap !== null) {
      this.tap.end();
      this.#afterPush();
      return;
    }
    this.#readWhole();
  }

  onFault(fault: TransportFault): void {
    this.#ended = true;
    if (this.state === 'over') {
      this.#disarm();
      return;
    }
    // A status that says failure is worth more than the way its body broke off.
    if (this.status !== null && !isSuccess(this.status)) {
      this.#failFromBody();
      return;
    }
    if (this.tap !== null && fault.kind === 'reset' && this.#finishedBeforeReset()) return;
    this.#fail(classifyTransport(fault, this.phase, { status: this.status }));
  }

  // --- reading ---

  #chooseReader(first: Uint8Array): void {
    if (this.#spec.stream && isSuccess(this.status ?? 0) && this.#looksLikeEvents(first)) {
      this.tap = this.#spec.codec.streamTap(this.#spec.tap);
    } else {
      this.#body = new ByteCollector();
    }
  }

  /** By content type; where that says nothing useful, by the first byte: JSON and HTML are not events. */
  #looksLikeEvents(first: Uint8Array): boolean {
    const type = this.#headers['content-type'] ?? '';
    if (type.startsWith('text/event-stream')) return true;
    if (type.includes('json') || type.includes('html')) return false;
    const byte = first.find((value) => value > 0x20);
    return byte !== 0x7b && byte !== 0x3c && byte !== 0x5b;
  }

  #collect(chunk: Uint8Array): void {
    const body = this.#body!;
    body.push(chunk);
    if (!isSuccess(this.status ?? 0)) {
      if (body.length >= MAX_ERROR_BYTES) {
        this.#call?.abort();
        this.#failFromBody();
      }
    } else if (body.length > this.#spec.maxAnswerBytes) {
      this.#call?.abort();
      this.#fail(
        makeFailure({
          class: 'malformed',
          status: this.status,
          message: `the answer is larger than ${this.#spec.maxAnswerBytes} bytes`,
          phase: 'body',
          maybeExecuted: true,
        }),
      );
    }
  }

  #readWhole(): void {
    if (!isSuccess(this.status ?? 0)) {
      this.#failFromBody();
      return;
    }
    const answer = this.#spec.codec.readAnswer(this.#body?.bytes() ?? EMPTY);
    if (answer === null) {
      this.#failFromBody();
      return;
    }
    this.answer = answer;
    const reasons = answer.finishReasons;
    if (reasons.some((reason) => BAD_FINISH.has(reason))) {
      this.#fail(failureOfStreamFault({ kind: 'bad_finish', reason: reasons.join(', ') }, this.#spec, this.#source()));
      return;
    }
    this.#ready(answer.content);
  }

  #afterPush(): void {
    const tap = this.tap!;
    if (tap.contentEvents !== this.#contentEvents) {
      this.#contentEvents = tap.contentEvents;
      this.#lastContentAt = this.#clock.now();
    }
    if (this.state === 'committed') {
      this.#lastByteAt = this.#clock.now();
      this.#forward();
      if (tap.fault !== null) this.#fail(failureOfStreamFault(tap.fault, this.#spec, this.#source()));
      else if (tap.complete) this.#complete();
      return;
    }
    if (tap.fault !== null) this.#fail(failureOfStreamFault(tap.fault, this.#spec, this.#source()));
    else if (this.state === 'running' && tap.ready !== null) this.#ready(tap.ready);
  }

  #forward(): void {
    const bytes = this.tap!.drain();
    if (bytes === null) return;
    if (!this.#listener.attemptBytes(this, bytes)) this.#paused = true;
  }

  #ready(content: ContentKind): void {
    this.readyAt = this.#clock.now();
    if (content === 'filtered') {
      // F-5: a 2xx that says "filtered" without any answer is the class content_policy.
      this.#fail(contentFailure('content_policy', this.status, 'the provider filtered the answer', 'content_filter'));
      return;
    }
    this.state = 'ready';
    let failure: Failure | null = null;
    if (content === 'refusal') {
      failure = contentFailure('content_policy', this.status, 'the model refused to answer', 'refusal');
    } else if (content === 'empty') {
      failure = contentFailure('empty', this.status, 'the answer has no content', null);
    }
    this.#listener.attemptReady(this, content, failure);
  }

  #finishedBeforeReset(): boolean {
    const tap = this.tap!;
    if (tap.finishReasons.length === 0) return false;
    // Every choice had finished: the reset took only the terminator (T-5).
    tap.end();
    if (tap.fault !== null) return false;
    this.#afterPush();
    return true;
  }

  #source(): { status: number; headers: Record<string, string>; wall: number } {
    return { status: this.status ?? 0, headers: this.#headers, wall: this.#clock.wall() };
  }

  #failFromBody(): void {
    this.#fail(
      this.#spec.codec.classify({
        ...this.#source(),
        body: this.#body?.bytes() ?? EMPTY,
        inStream: false,
        vocabulary: this.#spec.vocabulary,
        phase: this.phase,
        mask: this.#spec.mask,
      }),
    );
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
    this.#linger();
    this.#listener.attemptCompleted(this);
  }

  /** After the terminator the body's own end is moments away: waiting for it keeps the connection for the next call. */
  #linger(): void {
    if (this.#ended) return;
    this.#timers.push(this.#clock.after(LINGER_MS, () => this.#call?.abort()));
  }

  /** For whole answers: the driver has written it. */
  completeWhole(): void {
    if (this.state !== 'committed' || this.answer === null) return;
    this.#finish();
    this.#listener.attemptCompleted(this);
  }

  #isOver(): boolean {
    return this.state === 'over';
  }

  #finish(): void {
    this.state = 'over';
    this.endedAt = this.#clock.now();
    this.#disarm();
  }

  // --- time ---

  #arm(ms: number, kind: TimeoutKind): void {
    this.#timers.push(this.#clock.after(ms, () => this.#timeout(kind)));
  }

  /** A lazy watchdog: re-armed for the rest when it fires early, so that no chunk touches a timer. */
  #watch(ms: number, kind: TimeoutKind, lastAt: () => number): void {
    const check = (): void => {
      const rest = this.#paused ? ms : lastAt() + ms - this.#clock.now();
      if (rest <= 0) this.#timeout(kind);
      else this.#timers.push(this.#clock.after(rest, check));
    };
    this.#timers.push(this.#clock.after(ms, check));
  }

  #timeout(kind: TimeoutKind): void {
    if (this.state === 'over' || this.state === 'ready') return;
    if (this.status !== null && !isSuccess(this.status)) this.#failFromBody();
    else this.#fail(classifyTransport({ kind }, this.phase, { status: this.status }));
  }

  #disarm(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.length = 0;
  }
}

const EMPTY = new Uint8Array(0);
/** F-6: finish reasons that are failures. */
const BAD_FINISH: ReadonlySet<string> = new Set(['error', 'abort', 'network_error', 'insufficient_system_resource']);

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function contentFailure(
  failureClass: 'content_policy' | 'empty',
  status: number | null,
  message: string,
  code: string | null,
): Failure {
  return makeFailure({ class: failureClass, status, message, code, phase: 'body' });
}
