/** JSON values as the text they were written in: big numbers, key order and unknown members survive a translation. */
import { type BodyView, isScanError, type Member, member, scanObject } from '../bytes/body-view.ts';
import { isWholeJson, OPEN_BRACE, OPEN_BRACKET, skipSpace, skipValue, walkArray } from '../bytes/json-grammar.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type { JsonText } from '../canonical.ts';

/** A member's value as it stands; null = absent. JSON's own null is the text `null`. */
export function jsonTextAt(view: BodyView, key: string): JsonText | null {
  const found = member(view, key);
  return found === null ? null : memberText(view, found);
}

export function memberText(view: BodyView, { valueStart, valueEnd }: Member): JsonText {
  return textOf(view.bytes, valueStart, valueEnd);
}

/** One JSON value and nothing else. */
export function isJsonText(text: string): boolean {
  const bytes = utf8(text);
  return isWholeJson(bytes, 0, bytes.length);
}

/** One JSON object and nothing else: what call arguments of object dialects must be. */
export function isObjectText(text: string): boolean {
  return viewOfText(text) !== null;
}

/** An object's text as a view over its bytes; null = it is something else. */
export function viewOfText(text: JsonText): BodyView | null {
  const view = scanObject(utf8(text));
  return isScanError(view) ? null : view;
}

/** Each element of the array a member holds, as it stands; null = the member is absent or no array. */
export function elementsAt(view: BodyView, key: string): JsonText[] | null {
  const found = member(view, key);
  if (found === null || view.bytes[found.valueStart] !== OPEN_BRACKET) return null;
  const elements: JsonText[] = [];
  walkArray(view.bytes, found.valueStart, found.valueEnd, 1, (at) => {
    const behind = skipValue(view.bytes, at, found.valueEnd, 2);
    if (behind >= 0) elements.push(textOf(view.bytes, at, behind));
    return behind;
  });
  return elements;
}

/** An object of members that are JSON text already, in the order given. */
export function objectText(members: Iterable<readonly [key: string, value: JsonText]>): JsonText {
  const written: string[] = [];
  for (const [key, value] of members) written.push(`${JSON.stringify(key)}:${value}`);
  return `{${written.join(',')}}`;
}

/**
 * Call arguments for a dialect that wants an object there: the object as it stands, `{}` for none at all, and what is no
 * object kept whole under `INVALID_ARGUMENTS`, never thrown away (dialects §11).
 */
export function argumentsObject(input: string): JsonText {
  const bytes = utf8(input);
  const at = skipSpace(bytes, 0, bytes.length);
  if (at === bytes.length) return '{}';
  if (bytes[at] === OPEN_BRACE && isWholeJson(bytes, 0, bytes.length)) return input.trim();
  return objectText([[INVALID_ARGUMENTS, JSON.stringify(input)]]);
}

/** The member under which arguments stand that are no JSON object. */
export const INVALID_ARGUMENTS = '__invalid_arguments';

/** Back from `argumentsObject`: what was kept under `INVALID_ARGUMENTS`, else the object's own text. */
export function argumentsText(object: JsonText): string {
  if (!object.includes(INVALID_ARGUMENTS)) return object;
  const view = viewOfText(object);
  if (view === null || view.members.length !== 1 || view.members[0]!.key !== INVALID_ARGUMENTS) return object;
  const kept: unknown = JSON.parse(memberText(view, view.members[0]!));
  return typeof kept === 'string' ? kept : object;
}

/** The elements of the array a member holds, objects as views, all else as null; null = absent, or no array. */
export function objectsAt(view: BodyView, key: string): (BodyView | null)[] | null {
  const found = member(view, key);
  if (found === null || view.bytes[found.valueStart] !== OPEN_BRACKET) return null;
  const elements: (BodyView | null)[] = [];
  walkArray(view.bytes, found.valueStart, found.valueEnd, 1, (at) => {
    const behind = skipValue(view.bytes, at, found.valueEnd, 2);
    if (behind < 0) return behind;
    const object = scanObject(view.bytes, { start: at, end: behind });
    elements.push(isScanError(object) ? null : object);
    return behind;
  });
  return elements;
}
