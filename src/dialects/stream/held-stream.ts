/**
 * What every tap decides alike: when an answer may be shown, and how much is held until then (T-1, T-7, T-9). A dialect's
 * tap extends it by reading events: it writes what the client gets into `out` and notes content on the way.
 */
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { ContentKind, StreamFault, StreamTapOptions } from '../contract.ts';
import { BROKEN_CALL } from '../failure/answer-faults.ts';
import { ANSWER, CONTENT } from './grammar.ts';

export abstract class HeldStream {
  fault: StreamFault | null = null;
  complete = false;
  suspicious = false;
  contentEvents = 0;
  contentBytes = 0;

  protected readonly options: StreamTapOptions;
  /** Whole events for the client: before the commit they stay here, afterwards `drain()` takes them. */
  protected readonly out = new ByteWriter();
  /** Kind of the first content; null = none yet. */
  #firstContent: ContentKind | null = null;
  /** `CONTENT` bits seen so far. */
  #content = 0;
  /** Under `holdAll`: the limit was passed, so it commits like first_token (T-9). */
  #overHeld = false;

  constructor(options: StreamTapOptions) {
    this.options = options;
  }

  /** What a complete answer is, by all the `CONTENT` bits of it. */
  protected abstract kindAtEnd(content: number): ContentKind;

  get ready(): ContentKind | null {
    const { shown } = this;
    return shown !== null || !this.complete ? shown : this.kindAtEnd(this.#content);
  }

  drain(): Uint8Array | null {
    return this.out.length === 0 ? null : this.out.take();
  }

  /** Nothing came so far that counts as an answer (F-5). */
  protected get saysNothing(): boolean {
    return (this.#content & ANSWER) === 0;
  }

  /** As what it may be shown before its end; null = not yet. */
  protected get shown(): ContentKind | null {
    return !this.options.holdAll || this.#overHeld ? this.#firstContent : null;
  }

  protected get isOver(): boolean {
    return this.complete || this.fault !== null;
  }

  /** An event with content: its `CONTENT` bits, never 0, and how many bytes of text, reasoning and calls it has. */
  protected noteContent(bits: number, bytes: number): void {
    this.contentEvents++;
    this.contentBytes += bytes;
    this.#content |= bits;
    this.#firstContent ??= bits === CONTENT.refusal ? 'refusal' : 'content';
  }

  /** After each event: `heldEnd` bytes wait for the tail, `beyondFirst` of them not in its first event. */
  protected checkLimits(heldEnd: number, beyondFirst: number): void {
    const { holdAll, maxHeldBytes, maxPreludeBytes } = this.options;
    const length = this.out.length + heldEnd;
    if (beyondFirst > maxPreludeBytes) {
      this.fail({ kind: 'malformed', message: `more than ${maxPreludeBytes} bytes after the last finish reason` });
    } else if (this.#firstContent === null) {
      const limit = holdAll ? Math.max(maxHeldBytes, maxPreludeBytes) : maxPreludeBytes;
      if (length > limit) this.fail({ kind: 'malformed', message: `more than ${limit} bytes before any content` });
    } else if (holdAll && length > maxHeldBytes) {
      this.#overHeld = true;
    }
  }

  /**
   * The proper end, or one that looks like it. A call that is not whole is no whole answer (dialects §8): once something
   * was shown, which calls always do, it is doubtful; `mustBreak` = the client would not even see it.
   */
  protected conclude(suspicious: boolean, hasBrokenCall: boolean, mustBreak = false): void {
    if (hasBrokenCall && (mustBreak || this.shown === null)) {
      this.fail({ kind: 'malformed', message: BROKEN_CALL.message });
      return;
    }
    this.complete = true;
    this.suspicious = suspicious || hasBrokenCall;
  }

  /** Nothing of a held end is shown once the stream went wrong: taps that hold one drop it as well (T-4). */
  protected fail(fault: StreamFault): void {
    this.fault = fault;
  }
}
