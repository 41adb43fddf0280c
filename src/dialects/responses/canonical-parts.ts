/** Parts of this dialect's items as the canonical model has them, and back. */
import { type BodyView, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACKET } from '../bytes/json-grammar.ts';
import { objectAt } from '../bytes/nested.ts';
import type { Citation, JsonText, Part } from '../canonical.ts';
import { noteUnknown } from '../cross/hints.ts';
import { jsonTextAt, objectsAt } from '../cross/json-text.ts';
import { mediaFromUrl, readDataUrl } from '../cross/media.ts';
import { ownVendor, readOpaque } from '../cross/opaque-marks.ts';
import { objectOf } from '../failure/answer-faults.ts';

/** What reading gathers on its way. */
export interface Noted {
  readonly hints: Map<string, JsonText>;
  readonly bound: Set<string>;
}

const NULL = 0x6e;
const AUDIO_FIELDS: ReadonlySet<string> = new Set(['data', 'format']);
const PART_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'text',
  'annotations',
  'refusal',
  'image_url',
  'detail',
  'input_audio',
  'data',
  'format',
  'file_data',
  'file_id',
  'file_url',
  'filename',
  'prompt_cache_breakpoint',
]);

/** A message's content: a text, or parts. A string = what is wrong with it. */
export function readMessageParts(item: BodyView, param: string, noted: Noted): Part[] | string {
  const text = readString(item, 'content');
  if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }];
  return readParts(item, 'content', param, noted);
}

export function readParts(item: BodyView, key: string, param: string, noted: Noted): Part[] | string {
  if (valueByte(item, key) !== OPEN_BRACKET) return `\`${param}.${key}\` must be a string or an array of parts.`;
  const parts: Part[] = [];
  for (const [place, view] of objectsAt(item, key)!.entries()) {
    const where = `${param}.${key}[${place}]`;
    const part = view === null ? null : readPart(view, noted);
    if (part === null) return `\`${where}\` has a type that is not known, or lacks its content.`;
    if (part !== 'nothing') parts.push(part);
  }
  return parts;
}

/** `nothing` = an empty text, or what is bound elsewhere and noted; null = it cannot be read. */
function readPart(view: BodyView, { hints, bound }: Noted): Part | 'nothing' | null {
  noteUnknown(view, PART_FIELDS, 'input.content', hints);
  const mark = valueByte(view, 'prompt_cache_breakpoint');
  if (mark !== 0 && mark !== NULL) hints.set('cache_control', jsonTextAt(view, 'prompt_cache_breakpoint')!);
  switch (readString(view, 'type')) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return readText(view, hints);
    case 'refusal': {
      const text = readString(view, 'refusal');
      if (typeof text !== 'string') return null;
      return text === '' ? 'nothing' : { type: 'refusal', text };
    }
    case 'input_image':
    case 'computer_screenshot':
      noteFileId(view, 'image_url', hints);
      return readImage(view, bound);
    case 'input_audio':
      return readAudio(view, hints);
    case 'input_file':
      noteFileId(view, 'file_data', hints);
      noteFileId(view, 'file_url', hints);
      if (typeof readString(view, 'file_data') === 'string') noteSecond(view, 'file_url', hints);
      return readFile(view, bound);
    default:
      return null;
  }
}

function readText(view: BodyView, hints: Map<string, JsonText>): Part | 'nothing' | null {
  const text = readString(view, 'text');
  if (typeof text !== 'string') return null;
  if (text === '') return 'nothing';
  const citations = readCitations(view);
  const notes = valueByte(view, 'annotations') === OPEN_BRACKET ? (readJson(view, 'annotations') as unknown[]) : [];
  if (notes.length > citations.length) hints.set('input.content.annotations', jsonTextAt(view, 'annotations')!);
  return citations.length === 0 ? { type: 'text', text } : { type: 'text', text, citations };
}

/** What a part's annotations cite. Files at an account are nobody else's to cite. */
export function readCitations(part: BodyView): Citation[] {
  if (valueByte(part, 'annotations') !== OPEN_BRACKET) return [];
  return (readJson(part, 'annotations') as unknown[]).flatMap((note) => citationIn(note) ?? []);
}

