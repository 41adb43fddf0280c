/** A whole answer of a Responses upstream as the canonical model has it. */
import { type BodyView, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { QUOTE } from '../bytes/json-grammar.ts';
import type { CanonicalAnswer, CanonicalChoice, Finish, Part, ToolNames } from '../canonical.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { jsonTextAt, objectsAt } from '../cross/json-text.ts';
import type { MediaPart } from '../cross/media.ts';
import { clientName } from '../cross/tool-names.ts';
import { knownOfItem, knownOfPart, noteInside } from './answer-fields.ts';
import { BETWEEN_THOUGHTS, readCitations } from './canonical-parts.ts';
import { isFilterFinish, isLengthFinish } from './finish.ts';
import { readAnswer } from './response.ts';

/** Null = not usable, one that failed or is only promised included (F-5, F-6). */
export function readUpstreamAnswer(bytes: Uint8Array, names: ToolNames): CanonicalAnswer | null {
  const answer = readAnswer(bytes);
  const raw = answer?.finishReasons[0];
  if (answer === null || raw === undefined || raw === 'queued' || raw === 'in_progress') return null;
  // None is made up: what ends without saying so may have been cut (dialects §8, §14.2).
  if (valueByte(answer.view, 'status') !== QUOTE) return null;
  const parts: Part[] = [];
  const logprobs: string[] = [];
  const losses = new AnswerLosses();
  for (const item of objectsAt(answer.view, 'output') ?? []) {
    if (item === null) continue;
    parts.push(...readItem(item, names, losses));
    logprobs.push(...logprobsIn(item));
  }
  const choice: CanonicalChoice = {
    parts,
    finish: finishFrom(
      raw,
      parts.some(({ type }) => type === 'call'),
    ),
    finishRaw: raw,
    stopSequence: null,
    logprobs: logprobs.length === 0 ? null : `[${logprobs.join(',')}]`,
  };
  return { choices: [choice], usage: answer.usage, ...losses.told };
}

/** Endings without counterpart elsewhere were no proper stop. */
export function finishFrom(raw: string, calls: boolean): Finish {
  if (isLengthFinish(raw)) return 'length';
  if (isFilterFinish(raw)) return 'content_filter';
  if (raw !== 'completed') return 'pause';
  return calls ? 'tool_calls' : 'stop';
}

/** What an item holds; items of the provider's own tools hold nothing that others have words for. */
export function readItem(item: BodyView, names: ToolNames, losses: AnswerLosses): Part[] {
  const type = readString(item, 'type') ?? '';
  const known = knownOfItem(type, losses);
  if (known !== null) {
    losses.noteView(item, known);
    noteInside({ type, content: readJson(item, 'content'), summary: readJson(item, 'summary') }, losses);
  }
  switch (type) {
    case 'message':
      return (objectsAt(item, 'content') ?? []).flatMap((part) => (part === null ? [] : readSpoken(part, losses)));
    case 'reasoning':
      return readThought(item);
    case 'function_call':
      return readCall(item, 'function', readString(item, 'arguments') ?? '', names);
    case 'custom_tool_call':
      return readCall(item, 'custom', readString(item, 'input') ?? '', names);
    case 'image_generation_call':
      return readImage(item);
    default:
      return [];
  }
}

function readSpoken(part: BodyView, losses: AnswerLosses): Part[] {
  const known = knownOfPart(readString(part, 'type') ?? 'output_text', losses);
  if (known !== null) losses.noteView(part, known);
  const refusal = readString(part, 'refusal');
  if (typeof refusal === 'string' && refusal !== '') return [{ type: 'refusal', text: refusal }];
  const text = readString(part, 'text');
  if (typeof text !== 'string' || text === '') return [];
  const citations = readCitations(part);
  if (citations.length < (objectsAt(part, 'annotations') ?? []).length) losses.drop('citations');
  return [citations.length === 0 ? { type: 'text', text } : { type: 'text', text, citations }];
}

/** What was thought, then its summary; the state stands on the last of them. */
function readThought(item: BodyView): Part[] {
  const data = readString(item, 'encrypted_content');
  const id = readString(item, 'id') ?? null;
  const opaque = typeof data === 'string' && data !== '' ? ({ vendor: null, kind: 'sealed', data, id } as const) : null;
  const said = textsAt(item, 'content');
  const summary = textsAt(item, 'summary');
  const parts: Part[] = [];
  if (said !== '')
    parts.push({ type: 'reasoning', text: said, summary: false, opaque: summary === '' ? opaque : null });
  if (summary !== '') parts.push({ type: 'reasoning', text: summary, summary: true, opaque });
  if (parts.length === 0 && opaque !== null) parts.push({ type: 'reasoning', text: '', summary: true, opaque });
  return parts;
}

function textsAt(item: BodyView, key: string): string {
  const texts = (objectsAt(item, key) ?? []).map((part) => (part === null ? null : readString(part, 'text')));
  return texts.filter((text) => typeof text === 'string' && text !== '').join(BETWEEN_THOUGHTS);
}

function readCall(item: BodyView, form: 'function' | 'custom', input: string, names: ToolNames): Part[] {
  const name = readString(item, 'name');
  const id = readString(item, 'call_id') || readString(item, 'id');
  if (typeof name !== 'string' || typeof id !== 'string' || id === '') return [];
  return [{ type: 'call', id, name: clientName(name, names), form, input }];
}

export function readImage(item: BodyView): MediaPart[] {
  const data = readString(item, 'result');
  if (typeof data !== 'string' || data === '') return [];
  const format = readString(item, 'output_format') ?? 'png';
  const source = { by: 'base64', data } as const;
  return [{ type: 'media', media: 'image', mime: `image/${format}`, source, name: null, detail: null }];
}

/** The tokens of a message's texts, each as JSON. */
function logprobsIn(item: BodyView): string[] {
  if (readString(item, 'type') !== 'message') return [];
  return (objectsAt(item, 'content') ?? []).flatMap((part) => {
    const tokens = part === null || !Array.isArray(readJson(part, 'logprobs')) ? null : jsonTextAt(part, 'logprobs');
    return tokens === null ? [] : tokensOf(tokens);
  });
}

/** What stands inside an array's brackets; empty = nothing does. */
export function tokensOf(array: string): string[] {
  const inside = array.trim().slice(1, -1).trim();
  return inside === '' ? [] : [inside];
}
