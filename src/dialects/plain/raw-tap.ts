/**
 * Passes bytes through that mean nothing to the gateway: sound, plain text. The first one commits; they are whole when the
 * transport says so, and nothing else can tell (T-5).
 */
import type { Usage } from '../../core/usage/usage.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { ContentKind, ErrorFrame, StreamFault, StreamTap, StreamTapOptions } from '../contract.ts';

const NOTHING = new Uint8Array(0);
const UNKNOWN = 'application/octet-stream';
/** Of compressed sound, about: 16 kilobytes and 20 tokens a second. */
const SOUND_BYTES_PER_TOKEN = 800;

const UNCOUNTED: Usage = {
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
  audioInput: null,
  audioOutput: null,
  total: null,
  estimated: true,
};

export class RawTap implements StreamTap {
  fault: StreamFault | null = null;
  complete = false;
  readonly suspicious = false;
  contentEvents = 0;
  readonly finishReasons: readonly string[] = [];
  readonly contentType: string;
  readonly #options: StreamTapOptions;
  readonly #counts: Usage | 'text' | 'sound';
  readonly #out = new ByteWriter();
  #length = 0;

  /** `counts`: what it takes, or what its bytes are: nobody counts what comes as nothing but bytes. */
  constructor(options: StreamTapOptions, counts: Usage | 'text' | 'sound') {
    this.#options = options;
    this.#counts = counts;
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
    return this.#counts === 'text' ? this.#length : 0;
  }

  /** Of sound it is only known that it is some: without a price of sound its cost stays unknown (G-4). */
  get usage(): Usage | null {
    if (this.#counts === 'text') return null;
    if (this.#counts !== 'sound') return this.#counts;
    const tokens = Math.ceil(this.#length / SOUND_BYTES_PER_TOKEN);
    return { ...UNCOUNTED, output: tokens, audioOutput: tokens };
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
