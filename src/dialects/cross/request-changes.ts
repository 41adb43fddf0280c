/** What the writing of one request changes, in the words of its record. */

export class RequestChanges {
  /** Opaque reasoning goes along. */
  opaque = false;
  /** Something was dropped or emulated. */
  degrades = false;
  readonly #words = new Set<string>();

  /** Something was dropped or emulated. */
  note(words: string): void {
    this.#words.add(words);
    this.degrades = true;
  }

  /** A default that takes nothing away. */
  mention(words: string): void {
    this.#words.add(words);
  }

  get words(): string[] {
    return [...this.#words];
  }
}
