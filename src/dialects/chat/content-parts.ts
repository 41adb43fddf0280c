/**
 * Parts of a request's messages that are more than text. Most requests have none, so the bytes are searched for the parts'
 * names before anything is parsed.
 */
import { type BodyView, member, readString } from '../bytes/body-view.ts';
import { objectsIn } from '../bytes/nested.ts';
import { bufferOf } from '../bytes/text.ts';

/** A part's `type` → the input it is, in the catalogue's words. */
const INPUT_OF_PART: ReadonlyMap<string, string> = new Map([
  ['image_url', 'image'],
  ['input_audio', 'audio'],
  ['video_url', 'video'],
  ['file', 'file'],
]);

/**
 * What the bytes of each type hold, by input. Short and with a first byte that is rare in prose: such a search runs at the
 * pace of the memory.
 */
const MARKS: ReadonlyMap<string, Buffer> = new Map([
  ['image', Buffer.from('_url"')],
  ['audio', Buffer.from('_audio"')],
  ['video', Buffer.from('_url"')],
  ['file', Buffer.from('"file"')],
]);

/** Before the digits of a letter, or of `_`, that is written as an escape. */
const ESCAPE = Buffer.from('\\u00');
/** A text with more escapes than these is parsed sooner than searched. */
const MAX_ESCAPES = 64;

export const PART_INPUTS: readonly string[] = [...MARKS.keys()];

/** False: certainly no part is one of these inputs. True: perhaps. Looks at bytes only. */
export function mayHoldParts(view: BodyView, inputs: readonly string[]): boolean {
  const messages = member(view, 'messages');
  if (messages === null || inputs.length === 0) return false;
  const bytes = bufferOf(view.bytes).subarray(messages.valueStart, messages.valueEnd);
  const marks = new Set(inputs.map((input) => MARKS.get(input)));
  for (const mark of marks) if (mark !== undefined && bytes.includes(mark)) return true;
  return holdsEscapedLetter(bytes);
}

/** A type may be spelt `image\u005furl`; the letters of all types and `_` are from U+005F to U+007A. */
function holdsEscapedLetter(bytes: Buffer): boolean {
  let at = bytes.indexOf(ESCAPE);
  for (let found = 0; at >= 0; found++) {
    const digit = bytes[at + ESCAPE.length] ?? 0;
    if ((digit >= 0x35 && digit <= 0x37) || found === MAX_ESCAPES) return true;
    at = bytes.indexOf(ESCAPE, at + 1);
  }
  return false;
}

/** The input of every part that is more than text, in the order of the parts. */
export function inputParts(view: BodyView): string[] {
  if (!mayHoldParts(view, PART_INPUTS)) return [];
  const inputs: string[] = [];
  for (const message of objectsIn(view, 'messages')) {
    for (const part of objectsIn(message, 'content')) {
      const input = INPUT_OF_PART.get(readString(part, 'type') ?? '');
      if (input !== undefined) inputs.push(input);
    }
  }
  return inputs;
}
