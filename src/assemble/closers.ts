/** What has been opened, to be closed in reverse order: at the end, or where a start fails halfway. */
export class Closers {
  readonly #all: (() => Promise<void> | void)[] = [];
  #closing: Promise<void> | null = null;

  /** To be closed before everything that was added earlier. */
  add(close: () => Promise<void> | void): void {
    this.#all.push(close);
  }

  /** Once, however often it is asked for. Never rejects: one that fails does not keep the others open. */
  closeAll(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const close of this.#all.splice(0).reverse()) {
      try {
        await close();
      } catch {
        // Closing is the last thing asked of it: there is nobody left to tell.
      }
    }
  }
}
