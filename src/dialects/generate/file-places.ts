/** Where requests of this dialect name files by address, and which of them live at an upstream account. */
import { type BodyView, decodeString } from '../bytes/body-view.ts';
import { bufferOf } from '../bytes/text.ts';
import { type StringPlace, walkStrings } from '../bytes/walk-strings.ts';
import { given } from './fields.ts';

const FILE_KEYS: ReadonlySet<string> = new Set(['fileUri', 'file_uri']);
/** What a function is called with and answers is nobody's to fetch. */
const PLAIN_KEYS: ReadonlySet<string> = new Set(['args', 'response']);

/** A file uploaded beforehand, by its name or its address; one in a bucket only the account can read. */
const STORED = /^(?:https?:\/\/[^/?#]+\/(?:[^?#]*\/)?)?files\/[^/?#]+$|^gs:/i;

export function isStored(uri: string): boolean {
  return STORED.test(uri);
}

/** Calls `visit` with the address of every file in the contents; `param` is its place: `contents[0].parts[1]`. */
export function eachFile(view: BodyView, visit: (uri: string, param: string) => void): void {
  const contents = given(view, 'contents');
  if (contents === null || !mayHoldFiles(view)) return;
  walkStrings(view.bytes, contents.valueStart, contents.valueEnd, (place, start, end) => {
    if (!FILE_KEYS.has(place.innerKey ?? '') || isPlain(place)) return;
    visit(decodeString(view.bytes, start, end), paramOf(place));
  });
}

/** One search of the machine's own instead of a walk; a key may be written with escapes. */
function mayHoldFiles(view: BodyView): boolean {
  const text = bufferOf(view.bytes);
  return text.includes('fileUri"') || text.includes('file_uri"') || text.includes('\\u');
}

function isPlain(place: StringPlace): boolean {
  for (let level = 0; level < place.depth; level++) if (PLAIN_KEYS.has(place.key(level) ?? '')) return true;
  return false;
}

function paramOf(place: StringPlace): string {
  const single = place.index(0) === null;
  return `contents[${place.index(0) ?? 0}].parts[${place.index(single ? 1 : 2) ?? 0}]`;
}
