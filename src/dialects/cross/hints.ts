/**
 * Hints: fields of a request that nudge cost, bookkeeping or style. They are named as Chat names them and kept as
 * JSON text; an upstream half writes those it has words for, the rest is dropped and recorded.
 */
import type { BodyView } from '../bytes/body-view.ts';
import type { JsonText } from '../canonical.ts';
import { memberText } from './json-text.ts';
import type { RequestChanges } from './request-changes.ts';

/** Hints as one upstream takes them. */
export interface SortedHints {
  /** Those it carries, by Chat's name. */
  readonly kept: ReadonlyMap<string, JsonText>;
  /** `dropped user`, …: for `UpstreamBody.changes`. Each of them degrades. */
  readonly changes: readonly string[];
  /** Those that ask for what comes without asking: recorded, and nothing is degraded. */
  readonly mentions: readonly string[];
}

const NO_HINTS: SortedHints = { kept: new Map(), changes: [], mentions: [] };

/** Defaults that ask for nothing: they go without a word. */
const SAYS_NOTHING: ReadonlyMap<string, ReadonlySet<JsonText>> = new Map([
  ['service_tier', new Set(['"auto"'])],
  ['store', new Set(['false'])],
  ['metadata', new Set(['{}'])],
  ['truncation', new Set(['"disabled"'])],
]);

/** Values that ask for what an upstream without a word for them does anyway. */
const SAYS_THE_USUAL: ReadonlyMap<string, ReadonlySet<JsonText>> = new Map([
  ['service_tier', new Set(['"default"'])],
  // Who called a tool: the model itself.
  ['messages.content.caller', new Set(['"direct"'])],
]);
/** What an earlier answer told beside its words, and no model reads. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['input.content.logprobs']);

/** How it is recorded that a field was left out that takes nothing away. */
export function leftOut(name: string): string {
  return `${shortened(name)} left out`;
}

/** Parts the hints of a request into what `carries` names and what must be dropped. Null asks for nothing. */
export function sortHints(hints: ReadonlyMap<string, JsonText>, carries: ReadonlySet<string>): SortedHints {
  if (hints.size === 0) return NO_HINTS;
  const kept = new Map<string, JsonText>();
  const changes: string[] = [];
  const mentions: string[] = [];
  for (const [name, value] of hints) {
    if (value === 'null') continue;
    if (carries.has(name)) kept.set(name, value);
    else if (SAYS_THE_USUAL.get(name)?.has(value) === true || BOOKKEEPING.has(name)) mentions.push(leftOut(name));
    else if (SAYS_NOTHING.get(name)?.has(value) !== true) changes.push(dropped(name));
  }
  return { kept, changes, mentions };
}

/** The hints that are carried; all others are recorded. */
export function takeHints(
  hints: ReadonlyMap<string, JsonText>,
  carries: ReadonlySet<string>,
  changes: RequestChanges,
): ReadonlyMap<string, JsonText> {
  const sorted = sortHints(hints, carries);
  for (const words of sorted.changes) changes.note(words);
  for (const words of sorted.mentions) changes.mention(words);
  return sorted.kept;
}

/** `dropped seed`: how a dropped field is recorded. A client's own name for a field is cut. */
export function dropped(name: string): string {
  return `dropped ${shortened(name)}`;
}

/** A name that is not ours, short enough for a record. */
export function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
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
    if (!isEmptyText(value)) hints.set(`${place}.${found.key}`, value);
  }
}

/** It says nothing, whatever its name. */
export function isEmptyText(value: JsonText): boolean {
  return EMPTY.has(value);
}
