/** Objects inside a body, as views over the same bytes. */
import { type BodyView, isScanError, member, scanObject } from './body-view.ts';
import { OPEN_BRACE, OPEN_BRACKET, skipValue, walkArray } from './json-grammar.ts';

/** The object a member holds; null = it is absent or holds something else. */
export function objectAt(view: BodyView, key: string): BodyView | null {
  const found = member(view, key);
  if (found === null || view.bytes[found.valueStart] !== OPEN_BRACE) return null;
  return asObject(view.bytes, found.valueStart, found.valueEnd);
}

/** The objects in the array a member holds; what is no object there is left out. */
export function objectsIn(view: BodyView, key: string): BodyView[] {
  const found = member(view, key);
  if (found === null || view.bytes[found.valueStart] !== OPEN_BRACKET) return [];
  const list: BodyView[] = [];
  walkArray(view.bytes, found.valueStart, found.valueEnd, 1, (at) => {
    const behind = skipValue(view.bytes, at, found.valueEnd, 2);
    const object = behind < 0 ? null : asObject(view.bytes, at, behind);
    if (object !== null) list.push(object);
    return behind;
  });
  return list;
}

function asObject(bytes: Uint8Array, start: number, end: number): BodyView | null {
  const view = scanObject(bytes, { start, end });
  return isScanError(view) ? null : view;
}
