/** Media as text: `data:` URLs, and what a media type is. */
import type { Media, Part } from '../canonical.ts';

export type MediaPart = Extract<Part, { type: 'media' }>;

const DATA_URL = /^data:([^,;]*)((?:;[^,;]*)*),/i;

/** A `data:` URL taken apart; null = it is none. Data that is not base64 is turned into it. */
export function readDataUrl(url: string): { readonly mime: string; readonly data: string } | null {
  const head = DATA_URL.exec(url.length > MAX_HEAD ? url.slice(0, MAX_HEAD) : url);
  if (head === null) return null;
  const mime = head[1] === '' ? 'text/plain' : head[1]!.toLowerCase();
  const rest = url.slice(head[0].length);
  if (/;base64$/i.test(head[2]!)) return { mime, data: rest };
  return { mime, data: Buffer.from(percentDecoded(rest)).toString('base64') };
}

/** Longer than any type with its parameters. */
const MAX_HEAD = 512;

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function dataUrl(mime: string | null, base64: string): string {
  return `data:${mime ?? 'application/octet-stream'};base64,${base64}`;
}

/** What a media type is; all that is no picture, sound or film is a document. */
export function mediaOf(mime: string): Media {
  const kind = mime.slice(0, mime.indexOf('/'));
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

/** Media a dialect names by URL: a `data:` URL holds it, any other says where it is. */
export function mediaFromUrl(
  media: Media,
  url: string,
  more: { readonly name?: string | null; readonly detail?: string | null } = {},
): MediaPart {
  const held = readDataUrl(url);
  const { name = null, detail = null } = more;
  if (held === null) return { type: 'media', media, mime: null, source: { by: 'url', url }, name, detail };
  return { type: 'media', media, mime: held.mime, source: { by: 'base64', data: held.data }, name, detail };
}

/** The URL that says the same. Null = its source is plain text. */
export function urlOf({ source, mime }: MediaPart): string | null {
  if (source.by === 'url') return source.url;
  return source.by === 'base64' ? dataUrl(mime, source.data) : null;
}
