/**
 * Parts of a request that are more than text. Most requests have none, so the bytes are searched for the parts' names before
 * anything is parsed.
 */
import { type BodyView, readString } from '../bytes/body-view.ts';
import { objectsIn } from '../bytes/nested.ts';
import { bufferOf } from '../bytes/text.ts';
import { given, objectGiven } from './fields.ts';

/** What the names of such members share in both spellings: `inlineData`, `file_data`. An escaped one holds `\u`. */
const MARKS = ['Data"', '_data"', '\\u'].map((mark) => Buffer.from(mark));

/** False: certainly no part is media or a file. True: perhaps. Looks at bytes only. */
export function mayHoldMedia(view: BodyView): boolean {
  const contents = given(view, 'contents');
  if (contents === null) return false;
  const bytes = bufferOf(view.bytes).subarray(contents.valueStart, contents.valueEnd);
  return MARKS.some((mark) => bytes.includes(mark));
}

/** The input of every such part, in the catalogue's words, in the order of the parts. */
export function inputParts(view: BodyView): string[] {
  if (!mayHoldMedia(view)) return [];
  const inputs: string[] = [];
  for (const content of contentsOf(view)) {
    for (const part of objectsIn(content, 'parts')) {
      noteInput(part, inputs);
      const response = objectGiven(part, 'functionResponse');
      if (response !== null) for (const inner of objectsIn(response, 'parts')) noteInput(inner, inputs);
    }
  }
  return inputs;
}

function noteInput(part: BodyView, inputs: string[]): void {
  const media = objectGiven(part, 'inlineData') ?? objectGiven(part, 'fileData');
  if (media !== null) inputs.push(inputOf(readString(media, 'mimeType') ?? readString(media, 'mime_type') ?? ''));
}

/** `image/png` → `image`. */
function inputOf(mimeType: string): string {
  const kind = mimeType.slice(0, mimeType.indexOf('/'));
  return ['image', 'audio', 'video'].includes(kind) ? kind : 'file';
}

/** A single content may stand for the list of one. */
export function contentsOf(view: BodyView): BodyView[] {
  const single = objectGiven(view, 'contents');
  return single === null ? objectsIn(view, 'contents') : [single];
}
