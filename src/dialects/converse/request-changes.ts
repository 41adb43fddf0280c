/** What the writing of one request changes, in the words of its record. */

export class RequestChanges {
  /** Opaque reasoning goes along. */
  opaque = false;
  readonly #words = new Set<string>();

  note(words: string): void {
    this.#words.add(words);
  }

  get words(): string[] {
    return [...this.#words];
  }
}
