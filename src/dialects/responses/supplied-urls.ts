/** Addresses in a request that somebody is asked to fetch: images and files by URL, servers of tools (G-9). */
import { type BodyView, decodeString, member } from '../bytes/body-view.ts';
import { type StringPlace, walkStrings } from '../bytes/walk-strings.ts';
import { looksLikeUrl, MAX_URLS, URL_START } from '../chat/supplied-urls.ts';
import type { SuppliedUrl } from '../contract.ts';

/** Members of a part whose text is read, not fetched. */
const PLAIN_KEYS: ReadonlySet<string> = new Set(['text', 'refusal', 'title', 'filename', 'name', 'transcript']);
/** Members of a tool, or of a prompt's variables, that are fetched or called. */
const TOOL_KEYS: ReadonlySet<string> = new Set(['server_url', 'image_url', 'file_url']);

/**
 * Every text in a part of an item that begins like a URL, but for `data:` URLs, in whatever member it stands; and the
 * addresses of tools. Of two members of one name both count. Null = more than `MAX_URLS`.
 */
export function suppliedUrls(view: BodyView): readonly SuppliedUrl[] | null {
  const found: SuppliedUrl[] = [];
  const looked =
    urlsIn(view, 'input', isInPart, found) +
    urlsIn(view, 'tools', (place) => TOOL_KEYS.has(place.innerKey ?? '') && place.key(1) !== 'parameters', found) +
    urlsIn(view, 'prompt', (place) => TOOL_KEYS.has(place.innerKey ?? ''), found);
  return looked > MAX_URLS ? null : found;
}

/** Returns how many it looked at. */
function urlsIn(view: BodyView, field: string, counts: (place: StringPlace) => boolean, found: SuppliedUrl[]): number {
  const { bytes } = view;
  const held = member(view, field);
  if (held === null || bytes[held.valueStart] === 0x22) return 0;
  let looked = 0;
  walkStrings(bytes, held.valueStart, held.valueEnd, (place, start, end) => {
    if (looked > MAX_URLS || place.depth < 2 || !looksLikeUrl(bytes, start, end) || !counts(place)) return;
    looked++;
    const url = decodeString(bytes, start, end);
    if (URL_START.test(url)) found.push({ param: paramOf(field, place), url });
  });
  return looked;
}

/** `input[0].content[1]`, `input[2].output`, `tools[0]`, `prompt`. */
function paramOf(field: string, place: StringPlace): string {
  const at = place.index(0);
  if (at === null) return field;
  if (field !== 'input') return `${field}[${at}]`;
  const part = place.index(2);
  return `input[${at}].${place.key(1)}${part === null ? '' : `[${part}]`}`;
}

/** `[{"content": [{…}]}]`, `[{"output": [{…}]}]` and `[{"output": {…}}]`. */
function isInPart(place: StringPlace): boolean {
  if (place.depth < 3) return false;
  const holder = place.key(1);
  return (holder === 'content' || holder === 'output') && !PLAIN_KEYS.has(place.innerKey ?? '');
}