/** Null = it cites no address. */
export function citationIn(annotation: unknown): Citation | null {
  const note = objectOf(annotation);
  const url = note?.['url'];
  if (note?.['type'] !== 'url_citation' || typeof url !== 'string') return null;
  const number = (value: unknown): number | null =>
    typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
  const title = typeof note['title'] === 'string' && note['title'] !== '' ? note['title'] : null;
  return { url, title, quote: null, start: number(note['start_index']), end: number(note['end_index']) };
}

function readImage(view: BodyView, bound: Set<string>): Part | 'nothing' | null {
  const url = readString(view, 'image_url');
  if (typeof url === 'string') return mediaFromUrl('image', url, { detail: readString(view, 'detail') ?? null });
  return byFileId(view, bound);
}

function byFileId(view: BodyView, bound: Set<string>): 'nothing' | null {
  if (typeof readString(view, 'file_id') !== 'string') return null;
  bound.add('state');
  return 'nothing';
}

/** A file is named by its id only where nothing else says what is in it. */
function noteFileId(view: BodyView, instead: string, hints: Map<string, JsonText>): void {
  if (typeof readString(view, instead) === 'string') noteSecond(view, 'file_id', hints);
}

/** What else says where the same file is. */
function noteSecond(view: BodyView, key: string, hints: Map<string, JsonText>): void {
  const value = jsonTextAt(view, key);
  if (value !== null && value !== 'null') hints.set(`input.content.${key}`, value);
}

function readAudio(view: BodyView, hints: Map<string, JsonText>): Part | null {
  const nested = objectAt(view, 'input_audio');
  if (nested !== null) noteUnknown(nested, AUDIO_FIELDS, 'input.content.input_audio', hints);
  const audio = nested ?? view;
  const data = readString(audio, 'data');
  if (typeof data !== 'string') return null;
  const format = readString(audio, 'format') ?? 'wav';
  const mime = format === 'mp3' ? 'audio/mpeg' : `audio/${format}`;
  return { type: 'media', media: 'audio', mime, source: { by: 'base64', data }, name: null, detail: null };
}

/** A file's data is a `data:` URL, or base64 alone. */
function readFile(view: BodyView, bound: Set<string>): Part | 'nothing' | null {
  const name = readString(view, 'filename') ?? null;
  const detail = readString(view, 'detail') ?? null;
  const data = readString(view, 'file_data');
  if (typeof data === 'string') {
    const held = readDataUrl(data) ?? { mime: 'application/pdf', data };
    const source = { by: 'base64', data: held.data } as const;
    return { type: 'media', media: 'document', mime: held.mime, source, name, detail };
  }
  const url = readString(view, 'file_url');
  return typeof url === 'string' ? mediaFromUrl('document', url, { name, detail }) : byFileId(view, bound);
}

/** A thought: what was thought, and its summary, which carries the state. */
export function readThought(item: BodyView): Part[] {
  const said = textsAt(item, 'content');
  const summary = textsAt(item, 'summary');
  const sealed = readString(item, 'encrypted_content');
  const id = readString(item, 'id') ?? null;
  const opaque =
    typeof sealed === 'string' && sealed !== ''
      ? readOpaque(sealed, 'sealed', id, ownVendor('openai-responses'))
      : null;
  const parts: Part[] = [];
  if (said !== '')
    parts.push({ type: 'reasoning', text: said, summary: false, opaque: summary === '' ? opaque : null });
  if (summary !== '') parts.push({ type: 'reasoning', text: summary, summary: true, opaque });
  if (parts.length === 0 && opaque !== null) parts.push({ type: 'reasoning', text: '', summary: true, opaque });
  return parts;
}

/** Several are told apart by an empty line. */
export const BETWEEN_THOUGHTS = '\n\n';

function textsAt(item: BodyView, key: string): string {
  const texts = (objectsAt(item, key) ?? []).map((part) => (part === null ? null : readString(part, 'text')));
  return texts.filter((text) => typeof text === 'string' && text !== '').join(BETWEEN_THOUGHTS);
}
