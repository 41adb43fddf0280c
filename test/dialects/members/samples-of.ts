/** Values of a declared shape: every member and every alternative stands in one of them. */
import type { Declarations, Shape } from './declarations.ts';

/** What stands at a place, by the name of its member. */
export interface Given {
  /** Whatever its shape. */
  readonly always: Readonly<Record<string, unknown>>;
  /** Where any text or number may stand; else the name itself, or 7. */
  readonly plain: Readonly<Record<string, unknown>>;
  /** Members without which a value says nothing, whatever their declaration holds of it. */
  readonly needed: ReadonlySet<string>;
}

const DEEPEST = 7;

export class Sampler {
  readonly #declarations: Declarations;
  readonly #given: Given;
  /** Member → the lists of words it may be, of all the declarations that were asked for. */
  readonly words = new Map<string, Set<readonly string[]>>();

  constructor(declarations: Declarations, given: Given) {
    this.#declarations = declarations;
    this.#given = given;
  }

  /** Alternatives of the shape, each with all its members; `key`: the member it stands in. */
  all(shape: Shape, key = '', depth = 0): unknown[] {
    if (key in this.#given.always) return [this.#given.always[key]];
    switch (shape.kind) {
      case 'value':
        return shape.value === undefined ? [] : [shape.value];
      case 'plain':
        return [key in this.#given.plain ? this.#given.plain[key] : plainValue(shape.name, key)];
      case 'name':
        return depth > DEEPEST ? [] : this.all(this.#declarations.resolve(shape.name, shape.scope), key, depth + 1);
      case 'list':
        return this.all(shape.of, key, depth).map((one) => [one]);
      case 'union': {
        const values = shape.of.flatMap((one) => this.all(one, key, depth));
        this.#noteWords(key, values);
        return values.filter((one, at) => typeof one === 'object' || values.indexOf(one) === at);
      }
      case 'object':
        return this.#objects(shape, depth);
    }
  }

  #noteWords(key: string, values: readonly unknown[]): void {
    const words = values.filter((value) => typeof value === 'string');
    if (words.length < 2) return;
    const lists = this.words.get(key) ?? new Set();
    const isKnown = [...lists].some((list) => list.join() === words.join());
    if (!isKnown) this.words.set(key, lists.add(words));
  }

  /** One with everything, then one for each further alternative of a member. */
  #objects({ members }: Extract<Shape, { kind: 'object' }>, depth: number): unknown[] {
    const whole: Record<string, unknown> = {};
    const needed: Record<string, unknown> = {};
    const others: [string, unknown][] = [];
    for (const [key, { shape, optional }] of members) {
      // What a newer API may hold.
      if (key === '$unknown') continue;
      const [first, ...more] = this.all(shape, key, depth);
      if (first === undefined) continue;
      whole[key] = first;
      if (!optional || this.#given.needed.has(key)) needed[key] = first;
      for (const one of more) others.push([key, one]);
    }
    return [whole, ...others.map(([key, one]) => ({ ...needed, [key]: one }))];
  }
}

function plainValue(name: string, key: string): unknown {
  switch (name) {
    case 'number':
      return 7;
    case 'boolean':
      return true;
    case 'string':
    case 'Uint8Array':
      return key === '' ? 'words' : key;
    default:
      return { any: 1 };
  }
}
