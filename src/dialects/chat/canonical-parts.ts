/** One part of a message's content. */
import { type BodyView, readString, valueByte } from '../bytes/body-view.ts';
import { objectAt } from '../bytes/nested.ts';
import type { JsonText, Part } from '../canonical.ts';
import { noteUnknown } from '../cross/hints.ts';
import { jsonTextAt } from '../cross/json-text.ts';
import { mediaFromUrl, readDataUrl } from '../cross/media.ts';

const NULL = 0x6e;

/** Marks of what a cache may keep: cost, nothing else. */
const CACHE_MARKS = ['prompt_cache_breakpoint', 'cache_control'] as const;

const PART_FIELDS: ReadonlySet<string> = new Set([
  ...CACHE_MARKS,
  'type',
  'text',
  'refusal',
  'image_url',
  'detail',
  'input_audio',
  'video_url',
  'file',
]);

/** Members of what a part nests its content in. */
const NESTED_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['image_url', new Set(['url', 'detail'])],
  ['input_audio', new Set(['data', 'format'])],
  ['video_url', new Set(['url'])],
  ['file', new Set(['file_data', 'file_id', 'filename'])],
]);

/** `nothing` = an empty text, or what is bound elsewhere and noted; null = it cannot be read. */
export function readContentPart(
  view: BodyView,
  { hints, bound }: { readonly hints: Map<string, JsonText>; readonly bound: Set<string> },
): Part | 'nothing' | null {
  noteUnknown(view, PART_FIELDS, 'messages.content', hints);
  for (const mark of CACHE_MARKS) {
    const first = valueByte(view, mark);
    if (first !== 0 && first !== NULL) hints.set('cache_control', jsonTextAt(view, mark)!);
  }
  const type = readString(view, 'type') ?? '';
  const known = NESTED_FIELDS.get(type);
  const nested = known === undefined ? null : objectAt(view, type);
  if (nested !== null) noteUnknown(nested, known!, `messages.content.${type}`, hints);
  switch (type) {
    case 'text':
      return textPart(view, 'text');
    case 'refusal':
      return textPart(view, 'refusal');
    case 'image_url':
      return imagePart(view, nested);
    case 'input_audio':
      return audioPart(nested);
    case 'video_url':
      return urlPart(nested);
    case 'file':
      return filePart(nested, hints, bound);
    default:
      return null;
  }
}

function textPart(view: BodyView, type: 'text' | 'refusal'): Part | 'nothing' | null {
  const text = readString(view, type);
  if (typeof text !== 'string') return null;
  return text === '' ? 'nothing' : { type, text };
}

/** Some clients send the URL alone. */
function imagePart(view: BodyView, nested: BodyView | null): Part | null {
  const url = nested === null ? readString(view, 'image_url') : readString(nested, 'url');
  if (typeof url !== 'string') return null;
  const detail = readString(nested ?? view, 'detail') ?? null;
  return mediaFromUrl('image', url, { detail });
}

function audioPart(audio: BodyView | null): Part | null {
  const data = audio === null ? null : readString(audio, 'data');
  if (audio === null || typeof data !== 'string') return null;
  const format = readString(audio, 'format') ?? 'wav';
  const mime = format === 'mp3' ? 'audio/mpeg' : `audio/${format}`;
  return { type: 'media', media: 'audio', mime, source: { by: 'base64', data }, name: null, detail: null };
}

function urlPart(video: BodyView | null): Part | null {
  const url = video === null ? null : readString(video, 'url');
  return typeof url === 'string' ? mediaFromUrl('video', url) : null;
}

/** A file's data is a `data:` URL, or base64 alone: then its name tells what it is. */
function filePart(file: BodyView | null, hints: Map<string, JsonText>, bound: Set<string>): Part | 'nothing' | null {
  if (file === null) return null;
  const data = readString(file, 'file_data');
  if (typeof data !== 'string') {
    if (typeof readString(file, 'file_id') !== 'string') return null;
    bound.add('state');
    return 'nothing';
  }
  const id = jsonTextAt(file, 'file_id');
  if (id !== null) hints.set('messages.content.file.file_id', id);
  const name = readString(file, 'filename') ?? null;
  const held = readDataUrl(data) ?? { mime: 'application/pdf', data };
  return {
    type: 'media',
    media: 'document',
    mime: held.mime,
    source: { by: 'base64', data: held.data },
    name,
    detail: null,
  };
}
