/** A YAML text as plain values, with the place of every key and value and with `${ENV}` filled in. */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { formatPath, type Path, type Place, type Problem, type ProblemCode } from '../problem.ts';
import { MOST_LEVELS, tooDeep } from './nesting.ts';
import { type EnvReference, fillReferences, protectReferences, restoreReferences } from './references.ts';

/** What a string in the file was made of, where environment variables went into it. */
export interface Origin {
  readonly variables: readonly string[];
  /** A variable had no value: other complaints about this field would only repeat it. */
  readonly broken: boolean;
}

export interface SourceDocument {
  /** Null-prototype objects, arrays, strings, numbers, booleans and null. */
  readonly root: unknown;
  readonly problems: readonly Problem[];
  /** Where the value (or, for `key`, its key) stands; the nearest enclosing place when the path does not exist. */
  place(path: Path, what: 'key' | 'value'): Place;
  /** Null: written literally. */
  origin(path: Path): Origin | null;
  /** A message with what came from the environment taken out: it may be a secret in the wrong place (E-5). */
  mask(text: string): string;
}

/** Guards against aliases that unfold without end: no real configuration comes near it. */
const MAX_NODES = 100_000;
const MAX_DEPTH = 40;
/** Shorter values are ports and switches; taking them out would garble messages. */
const MIN_MASKED = 6;

const pathKey = (path: Path): string => JSON.stringify(path);

class TreeBuilder {
  readonly problems: Problem[] = [];
  readonly places = new Map<string, { key: Place; value: Place }>();
  readonly origins = new Map<string, Origin>();
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #references: readonly EnvReference[];
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #variables = new Set<string>();
  #nodes = 0;

  constructor(
    document: Document,
    lines: LineCounter,
    references: readonly EnvReference[],
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.#document = document;
    this.#lines = lines;
    this.#references = references;
    this.#env = env;
  }

