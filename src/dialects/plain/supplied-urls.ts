/** Addresses in a request that somebody is asked to fetch: images and sound by URL (G-9). */
import { type BodyView, decodeString } from '../bytes/body-view.ts';
import { textOf } from '../bytes/text.ts';
import { walkStrings } from '../bytes/walk-strings.ts';
import type { SuppliedUrl } from '../contract.ts';

/** Members whose text is fetched where it is a URL. What is to be embedded, ranked or read aloud may name any. */
const FETCHED: ReadonlySet<string> = new Set([
  'url',
  'image',
  'images',
  'image[]',
  'image_url',
  'mask',
  'file',
  'file_url',
  'audio_url',
  'video_url',
  'video',
  'input_reference',
]);
const URL_START = /^"[\0-\x20]*[a-z][\t\n\r]*(?:[a-z0-9+.-][\t\n\r]*){0,32}:/i;
const MAX_URLS = 10_000;

/** Null = more than anybody would ask for. */
export function plainSuppliedUrls({ bytes, start, end }: BodyView): readonly SuppliedUrl[] | null {
  const found: SuppliedUrl[] = [];
  walkStrings(bytes, start, end, (place, from, to) => {
    if (found.length > MAX_URLS || to - from < 4) return;
    const head = textOf(bytes, from, Math.min(to, from + 64));
    if (head.startsWith('"data:') || !(URL_START.test(head) || head.includes('\\'))) return;
    if (!FETCHED.has(place.innerKey ?? '')) return;
    const url = decodeString(bytes, from, to);
    if (URL_START.test(`"${url}`) && !url.startsWith('data:')) found.push({ param: place.key(0) ?? 'body', url });
  });
  return found.length > MAX_URLS ? null : found;
}
