/**
 * A map that forgets what has not been asked for longest: two generations, so that each call takes the same time however
 * many names pass through. Between `size` and twice as many entries are kept.
 */
export class RecentMap<V> {
  readonly #size: number;
  readonly #mustStay: (value: V) => boolean;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** `mustStay`: values that are never forgotten, whoever asks for them. */
  constructor(size: number, mustStay: (value: V) => boolean = () => false) {
    this.#size = size;
    this.#mustStay = mustStay;
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.#add(key, old);
    return old;
  }

  /** As `get`, without counting as use. */
  peek(key: string): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: string, value: V): void {
    if (this.#young.has(key)) this.#young.set(key, value);
    else this.#add(key, value);
  }

  /** All that are kept, without counting as use. */
  *entries(): IterableIterator<[string, V]> {
    yield* this.#young;
    for (const entry of this.#old) if (!this.#young.has(entry[0])) yield entry;
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  #add(key: string, value: V): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#size) return;
    const left = this.#old;
    this.#old = this.#young;
    this.#young = new Map();
    for (const [stays, one] of left) if (this.#mustStay(one) && !this.#old.has(stays)) this.#young.set(stays, one);
  }
}
