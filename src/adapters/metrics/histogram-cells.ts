/**
 * Histograms the request path can afford: one cell per set of label values, found by a joined key. The registry asks for
 * their totals when somebody scrapes.
 */
import type { Metric, Registry } from 'prom-client';

interface Cell {
  readonly labels: Readonly<Record<string, string>>;
  /** Observations per bucket, not cumulative; the last is beyond every bound. */
  readonly counts: number[];
  sum: number;
}

interface Value {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName: string;
}

const SEPARATOR = '\u0000';

export class HistogramCells {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly #names: readonly string[];
  readonly #bounds: readonly number[];
  readonly #cells = new Map<string, Cell>();

  /** @param names label names, in the order in which `observe` gets their values; @param bounds ascending */
  constructor(
    registry: Registry,
    about: { readonly name: string; readonly help: string },
    names: readonly string[],
    bounds: readonly number[],
  ) {
    this.name = about.name;
    this.help = about.help;
    this.#names = names;
    this.#bounds = bounds;
    // The library types its own classes only; a registry reads name, help, type and `get()` of whatever it is given.
    registry.registerMetric(this as unknown as Metric);
  }

  observe(values: readonly string[], amount: number): void {
    const key = values.join(SEPARATOR);
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      const labels = Object.fromEntries(this.#names.map((name, i) => [name, values[i] ?? '']));
      cell = { labels, counts: new Array<number>(this.#bounds.length + 1).fill(0), sum: 0 };
      this.#cells.set(key, cell);
    }
    let bucket = 0;
    while (bucket < this.#bounds.length && amount > this.#bounds[bucket]!) bucket += 1;
    cell.counts[bucket]! += 1;
    cell.sum += amount;
  }

  /** What the registry prints. */
  get(): Promise<{ name: string; help: string; type: string; aggregator: string; values: Value[] }> {
    const values = [...this.#cells.values()].flatMap((cell) => this.#valuesOf(cell));
    const { name, help, type, aggregator } = this;
    return Promise.resolve({ name, help, type, aggregator, values });
  }

  reset(): void {
    this.#cells.clear();
  }

  #valuesOf({ labels, counts, sum }: Cell): Value[] {
    let below = 0;
    const buckets = counts.map((count, i) => {
      below += count;
      const le = this.#bounds[i] ?? '+Inf';
      return { labels: { le, ...labels }, value: below, metricName: `${this.name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: sum, metricName: `${this.name}_sum` },
      { labels, value: below, metricName: `${this.name}_count` },
    ];
  }
}
