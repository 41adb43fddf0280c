/** Finds members of a body without which nothing else would come out: neither said, nor recorded, nor refused. */

export type Body = { readonly [key: string]: unknown };

/** What becomes of a body; `refused` = it goes nowhere. */
export interface Outcome {
  readonly refused: string | null;
  readonly bytes: string;
  readonly records: readonly string[];
}

type Path = readonly (string | number)[];

/** `path=value` of all that is lost in silence below a member that is none of `base`. */
export function leftUnsaid(body: Body, path: Path, become: (body: Body) => Outcome): string[] {
  const found = become(body);
  if (found.refused !== null) return withoutRefused(body, path, become);
  return below(body, path, found, become);
}

/** What is refused for one of its members alone is looked at without it. */
function withoutRefused(body: Body, path: Path, become: (body: Body) => Outcome): string[] {
  for (const child of pathsBelow(body, path)) {
    const less = without(body, child);
    if (become(less).refused !== null) continue;
    return isEmpty(at(less, path))
      ? []
      : childrenOf(at(less, path)).flatMap((key) => leftUnsaid(less, [...path, key], become));
  }
  return [];
}

function below(body: Body, path: Path, found: Outcome, become: (body: Body) => Outcome): string[] {
  const value = at(body, path);
  const less = become(without(body, path));
  const isSame = less.refused === null && less.bytes === found.bytes;
  if (isSame && same(less.records, found.records)) {
    // Said twice, it is recorded once.
    return isNamed(path, found) || isEmpty(value) ? [] : [`${nameOf(path)}=${brief(value)}`];
  }
  // A record names it, with all that stands in it.
  if (isSame) return [];
  return childrenOf(value).flatMap((key) => below(body, [...path, key], found, become));
}

function isNamed(path: Path, { records }: Outcome): boolean {
  // All that is said of sources has one record.
  const cites = path.some((key) => /citation|annotation/i.test(String(key)));
  return records.some(
    (word) => word.split(/[ .]/).includes(String(path.at(-1))) || (cites && word.includes('citations')),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every(isEmpty);
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word) => other.includes(word));
}

function childrenOf(value: unknown): (string | number)[] {
  if (Array.isArray(value)) return [...value.keys()];
  return typeof value === 'object' && value !== null ? Object.keys(value).filter((key) => !OPAQUE.has(key)) : [];
}

/** Told whole, whatever is in them. */
const OPAQUE: ReadonlySet<string> = new Set([
  'parameters',
  'schema',
  'input_schema',
  'args',
  'input',
  'response',
  'parametersJsonSchema',
]);

function pathsBelow(body: Body, path: Path): Path[] {
  const here = childrenOf(at(body, path)).map((key) => [...path, key]);
  return [...here, ...here.flatMap((child) => pathsBelow(body, child))];
}

function at(body: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], body);
}

function without(body: Body, path: Path): Body {
  const copy = structuredClone(body);
  const holder = at(copy, path.slice(0, -1)) as unknown;
  const last = path.at(-1)!;
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete (holder as Record<string, unknown>)[last];
  return copy;
}

function nameOf(path: Path): string {
  return path.filter((key) => typeof key === 'string').join('.');
}

function brief(value: unknown): string {
  if (Array.isArray(value)) return value.length === 1 ? `[${brief(value[0])}]` : '[…]';
  return typeof value === 'object' && value !== null ? '{…}' : JSON.stringify(value);
}

/** The places where a member that nobody knows would be lost in silence; not within what is recorded as a whole. */
export function unknownUnsaid(body: Body, path: Path, become: (body: Body) => Outcome): string[] {
  const found = become(body);
  if (found.refused !== null) return [];
  const less = become(without(body, path));
  if (less.refused === null && less.bytes === found.bytes) return [];
  const value = at(body, path);
  const isUnsaid =
    isObject(value) && !isNamed([...path, 'zap'], found) && isSilent(withUnknown(body, path), found, become);
  const own = isUnsaid ? [placeOf(path, value)] : [];
  return [...own, ...childrenOf(value).flatMap((key) => unknownUnsaid(body, [...path, key], become))];
}

function isSilent(body: Body, found: Outcome, become: (body: Body) => Outcome): boolean {
  const more = become(body);
  return more.refused === null && more.bytes === found.bytes && same(more.records, found.records);
}

function withUnknown(body: Body, path: Path): Body {
  const copy = structuredClone(body);
  (at(copy, path) as Record<string, unknown>)['zap'] = 1;
  return copy;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function placeOf(path: Path, value: object): string {
  const { type } = value as { type?: unknown };
  return `${nameOf([...path, 'zap'])} of ${typeof type === 'string' ? type : Object.keys(value).join('+')}`;
}

/** Words of one list that come out alike: `path="a" = "b"`. */
export function alikeUnsaid(
  body: Body,
  path: Path,
  words: ReadonlyMap<string, ReadonlySet<readonly string[]>>,
  become: (body: Body) => Outcome,
): string[] {
  const found = become(body);
  const less = become(without(body, path));
  // What changes nothing but the record is recorded, whatever it says.
  if (found.refused !== null || (less.refused === null && less.bytes === found.bytes)) return [];
  const value = at(body, path);
  const key = String(path.at(-1));
  if (typeof value !== 'string')
    return childrenOf(value).flatMap((child) => alikeUnsaid(body, [...path, child], words, become));
  if (key === 'type' || key === 'role' || isNamed(path, found)) return [];
  const lists = [...(words.get(key) ?? [])].filter((list) => list.includes(value));
  const others = new Set(lists.flat().filter((word) => word > value));
  return [...others].flatMap((other) => {
    const copy = structuredClone(body);
    (at(copy, path.slice(0, -1)) as Record<string | number, unknown>)[path.at(-1)!] = other;
    return isSilent(copy, found, become) ? [`${nameOf(path)}="${value}" = "${other}"`] : [];
  });
}
