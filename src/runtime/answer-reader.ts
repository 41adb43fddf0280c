/**
 * Reads one upstream answer: chooses by head and first bytes between a stream's tap and a whole body, and says what it
 * amounts to. No clock, no listener; the attempt asks after each piece.
 */
import type { ErrorVocabulary } from '../core/classify/vocabulary.ts';
import { type Failure, makeFailure, type Phase } from '../core/failure.ts';
import type { Answer, ContentKind, Lane, StreamTap, StreamTapOptions } from '../dialects/contract.ts';
import { ByteCollector } from './byte-collector.ts';
import { failureOfStreamFault, MAX_FAILURE_BYTES } from './stream-failure.ts';

const EMPTY = new Uint8Array(0);

/** What reading needs to know of the attempt. */
export interface ReaderSpec {
  readonly lane: Lane;
  readonly vocabulary: ErrorVocabulary;
  readonly mask: (text: string) => string;
  readonly stream: boolean;
  readonly tap: StreamTapOptions;
  readonly maxAnswerBytes: number;
}

/** One answer as it comes in. It never throws for what an upstream sent: what is wrong is a failure. */
export class AnswerReader {
  /** Null until the head came. */
  status: number | null = null;
  /** The tap, when it streams. */
  tap: StreamTap | null = null;
  /** The whole answer, once it was read as one piece. */
  answer: Answer | null = null;
  readonly #spec: ReaderSpec;
  #headers: Record<string, string> = {};
  #body: ByteCollector | null = null;

  constructor(spec: ReaderSpec) {
    this.#spec = spec;
  }

  head(status: number, headers: Record<string, string>): void {
    this.status = status;
    this.#headers = headers;
  }

  get succeeded(): boolean {
    return this.status !== null && this.status >= 200 && this.status <= 299;
  }

  /** The answer has said that it is a failure: its words count more than the way they broke off. */
  get saysFailure(): boolean {
    return this.status !== null && !this.succeeded;
  }

  /** Where reading has got to, for the failure's phase. */
  get phase(): Extract<Phase, 'headers' | 'body'> {
    return this.tap === null && this.#body === null ? 'headers' : 'body';
  }

  /** True = enough was read to fail at once. */
  push(chunk: Uint8Array): boolean {
    if (this.tap === null && this.#body === null) this.#choose(chunk);
    if (this.tap !== null) {
      this.tap.push(chunk);
      return false;
    }
    this.#body!.push(chunk);
    return this.#body!.length > (this.succeeded ? this.#spec.maxAnswerBytes : MAX_FAILURE_BYTES);
  }

  /** The body's end, for a whole answer: what it holds, or null when `failure()` says why it is none. */
  readWhole(): ContentKind | null {
    if (!this.succeeded) return null;
    this.answer = this.#spec.lane.readAnswer(this.#bytes(), this.#headers['content-type']);
    if (this.answer === null || this.#badFinish() !== null) return null;
    return this.answer.content;
  }

  /** Why what was read so far is no answer. `wall` in ms. */
  failure(wall: number): Failure {
    const source = { status: this.status ?? 0, headers: this.#headers, wall };
    const { lane, vocabulary, mask, maxAnswerBytes } = this.#spec;
    if (this.tap !== null) return failureOfStreamFault(this.tap.fault ?? { kind: 'cut' }, this.#spec, source);
    const reason = this.#badFinish();
    if (reason !== null) return failureOfStreamFault({ kind: 'bad_finish', reason }, this.#spec, source);
    if (this.succeeded && (this.#body?.length ?? 0) > maxAnswerBytes) {
      const message = `the answer is larger than ${maxAnswerBytes} bytes`;
      return makeFailure({ class: 'malformed', status: this.status, message, phase: 'body', maybeExecuted: true });
    }
    const body = this.#bytes().subarray(0, MAX_FAILURE_BYTES);
    return lane.classify({ ...source, body, inStream: false, vocabulary, phase: this.phase, mask });
  }

  /**
   * A finished stream that lost only its terminator, to a reset or to silence, is whole (T-5). True = it is complete now.
   */
  completeFinished(): boolean {
    const { tap } = this;
    if (tap === null || !tap.finished) return false;
    tap.end();
    return tap.fault === null && tap.complete;
  }

  #choose(first: Uint8Array): void {
    if (this.#spec.stream && this.succeeded && this.#isStream(first)) {
      const contentType = this.#headers['content-type'] ?? '';
      this.tap = this.#spec.lane.streamTap({ ...this.#spec.tap, contentType });
    } else {
      this.#body = new ByteCollector();
    }
  }

  #isStream(first: Uint8Array): boolean {
    const type = (this.#headers['content-type'] ?? '').toLowerCase();
    return this.#spec.lane.isStream(type, first.find((value) => value > 0x20) ?? 0);
  }

  #badFinish(): string | null {
    return this.answer?.finishReasons.find((reason) => this.#spec.lane.failedFinish(reason) !== null) ?? null;
  }

  #bytes(): Uint8Array {
    return this.#body?.bytes() ?? EMPTY;
  }
}
