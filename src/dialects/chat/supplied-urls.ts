/** Addresses in a request that somebody is asked to fetch: images, audio, video and files by URL (G-9). */
import { type BodyView, decodeString, member } from '../bytes/body-view.ts';
import { BACKSLASH, COLON } from '../bytes/json-grammar.ts';
import { textOf } from '../bytes/text.ts';
import { type StringPlace, walkStrings } from '../bytes/walk-strings.ts';
import type { SuppliedUrl } from '../contract.ts';

/** Members of a part whose text is read, not fetched. */
const PLAIN_KEYS: ReadonlySet<string> = new Set([
  'text',
  'refusal',
  'thinking',
  'reasoning',
  'title',
  'filename',
  'name',
]);

/** No provider takes as many; each costs a microsecond or two, and bodies can hold millions. */
export const MAX_URLS = 10_000;

/**
 * Every text in a content part that begins like a URL (`scheme:`), but for `data:` URLs, in whatever member it stands:
 * providers differ in their names, and upstreams in what they look at. Of two members of one name both count. Null = more
 * than `MAX_URLS`.
 */
export function suppliedUrls(view: BodyView): readonly SuppliedUrl[] | null {
  const { bytes } = view;
  const messages = member(view, 'messages');
  const found: SuppliedUrl[] = [];
  if (messages === null) return found;
  let looked = 0;
  walkStrings(bytes, messages.valueStart, messages.valueEnd, (place, start, end) => {
    if (looked > MAX_URLS || place.depth <= PART || !looksLikeUrl(bytes, start, end) || !isInPart(place)) return;
    looked++;
    const url = decodeString(bytes, start, end);
    if (!URL_START.test(url)) return;
    found.push({ param: `messages[${place.index(0)}].content[${place.index(2)}]`, url });
  });
  return looked > MAX_URLS ? null : found;
}

/** Level of a content part's members: `[{"content": [{…}]}]`. */
const PART = 3;

function isInPart(place: StringPlace): boolean {
  return place.key(1) === 'content' && place.index(2) !== null && !PLAIN_KEYS.has(place.innerKey ?? '');
}

/** A scheme as readers of URLs see it: blanks and control characters in front, tabs and line breaks anywhere, don't count. */
export const URL_START = /^[\0-\x20]*[a-z][\t\n\r]*(?:[a-z0-9+.-][\t\n\r]*)*:/i;

/** The longest scheme that is looked for; none in use comes near it. */
const MAX_SCHEME = 32;
const DATA = '"data:';

/** By the text's first bytes; what is escaped there is looked at whole. Encoded media, however long, costs nothing. */
export function looksLikeUrl(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start + 1;
  while (at < end && bytes[at] === 0x20) at++;
  for (const last = Math.min(at + MAX_SCHEME, end - 1); at < last; at++) {
    const byte = bytes[at]!;
    if (byte === BACKSLASH) return true;
    if (byte === COLON) return textOf(bytes, start, start + DATA.length) !== DATA;
    if (!inScheme(byte)) return false;
  }
  return false;
}

function inScheme(byte: number): boolean {
  const letter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  const digit = byte >= 0x30 && byte <= 0x39;
  return letter || digit || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}
