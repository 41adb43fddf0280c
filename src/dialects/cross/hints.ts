/**
 * Hints (R-4): fields of a request that nudge cost, bookkeeping or style. They are named as Chat names them and kept as
 * JSON text; an upstream half writes those it has words for, the rest is dropped and recorded.
 */
import type { BodyView } from '../bytes/body-view.ts';
import type { JsonText } from '../canonical.ts';
import { memberText } from './json-text.ts';

/** Hints as one upstream takes them. */
export interface SortedHints {
  /** Those it carries, by Chat's name. */
  readonly kept: ReadonlyMap<string, JsonText>;
  /** `dropped user`, …: for `UpstreamBody.changes`. Each of them degrades. */
  readonly changes: readonly string[];
}

const NO_HINTS: SortedHints = { kept: new Map(), changes: [] };

/** Defaults that ask for nothing: they go without a word. */
const SAYS_NOTHING: ReadonlyMap<string, ReadonlySet<JsonText>> = new Map([
  ['service_tier', new Set(['"auto"', '"default"'])],
  ['store', new Set(['false'])],
  ['metadata', new Set(['{}'])],
  ['truncation', new Set(['"disabled"'])],
]);

/** Parts the hints of a request into what `carries` names and what must be dropped. Null asks for nothing. */
export function sortHints(hints: ReadonlyMap<string, JsonText>, carries: ReadonlySet<string>): SortedHints {
  if (hints.size === 0) return NO_HINTS;
  const kept = new Map<string, JsonText>();
  const changes: string[] = [];
  for (const [name, value] of hints) {
    if (value === 'null') continue;
    if (carries.has(name)) kept.set(name, value);
    else if (SAYS_NOTHING.get(name)?.has(value) !== true) changes.push(dropped(name));
  }
  return { kept, changes };
}

/** `dropped seed`: how a dropped field is recorded. A client's own name for a field is cut. */
export function dropped(name: string): string {
  return `dropped ${name.length > 60 ? `${name.slice(0, 60)}…` : name}`;
}

/** What says nothing, whatever its name. */
const EMPTY: ReadonlySet<JsonText> = new Set(['null', 'false', '""', '[]', '{}']);

/**
 * Members of an object inside of a request that nobody knows are hints, too: none leaves in silence. `place` says where
 * they stood: `tools`, `messages.content`.
 */
export function noteUnknown(
  view: BodyView,
  known: ReadonlySet<string>,
  place: string,
  hints: Map<string, JsonText>,
): void {
  for (const found of view.members) {
    if (known.has(found.key)) continue;
    const value = memberText(view, found);
    if (!EMPTY.has(value)) hints.set(`${place}.${found.key}`, value);
  }
}
