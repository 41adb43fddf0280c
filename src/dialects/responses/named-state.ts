/** State that lives at one upstream account and that a request names by its id (P-8). */
import { type BodyView, decodeString, member, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACE, OPEN_BRACKET } from '../bytes/json-grammar.ts';
import { objectAt, objectsIn } from '../bytes/nested.ts';
import { bufferOf } from '../bytes/text.ts';
import { walkStrings } from '../bytes/walk-strings.ts';
import type { NamedState } from '../contract.ts';
import { isOwnThoughtId } from './item-ids.ts';

/** A text, or an object that holds it as `id`. */
const FIELDS = ['previous_response_id', 'conversation', 'prompt'] as const;
const NULL = 0x6e;
/** Members that name something, wherever they stand in items and tools. */
const KEYS: ReadonlySet<string> = new Set(['file_id', 'file_ids', 'container_id', 'vector_store_ids']);
const SEARCHED = ['file_id', 'container_id', 'vector_store_ids', '\\u'];

/** The first place of several; null = nowhere. */
export function namedState(view: BodyView): NamedState | null {
  for (const key of FIELDS) {
    const first = valueByte(view, key);
    if (first === 0 || first === NULL) continue;
    const within = first === OPEN_BRACE ? objectAt(view, key) : null;
    return { param: key, id: (within === null ? readString(view, key) : readString(within, 'id')) ?? null };
  }
  return referredItem(view) ?? namedWithin(view, 'input') ?? toolContainer(view) ?? namedWithin(view, 'tools');
}

/** An item that only says which one it is: its type may be left out. */
function referredItem(view: BodyView): NamedState | null {
  const input = member(view, 'input');
  if (input === null || view.bytes[input.valueStart] !== OPEN_BRACKET) return null;
  const text = bufferOf(view.bytes).subarray(input.valueStart, input.valueEnd);
  if (!text.includes('"id"') && !text.includes('\\u')) return null;
  let at = -1;
  for (const item of objectsIn(view, 'input')) {
    at++;
    const type = readString(item, 'type') ?? null;
    const isReference = type === 'item_reference' || (type === null && valueByte(item, 'role') === 0);
    if (!isReference) continue;
    const id = readString(item, 'id');
    // A thought of ours is left out instead: it names nothing anywhere.
    if (typeof id === 'string' && !isOwnThoughtId(id)) return { param: `input[${at}]`, id };
  }
  return null;
}

/** A tool's container by its id; one that is described is made anew. */
function toolContainer(view: BodyView): NamedState | null {
  const tools = valueByte(view, 'tools') === 0 ? [] : objectsIn(view, 'tools');
  for (const [at, tool] of tools.entries()) {
    const id = readString(tool, 'container');
    if (typeof id === 'string') return { param: `tools[${at}].container`, id };
  }
  return null;
}

function namedWithin(view: BodyView, field: 'input' | 'tools'): NamedState | null {
  const found = member(view, field);
  if (found === null || view.bytes[found.valueStart] !== OPEN_BRACKET) return null;
  const text = bufferOf(view.bytes).subarray(found.valueStart, found.valueEnd);
  if (!SEARCHED.some((key) => text.includes(key))) return null;
  let named: NamedState | null = null;
  walkStrings(view.bytes, found.valueStart, found.valueEnd, (place, start, end) => {
    if (named !== null || place.depth < 2 || !KEYS.has(place.innerKey ?? '')) return;
    const holder = place.key(1);
    // A schema of arguments may have properties of any name.
    if (field === 'tools' && holder === 'parameters') return;
    // What a search found and a model cited is told, not asked for.
    if (field === 'input' && (holder === 'results' || place.key(3) === 'annotations')) return;
    const id = decodeString(view.bytes, start, end);
    if (id !== '') named = { param: `${field}[${place.index(0)}]`, id };
  });
  return named;
}
