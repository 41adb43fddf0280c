/**
 * Counters the request path can afford: a cell per set of label values, found by one joined key. The client library,
 * which sorts and hashes labels at every step, sees them only when somebody scrapes.
 */
import { Counter, type Registry } from 'prom-client';

interface Cell {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

/** Between label values: no configured name contains it. */
const SEPARATOR = '\u0000';

export class CounterCells {
  readonly #names: readonly string[];
  readonly #cells = new Map<string, Cell>();

  /** @param names label names, in the order in which `add` gets their values */
  constructor(registry: Registry, name: string, help: string, names: readonly string[]) {
    this.#names = names;
    const cells = this.#cells;
    new Counter({
      name,
      help,
      labelNames: [...names],
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, value } of cells.values()) this.inc(labels, value);
      },
    });
  }

  add(values: readonly string[], amount = 1): void {
    const key = values.join(SEPARATOR);
    const cell = this.#cells.get(key);
    if (cell !== undefined) cell.value += amount;
    else this.#cells.set(key, { labels: this.#named(values), value: amount });
  }

  #named(values: readonly string[]): Record<string, string> {
    return Object.fromEntries(this.#names.map((name, i) => [name, values[i] ?? '']));
  }
}
