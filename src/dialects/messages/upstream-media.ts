/** Media as this dialect takes them: four kinds of pictures, PDF, and plain text. */
import { textOf } from '../bytes/text.ts';
import type { JsonText } from '../canonical.ts';
import { objectText } from '../cross/json-text.ts';
import type { MediaPart } from '../cross/media.ts';

const PICTURES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const PDF = 'application/pdf';
/** Text by another name. */
const TEXTUAL = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|x-ndjson)$)/;

/** How it is told; null = this dialect has no words for it. */
export function sourceKind({ media, mime, source }: MediaPart): 'base64' | 'url' | 'text' | null {
  if (media !== 'image' && media !== 'document') return null;
  if (source.by === 'url') return 'url';
  if (source.by === 'text') return media === 'document' ? 'text' : null;
  if (media === 'image') return mime !== null && PICTURES.has(plainType(mime)) ? 'base64' : null;
  if (mime === null) return null;
  const type = plainType(mime);
  if (type === PDF) return 'base64';
  return TEXTUAL.test(type) ? 'text' : null;
}

/** A block; null = `sourceKind` has none for it. */
export function mediaBlock(part: MediaPart): JsonText | null {
  const source = sourceText(part);
  if (source === null) return null;
  const members: [string, JsonText][] = [
    ['type', JSON.stringify(part.media)],
    ['source', source],
  ];
  if (part.media === 'document' && part.name !== null) members.push(['title', JSON.stringify(part.name)]);
  return objectText(members);
}

function sourceText(part: MediaPart): JsonText | null {
  const { source, mime } = part;
  const kind = sourceKind(part);
  if (kind === null) return null;
  if (source.by === 'url') return JSON.stringify({ type: 'url', url: source.url });
  if (kind === 'base64') {
    const data = source.by === 'base64' ? source.data : '';
    return JSON.stringify({ type: 'base64', media_type: plainType(mime ?? ''), data });
  }
  const text = source.by === 'text' ? source.text : textOf(Buffer.from(source.data, 'base64'));
  return JSON.stringify({ type: 'text', media_type: 'text/plain', data: text });
}

/** Without parameters; one spelling of what has two. */
function plainType(mime: string): string {
  const type = mime.split(';', 1)[0]!.trim().toLowerCase();
  return type === 'image/jpg' ? 'image/jpeg' : type;
}
