/** Collects body chunks and joins them once. One chunk is handed out without a copy. */
export class ByteCollector {
  length = 0;
  readonly #chunks: Uint8Array[] = [];

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.length += chunk.length;
  }

  bytes(): Uint8Array {
    if (this.#chunks.length === 1) return this.#chunks[0]!;
    const joined = Buffer.concat(this.#chunks, this.length);
    this.#chunks.length = 0;
    this.#chunks.push(joined);
    return joined;
  }
}
