/** State that lives at one upstream account and that a request names by its id (P-8). */
import { type BodyView, decodeString, type Member, member, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACKET } from '../bytes/json-grammar.ts';
import { bufferOf } from '../bytes/text.ts';
import { walkStrings } from '../bytes/walk-strings.ts';
import type { NamedState } from '../contract.ts';

/** Not of the dialect itself; some upstreams that speak it take them. */
const FIELDS = ['previous_response_id', 'conversation', 'container', 'cached_content', 'cachedContent'] as const;
/** The same inside what some upstreams take for extras. */
const EXTRAS = 'extra_body';
const CACHED: ReadonlySet<string> = new Set(['cached_content', 'cachedContent']);

/** Level of a content part's members: `[{"content": [{…}]}]`. */
const PART = 3;
const NULL = 0x6e;

/** Where the request names such state, the first place of several; null = nowhere. */
export function namedState(view: BodyView): NamedState | null {
  const field = FIELDS.find((key) => {
    const first = valueByte(view, key);
    return first !== 0 && first !== NULL;
  });
  if (field !== undefined) return { param: field, id: readString(view, field) ?? null };
  return namedFile(view) ?? namedInExtras(view);
}

/** A file uploaded beforehand, in a content part: `{"type": "file", "file": {"file_id": "…"}}`. */
function namedFile(view: BodyView): NamedState | null {
  const messages = member(view, 'messages');
  if (messages === null || !hasParts(view, messages) || !mayHold(view, 'file_id')) return null;
  let found: NamedState | null = null;
  walkStrings(view.bytes, messages.valueStart, messages.valueEnd, (place, start, end) => {
    if (found !== null || place.depth <= PART || place.key(1) !== 'content' || place.innerKey !== 'file_id') return;
    const id = decodeString(view.bytes, start, end);
    if (id !== '') found = { param: `messages[${place.index(0)}].content[${place.index(2)}]`, id };
  });
  return found;
}

function namedInExtras(view: BodyView): NamedState | null {
  const extras = member(view, EXTRAS);
  if (extras === null) return null;
  let found: NamedState | null = null;
  walkStrings(view.bytes, extras.valueStart, extras.valueEnd, (place, start, end) => {
    if (!CACHED.has(place.innerKey ?? '')) return;
    const id = decodeString(view.bytes, start, end);
    if (id !== '') found = { param: EXTRAS, id };
  });
  return found;
}

/** Whether some message may have content in parts: an array within the array. The cheapest look there is; most have none. */
function hasParts({ bytes }: BodyView, { valueStart, valueEnd }: Member): boolean {
  const within = bufferOf(bytes).indexOf(OPEN_BRACKET, valueStart + 1);
  return within >= 0 && within < valueEnd;
}

/** One search of the machine's own instead of a walk; a key may be written with escapes. */
function mayHold({ bytes }: BodyView, key: string): boolean {
  const text = bufferOf(bytes);
  return text.includes(key) || text.includes('\\u');
}
