/** Label values are bounded, or one caller with invented names fills the memory of every Prometheus that listens. */

/** Values a label may have at most; configuration seldom names so many, and reloads add up. */
const MAX_VALUES = 5000;

export const OTHER = 'other';
export const NONE = 'none';

/** Lets a value through while the label has room for it. One per label. */
export class LabelValues {
  readonly #seen = new Set<string>();
  readonly #max: number;

  constructor(max = MAX_VALUES) {
    this.#max = max;
  }

  /** The value, `none` for null, `other` when there is no more room. */
  of(value: string | null): string {
    if (value === null) return NONE;
    if (this.#seen.has(value)) return value;
    if (this.#seen.size >= this.#max || value.length > 256) return OTHER;
    this.#seen.add(value);
    return value;
  }
}
