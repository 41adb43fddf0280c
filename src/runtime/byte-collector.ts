/**
 * Collects body chunks and joins them once. One chunk is handed out without a copy. Small ones are gathered: a body sent
 * byte by byte would else keep an object, and the whole read it came from, alive for each byte.
 */
export class ByteCollector {
  length = 0;
  readonly #chunks: Uint8Array[] = [];
  #gathered: Buffer | null = null;
  #used = 0;

  push(chunk: Uint8Array): void {
    const first = this.length === 0;
    this.length += chunk.length;
    if (first || chunk.length >= SMALL) {
      this.#closeGathered();
      this.#chunks.push(chunk);
      return;
    }
    if (this.#gathered !== null && this.#used + chunk.length > this.#gathered.length) this.#closeGathered();
    this.#gathered ??= Buffer.allocUnsafeSlow(GATHER);
    this.#gathered.set(chunk, this.#used);
    this.#used += chunk.length;
  }

  bytes(): Uint8Array {
    this.#closeGathered();
    if (this.#chunks.length === 1) return this.#chunks[0]!;
    const joined = Buffer.concat(this.#chunks, this.length);
    this.#chunks.length = 0;
    this.#chunks.push(joined);
    return joined;
  }

  #closeGathered(): void {
    if (this.#gathered === null) return;
    this.#chunks.push(this.#gathered.subarray(0, this.#used));
    this.#gathered = null;
    this.#used = 0;
  }
}

const SMALL = 4096;
const GATHER = 65_536;
