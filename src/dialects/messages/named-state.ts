/** State that lives at one upstream account and that a request names by its id (P-8). */
import { type BodyView, decodeString, member, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACE, QUOTE } from '../bytes/json-grammar.ts';
import { objectAt, objectsIn } from '../bytes/nested.ts';
import { bufferOf } from '../bytes/text.ts';
import { walkStrings } from '../bytes/walk-strings.ts';
import type { NamedState } from '../contract.ts';

/** Level of a block's members: `[{"content": [{…}]}]`. */
const BLOCK = 3;

/** The first place of several; null = nowhere. */
export function namedState(view: BodyView): NamedState | null {
  return inContainer(view) ?? inThread(view) ?? namedFile(view);
}

/** A container by its id, or one to be made that loads the account's own skills. Any other is made anew for each call. */
function inContainer(view: BodyView): NamedState | null {
  const first = valueByte(view, 'container');
  if (first === QUOTE) return { param: 'container', id: readString(view, 'container') ?? null };
  const container = first === OPEN_BRACE ? objectAt(view, 'container') : null;
  const id = container === null ? null : readString(container, 'id');
  if (typeof id === 'string') return { param: 'container', id };
  const own =
    container === null ? [] : objectsIn(container, 'skills').filter((one) => readString(one, 'type') === 'custom');
  return own[0] === undefined ? null : { param: 'container', id: readString(own[0], 'skill_id') ?? null };
}

function inThread(view: BodyView): NamedState | null {
  const first = valueByte(view, 'thread');
  if (first === QUOTE) return { param: 'thread', id: readString(view, 'thread') ?? null };
  const thread = first === OPEN_BRACE ? objectAt(view, 'thread') : null;
  const id = thread === null ? null : readString(thread, 'id');
  return typeof id === 'string' ? { param: 'thread', id } : null;
}

/** A file uploaded beforehand: `{"source": {"type": "file", "file_id": "…"}}`, or one to be put into a container. */
function namedFile(view: BodyView): NamedState | null {
  const messages = member(view, 'messages');
  if (messages === null || !mayHold(view, 'file_id')) return null;
  let found: NamedState | null = null;
  walkStrings(view.bytes, messages.valueStart, messages.valueEnd, (place, start, end) => {
    if (found !== null || place.depth <= BLOCK || place.innerKey !== 'file_id') return;
    if (place.key(1) !== 'content' || place.key(BLOCK) === 'input') return;
    const id = decodeString(view.bytes, start, end);
    if (id !== '') found = { param: `messages[${place.index(0)}].content[${place.index(2)}]`, id };
  });
  return found;
}

function mayHold({ bytes }: BodyView, key: string): boolean {
  const text = bufferOf(bytes);
  return text.includes(key) || text.includes('\\u');
}
