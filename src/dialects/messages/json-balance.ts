/**
 * Whether JSON that comes in pieces is closed: brackets and quotes, nothing else. Arguments that broke off are told from
 * whole ones without keeping them.
 */
export class JsonBalance {
  #depth = 0;
  #inString = false;
  #escaped = false;

  add(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (code === 0x22) this.#inString = false;
        else if (code === 0x5c) this.#escaped = true;
      } else if (code === 0x22) this.#inString = true;
      else if (code === 0x7b || code === 0x5b) this.#depth++;
      else if (code === 0x7d || code === 0x5d) this.#depth--;
    }
  }

  get closed(): boolean {
    return this.#depth === 0 && !this.#inString;
  }

  reset(): void {
    this.#depth = 0;
    this.#inString = this.#escaped = false;
  }
}
