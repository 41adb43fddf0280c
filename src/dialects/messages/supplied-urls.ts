/** Addresses in a request that somebody is asked to fetch: images and documents by URL, tool servers (G-9). */
import { type BodyView, decodeString, member, readString } from '../bytes/body-view.ts';
import { objectsIn } from '../bytes/nested.ts';
import { bufferOf } from '../bytes/text.ts';
import { type StringPlace, walkStrings } from '../bytes/walk-strings.ts';
import type { SuppliedUrl } from '../contract.ts';

/** No provider takes as many. */
export const MAX_URLS = 10_000;

/** Level of a block's members: `[{"content": [{…}]}]`. */
const BLOCK = 3;
const DATA_URL = /^[\0-\x20]*data:/i;

/** Null = more than `MAX_URLS`. What a call's own arguments hold is text: nobody fetches it. */
export function suppliedUrls(view: BodyView): readonly SuppliedUrl[] | null {
  const found: SuppliedUrl[] = [];
  const servers = member(view, 'mcp_servers') === null ? [] : objectsIn(view, 'mcp_servers');
  servers.forEach((server, at) => {
    const url = readString(server, 'url');
    if (typeof url === 'string') found.push({ param: `mcp_servers[${at}]`, url });
  });
  const messages = member(view, 'messages');
  if (messages === null || !mayHold(view, 'url')) return found;
  const { bytes } = view;
  walkStrings(bytes, messages.valueStart, messages.valueEnd, (place, start, end) => {
    if (found.length > MAX_URLS || !isSourceUrl(place)) return;
    const url = decodeString(bytes, start, end);
    if (!DATA_URL.test(url)) found.push({ param: `messages[${place.index(0)}].content[${place.index(2)}]`, url });
  });
  return found.length > MAX_URLS ? null : found;
}

/** `source.url`, of a block or of one inside of it. */
function isSourceUrl(place: StringPlace): boolean {
  const { depth } = place;
  if (depth <= BLOCK + 1 || place.key(depth - 1) !== 'url' || place.key(depth - 2) !== 'source') return false;
  return place.key(1) === 'content' && place.index(2) !== null && place.key(BLOCK) !== 'input';
}

function mayHold({ bytes }: BodyView, key: string): boolean {
  const text = bufferOf(bytes);
  return text.includes(key) || text.includes('\\u');
}