  placeAt(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  mask(text: string): string {
    let masked = text;
    for (const variable of this.#variables) {
      const value = this.#env[variable] ?? '';
      if (value.length >= MIN_MASKED) masked = masked.replaceAll(value, `\${${variable}}`);
    }
    return masked;
  }

  report(code: ProblemCode, path: Path, message: string, at: Place): void {
    this.problems.push({ code, path: formatPath(path), message, ...at, suggestion: null });
  }

  value(node: Node | null, path: Path, keyPlace: Place): unknown {
    const place = node?.range ? this.placeAt(node.range[0]) : keyPlace;
    this.places.set(pathKey(path), { key: keyPlace, value: place });
    if (++this.#nodes > MAX_NODES || path.length > MAX_DEPTH) {
      if (this.#nodes <= MAX_NODES + 1) this.report('syntax', path, 'aliases unfold without end here', place);
      this.#nodes = MAX_NODES + 1;
      return null;
    }
    if (node === null) return null;
    if (isAlias(node)) return this.#alias(node, path, place);
    if (isMap(node)) return this.#map(node, path);
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        const at = (item as Node | null)?.range ? this.placeAt((item as Node).range![0]) : place;
        return this.value(item as Node | null, [...path, index], at);
      });
    }
    return isScalar(node) ? this.#scalar(node, path, place) : null;
  }

  #alias(node: Alias, path: Path, place: Place): unknown {
    const target = node.resolve(this.#document);
    if (target !== undefined) return this.value(target, path, place);
    this.report('syntax', path, `the YAML alias *${node.source} names no anchor`, place);
    return null;
  }

  #map(node: YAMLMap, path: Path): unknown {
    const out: Record<string, unknown> = Object.create(null);
    for (const pair of node.items) {
      const keyNode = pair.key as Node | null;
      const at = this.placeAt(keyNode?.range?.[0] ?? node.range?.[0] ?? 0);
      if (keyNode === null || !isScalar(keyNode) || keyNode.value === null) {
        this.report('syntax', path, 'a key must be a plain name', at);
        continue;
      }
      const name = this.#text(keyNode.source ?? String(keyNode.value), path, at, `the key`).text;
      if (name === '<<') {
        this.report('syntax', path, 'YAML merge keys (<<) are not read: write the fields out', at);
        continue;
      }
      if (name === '__proto__') this.report('unknown_key', [...path, name], 'this name cannot be used', at);
      else if (Object.hasOwn(out, name)) {
        const first = this.places.get(pathKey([...path, name]))?.key.line ?? 0;
        this.report('duplicate', [...path, name], `this key is written twice, first in line ${first}`, at);
      } else out[name] = this.value(pair.value as Node | null, [...path, name], at);
    }
    return out;
  }

  #scalar(node: Scalar, path: Path, place: Place): unknown {
    const value = node.value;
    if (typeof value === 'bigint') return Number(value);
    // `!!binary` and its like: bytes and dates have no place in a configuration, and their members no meaning.
    if (typeof value === 'object' && value !== null) {
      this.report('syntax', path, 'must be plain text, a number or a switch', place);
      this.origins.set(pathKey(path), { variables: [], broken: true });
      return null;
    }
    if (typeof value !== 'string') return value ?? null;
    const filled = this.#text(value, path, place, 'the value');
    if (filled.variables.length > 0 || filled.broken) this.origins.set(pathKey(path), filled);
    return filled.text;
  }

  #text(text: string, path: Path, place: Place, what: string): Origin & { text: string } {
    const filled = fillReferences(text, this.#references, this.#env);
    for (const variable of filled.missing) {
      const advice = `set it, or give a default: \${${variable}:-…}`;
      this.report(
        'missing_variable',
        path,
        `${what} needs the environment variable ${variable}, not set; ${advice}`,
        place,
      );
    }
    for (const written of filled.malformed) {
      const advice = `write \${NAME} or \${NAME:-default}, and $\${NAME} for a literal \${NAME}`;
      this.report('invalid_value', path, `${written} is no environment reference; ${advice}`, place);
    }
    const broken = filled.missing.length > 0 || filled.malformed.length > 0;
    for (const variable of filled.variables) this.#variables.add(variable);
    return { text: filled.text, variables: filled.variables, broken };
  }
}

/** Reads one YAML document. Problems: syntax, duplicate keys, missing variables; the rest of the tree is still there. */
export function readDocument(text: string, env: Readonly<Record<string, string | undefined>>): SourceDocument {
  const { text: protectedText, references } = protectReferences(text.startsWith('\uFEFF') ? text.slice(1) : text);
  const lines = new LineCounter();
  const deep = tooDeep(protectedText);
  const document = parseDocument(deep === null ? protectedText : '', {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  const builder = new TreeBuilder(document, lines, references, env);
  for (const fault of [...document.errors, ...document.warnings]) {
    const message = restoreReferences(fault.message, references).replace(
      /; please use YAML\.parseAllDocuments\(\)/,
      '; there may be one only',
    );
    builder.report('syntax', [], `not readable as YAML: ${message}`, builder.placeAt(fault.pos[0]));
  }
  if (deep !== null) {
    const before = protectedText.slice(0, deep).split('\n');
    const place = { line: before.length, column: before.at(-1)!.length + 1 };
    builder.report('syntax', [], `nested deeper than ${MOST_LEVELS} levels; no configuration is`, place);
  }
  const root = builder.value(document.contents as Node | null, [], { line: 1, column: 1 });
  const place = (path: Path, what: 'key' | 'value'): Place => {
    for (let length = path.length; length >= 0; length--) {
      const found = builder.places.get(pathKey(path.slice(0, length)));
      if (found !== undefined) return length === path.length ? found[what] : found.key;
    }
    return { line: 1, column: 1 };
  };
  return {
    root,
    problems: builder.problems,
    place,
    origin: (path) => builder.origins.get(pathKey(path)) ?? null,
    mask: (message) => builder.mask(message),
  };
}
