/**
 * Parts of a request's items that are more than text. Most requests have none, so the bytes are searched for the parts'
 * names before anything is parsed.
 */
import { type BodyView, member, readString } from '../bytes/body-view.ts';
import { objectAt, objectsIn } from '../bytes/nested.ts';
import { bufferOf } from '../bytes/text.ts';

/** A part's `type` → the input it is, in the catalogue's words. */
const INPUT_OF_PART: ReadonlyMap<string, string> = new Map([
  ['input_image', 'image'],
  ['computer_screenshot', 'image'],
  ['input_audio', 'audio'],
  ['input_video', 'video'],
  ['input_file', 'file'],
]);

/** What the bytes hold where such a part stands: ends of its name, rare in prose. */
const MARKS: ReadonlyMap<string, readonly string[]> = new Map([
  ['image', ['_image"', '_screenshot"']],
  ['audio', ['_audio"']],
  ['video', ['_video"']],
  ['file', ['_file"']],
]);

export const MEDIA_INPUTS: readonly string[] = [...MARKS.keys()];

/** False: certainly no part is one of these inputs. True: perhaps. Looks at bytes only. */
export function mayHoldMedia(view: BodyView, inputs: readonly string[]): boolean {
  const input = member(view, 'input');
  if (input === null) return false;
  const bytes = bufferOf(view.bytes).subarray(input.valueStart, input.valueEnd);
  const marks = inputs.flatMap((name) => MARKS.get(name) ?? []);
  // A name may be spelt with escapes; the letters of all of them are from U+005F to U+007A.
  return [...marks, ...(marks.length > 0 ? ['\\u005', '\\u006', '\\u007'] : [])].some((mark) => bytes.includes(mark));
}

/** The input of every part that is more than text, in the order of the parts: of messages and of tools' results. */
export function inputMedia(view: BodyView): string[] {
  if (!mayHoldMedia(view, MEDIA_INPUTS)) return [];
  const found: string[] = [];
  for (const item of objectsIn(view, 'input')) {
    const alone = objectAt(item, 'output');
    const parts = [...objectsIn(item, 'content'), ...objectsIn(item, 'output'), ...(alone === null ? [] : [alone])];
    for (const part of parts) {
      const input = INPUT_OF_PART.get(readString(part, 'type') ?? '');
      if (input !== undefined) found.push(input);
    }
  }
  return found;
}
