/** A whole Chat Completions answer of an upstream as the canonical model has it. */
import { type BodyView, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { QUOTE } from '../bytes/json-grammar.ts';
import { objectAt } from '../bytes/nested.ts';
import type { CanonicalAnswer, CanonicalChoice, Citation, Opaque, Part, ToolNames } from '../canonical.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { jsonTextAt, objectsAt } from '../cross/json-text.ts';
import { type MediaPart, mediaFromUrl } from '../cross/media.ts';
import { unwrapOpaque } from '../cross/opaque-marks.ts';
import { clientName } from '../cross/tool-names.ts';
import { objectOf } from '../failure/answer-faults.ts';
import {
  AUDIO_FIELDS,
  BODY_FIELDS,
  CALL_FIELDS,
  CALLED_FIELDS,
  CHOICE_FIELDS,
  CITATION_FIELDS,
  DETAIL_FIELDS,
  NOTE_FIELDS,
  noteLogprobs,
  SAID_FIELDS,
} from './answer-fields.ts';
import { finishOf } from './canonical-finish.ts';
import { readAnswer } from './response.ts';

const NULL = 0x6e;

/** Null = not usable, a failed or missing finish included (F-5, F-6). */
export function readUpstreamAnswer(bytes: Uint8Array, names: ToolNames): CanonicalAnswer | null {
  const answer = readAnswer(bytes);
  if (answer === null) return null;
  const choices: CanonicalChoice[] = [];
  const losses = new AnswerLosses();
  losses.noteView(answer.view, BODY_FIELDS);
  for (const view of objectsAt(answer.view, 'choices') ?? []) {
    const choice = view === null ? null : readChoice(view, names, losses);
    if (choice === null) return null;
    choices.push(choice);
  }
  return { choices, usage: answer.usage, ...losses.told };
}

function readChoice(view: BodyView, names: ToolNames, losses: AnswerLosses): CanonicalChoice | null {
  const message = objectAt(view, 'message');
  const parts = message === null ? [] : readMessage(message, names, losses);
  const raw = readString(view, 'finish_reason') || null;
  // None is made up: what ends without saying so may have been cut (dialects §8, §14.2).
  const finish = raw === null ? null : finishOf(raw);
  if (raw === null || finish === null) return null;
  const logprobs = objectAt(view, 'logprobs');
  losses.noteView(view, CHOICE_FIELDS);
  noteLogprobs(objectOf(readJson(view, 'logprobs')), losses);
  return {
    parts,
    finish,
    finishRaw: raw,
    stopSequence: null,
    logprobs: logprobs === null ? null : tokensOf(logprobs),
  };
}

/** The list of tokens; null = there is none. */
function tokensOf(logprobs: BodyView): string | null {
  const first = valueByte(logprobs, 'content');
  return first === 0 || first === NULL ? null : jsonTextAt(logprobs, 'content');
}

function readMessage(message: BodyView, names: ToolNames, losses: AnswerLosses): Part[] {
  losses.noteView(message, SAID_FIELDS);
  const parts: Part[] = readReasoning(message, losses);
  const citations = readCitations(message, losses);
  if (citations.length < (objectsAt(message, 'annotations') ?? []).length) losses.drop('citations');
  for (const text of textsOf(message, losses)) parts.push({ type: 'text', text });
  if (citations.length > 0) citeIn(parts, citations, losses);
  const refusal = readString(message, 'refusal');
  if (typeof refusal === 'string' && refusal !== '') parts.push({ type: 'refusal', text: refusal });
  for (const image of objectsAt(message, 'images') ?? []) {
    const part = image === null ? null : imageOf(image);
    if (part !== null) parts.push(part);
  }
  const audio = objectAt(message, 'audio');
  const data = audio === null ? null : readString(audio, 'data');
  const transcript = audio === null ? null : readString(audio, 'transcript');
  if (audio !== null) losses.noteView(audio, AUDIO_FIELDS);
  if (typeof transcript === 'string' && transcript !== '') parts.push({ type: 'text', text: transcript });
  if (typeof data === 'string' && data !== '') parts.push(audioOf(data));
  for (const [at, call] of (objectsAt(message, 'tool_calls') ?? []).entries()) {
    const part = call === null ? null : readCall(call, at, names, losses);
    if (part !== null) parts.push(part);
  }
  const old = objectAt(message, 'function_call');
  const oldName = old === null ? null : readString(old, 'name');
  if (old !== null && typeof oldName === 'string') {
    losses.noteView(old, CALLED_FIELDS);
    const input = readString(old, 'arguments') ?? '';
    parts.push({ type: 'call', id: 'call_0', name: clientName(oldName, names), form: 'function', input });
  }
  return parts;
}

/** A string by the dialect; some upstreams send parts. */
function textsOf(message: BodyView, losses: AnswerLosses): string[] {
  if (valueByte(message, 'content') === QUOTE) {
    const text = readString(message, 'content');
    return text ? [text] : [];
  }
  const bare = bareTexts(readJson(message, 'content'));
  if (bare !== null) return bare;
  return (objectsAt(message, 'content') ?? []).flatMap((part) => {
    const text = part === null ? null : readString(part, 'text');
    if (part !== null && typeof text !== 'string') losses.drop(readString(part, 'type') ?? 'part');
    return text ? [text] : [];
  });
}

/** Text in no part, or in a part that stands in no list; null = it is a list of parts, or nothing. */
function bareTexts(content: unknown): string[] | null {
  const part = objectOf(content);
  const texts = part !== null ? [part['text']] : Array.isArray(content) ? (content as unknown[]) : [];
  const bare = texts.filter((text) => typeof text === 'string');
  return bare.length === 0 ? null : bare;
}

function citeIn(parts: Part[], citations: readonly Citation[], losses: AnswerLosses): void {
  const at = parts.findLastIndex(({ type }) => type === 'text');
  const part = parts[at];
  if (part?.type === 'text') parts[at] = { ...part, citations };
  else losses.drop('citations');
}

function readCitations(message: BodyView, losses: AnswerLosses): Citation[] {
  return (objectsAt(message, 'annotations') ?? []).flatMap((note) => {
    const cited = note === null ? null : objectAt(note, 'url_citation');
    if (note === null || cited === null) return [];
    losses.noteView(note, NOTE_FIELDS);
    losses.noteView(cited, CITATION_FIELDS);
    return [citationFrom(cited)];
  });
}

function citationFrom(cited: BodyView): Citation {
  const number = (key: string): number | null => {
    const value = Number(jsonTextAt(cited, key) ?? Number.NaN);
    return Number.isSafeInteger(value) ? value : null;
  };
  return {
    url: readString(cited, 'url') ?? null,
    title: readString(cited, 'title') ?? null,
    quote: null,
    start: number('start_index'),
    end: number('end_index'),
  };
}

export function audioOf(data: string): MediaPart {
  return { type: 'media', media: 'audio', mime: null, source: { by: 'base64', data }, name: null, detail: null };
}

export function imageOf(image: BodyView): MediaPart | null {
  const nested = objectAt(image, 'image_url');
  const url = readString(nested ?? image, 'url');
  return typeof url === 'string' && url !== '' ? mediaFromUrl('image', url) : null;
}

function readCall(view: BodyView, at: number, names: ToolNames, losses: AnswerLosses): Part | null {
  const custom = objectAt(view, 'custom');
  const fields = custom ?? objectAt(view, 'function');
  const name = fields === null ? null : readString(fields, 'name');
  if (fields === null || typeof name !== 'string') return null;
  losses.noteView(view, CALL_FIELDS);
  losses.noteView(fields, CALLED_FIELDS);
  const input = custom === null ? argumentsOf(fields) : (readString(custom, 'input') ?? '');
  const form = custom === null ? 'function' : 'custom';
  return { type: 'call', id: readString(view, 'id') || `call_${at}`, name: clientName(name, names), form, input };
}

/** A string by the dialect; some upstreams send the object itself. */
function argumentsOf(fields: BodyView): string {
  const text = readString(fields, 'arguments');
  return text === undefined ? (jsonTextAt(fields, 'arguments') ?? '') : (text ?? '');
}

function readReasoning(message: BodyView, losses: AnswerLosses): Part[] {
  const parts: Part[] = [];
  for (const detail of objectsAt(message, 'reasoning_details') ?? []) {
    if (detail === null) continue;
    losses.noteView(detail, DETAIL_FIELDS);
    const text = readString(detail, 'text') ?? readString(detail, 'summary') ?? '';
    const opaque = stateIn(readString(detail, 'signature'), readString(detail, 'data'));
    const summary = readString(detail, 'type') === 'reasoning.summary';
    if (text !== '' || opaque !== null) parts.push({ type: 'reasoning', text, summary, opaque });
  }
  if (parts.length > 0) return parts;
  const text = readString(message, 'reasoning_content') ?? readString(message, 'reasoning');
  return typeof text === 'string' && text !== '' ? [{ type: 'reasoning', text, summary: false, opaque: null }] : [];
}

/** Opaque state of the upstream's own (vendor null), or what another gateway of this kind has marked. */
export function stateIn(signature: unknown, sealed: unknown): Opaque | null {
  const kind = typeof signature === 'string' && signature !== '' ? 'signature' : 'sealed';
  const data = kind === 'signature' ? signature : sealed;
  if (typeof data !== 'string' || data === '') return null;
  return unwrapOpaque(data) ?? { vendor: null, kind, data, id: null };
}
