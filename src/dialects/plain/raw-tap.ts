/**
 * Passes bytes through that mean nothing to the gateway: sound, plain text. The first one commits; they are whole when the
 * transport says so, and nothing else can tell (T-5).
 */
import type { Usage } from '../../core/usage/usage.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { ContentKind, ErrorFrame, StreamFault, StreamTap, StreamTapOptions } from '../contract.ts';

const NOTHING = new Uint8Array(0);
const UNKNOWN = 'application/octet-stream';

export class RawTap implements StreamTap {
  fault: StreamFault | null = null;
  complete = false;
  readonly suspicious = false;
  contentEvents = 0;
  readonly usage: Usage | null;
  readonly finishReasons: readonly string[] = [];
  readonly contentType: string;
  readonly #options: StreamTapOptions;
  /** Tokens can be estimated from it. */
  readonly #isText: boolean;
  readonly #out = new ByteWriter();
  #length = 0;

  /** `usage`: what it is known to take; null = its bytes are all that is known. */
  constructor(options: StreamTapOptions, usage: Usage | null, isText = false) {
    this.#options = options;
    this.usage = usage;
    this.#isText = isText;
    this.contentType = options.contentType === undefined || options.contentType === '' ? UNKNOWN : options.contentType;
  }

  push(chunk: Uint8Array): void {
    if (this.complete || this.fault !== null || chunk.length === 0) return;
    this.contentEvents++;
    this.#length += chunk.length;
    this.#out.write(chunk);
  }

  end(): void {
    this.complete = true;
  }

  /** T-9: under `holdAll` not before the end, unless there is too much to hold. */
  get ready(): ContentKind | null {
    if (this.complete) return this.#length === 0 ? 'empty' : 'content';
    const { holdAll, maxHeldBytes } = this.#options;
    return this.#length > 0 && (!holdAll || this.#length > maxHeldBytes) ? 'content' : null;
  }

  get finished(): boolean {
    return this.complete;
  }

  get contentBytes(): number {
    return this.#isText ? this.#length : 0;
  }

  get heldBytes(): number {
    return this.#out.length;
  }

  drain(): Uint8Array | null {
    return this.#out.length === 0 ? null : this.#out.take();
  }

  /** There is no place for a report: the headers have said all. */
  tail(): Uint8Array {
    return this.drain() ?? NOTHING;
  }

  /** No words of ours may stand in it: a connection that breaks is the one thing nobody takes for the end (T-4). */
  interrupt(): ErrorFrame {
    return 'destroy';
  }
}
