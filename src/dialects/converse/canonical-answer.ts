/** Reads a whole Converse answer into the canonical model. */
import { type BodyView, isScanError, member, readJson, readString, scanObject } from '../bytes/body-view.ts';
import { objectAt, objectsIn } from '../bytes/nested.ts';
import { textOf } from '../bytes/text.ts';
import type { Call, CanonicalAnswer, Part, ToolNames } from '../canonical.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { customInput, isCustomCall } from '../cross/custom-calls.ts';
import { clientName } from '../cross/tool-names.ts';
import { objectOf } from '../failure/answer-faults.ts';
import { ANSWER_FIELDS, MESSAGE_FIELDS, noteBlock, noteInside, USE_FIELDS } from './answer-fields.ts';
import { hasPlace, PLACES, readCitation } from './citations.ts';
import { mimeOf } from './media-formats.ts';
import { FAILED_STOPS, finishOf } from './stop-reasons.ts';
import { readUsage } from './usage.ts';

/** Null = not a usable answer: no message, no reason why it ended, or one that says it failed (F-6). */
export function readAnswer(bytes: Uint8Array, names: ToolNames): CanonicalAnswer | null {
  const view = scanObject(bytes);
  if (isScanError(view)) return null;
  const output = objectAt(view, 'output');
  const message = output === null ? null : objectAt(output, 'message');
  const reason = readString(view, 'stopReason');
  if (message === null || typeof reason !== 'string' || FAILED_STOPS.has(reason)) return null;
  const losses = new AnswerLosses();
  losses.noteView(view, ANSWER_FIELDS);
  losses.noteView(message, MESSAGE_FIELDS);
  const parts = objectsIn(message, 'content').flatMap((block, at) => readBlock(block, at, names, losses));
  const called = parts.some((part) => part.type === 'call');
  const usage = objectOf(readJson(view, 'usage'));
  const finish = finishOf(reason, called);
  return {
    choices: [{ parts, finish, finishRaw: reason, stopSequence: null, logprobs: null }],
    usage: usage === null ? null : readUsage(usage),
    ...losses.told,
  };
}

/** Blocks of other kinds have no place elsewhere. */
function readBlock(block: BodyView, at: number, names: ToolNames, losses: AnswerLosses): Part[] {
  const keys = block.members.map(({ key }) => key);
  noteBlock(keys, losses);
  noteInside(block, losses);
  const text = readString(block, 'text');
  if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }];
  const use = objectAt(block, 'toolUse');
  if (use !== null) {
    const call = readCall(use, at, names);
    if (call.length === 0) losses.drop('server tool use');
    else losses.noteView(use, USE_FIELDS);
    return call;
  }
  const thought = objectAt(block, 'reasoningContent');
  if (thought !== null) return readThought(thought);
  const cited = objectAt(block, 'citationsContent');
  if (cited !== null) return readCited(cited, losses);
  const image = objectAt(block, 'image');
  return image === null ? [] : readImage(image);
}

/** The arguments stay as they are written: numbers and the order of keys are the client's to read. */
function readCall(use: BodyView, at: number, names: ToolNames): Call[] {
  const name = readString(use, 'name');
  if (typeof name !== 'string' || name === '' || readString(use, 'type') === 'server_tool_use') return [];
  const told = readString(use, 'toolUseId');
  const id = typeof told === 'string' && told !== '' ? told : `call_${at}`;
  const input = member(use, 'input');
  const args = input === null ? '{}' : textOf(use.bytes, input.valueStart, input.valueEnd);
  const called = clientName(name, names);
  if (!isCustomCall(called, names)) return [{ type: 'call', id, name: called, form: 'function', input: args }];
  return [{ type: 'call', id, name: called, form: 'custom', input: customInput(args) }];
}

function readThought(thought: BodyView): Part[] {
  const plain = objectAt(thought, 'reasoningText');
  const sealed = readString(thought, 'redactedContent');
  if (typeof sealed === 'string' && sealed !== '') {
    const opaque = { vendor: null, kind: 'sealed', data: sealed, id: null } as const;
    return [{ type: 'reasoning', text: '', summary: false, opaque }];
  }
  if (plain === null) return [];
  const text = readString(plain, 'text') ?? '';
  const signature = readString(plain, 'signature') ?? '';
  if (text === '' && signature === '') return [];
  const opaque = signature === '' ? null : ({ vendor: null, kind: 'signature', data: signature, id: null } as const);
  return [{ type: 'reasoning', text, summary: false, opaque }];
}

function readCited(cited: BodyView, losses: AnswerLosses): Part[] {
  const text = objectsIn(cited, 'content')
    .map((piece) => readString(piece, 'text') ?? '')
    .join('');
  const list = readJson(cited, 'citations');
  const citations = (Array.isArray(list) ? (list as unknown[]) : []).flatMap((one) => {
    const citation = objectOf(one);
    if (citation !== null && hasPlace(citation)) losses.leaveOut(PLACES);
    return citation === null ? [] : [readCitation(citation)];
  });
  if (text === '' && citations.length === 0) return [];
  return [citations.length === 0 ? { type: 'text', text } : { type: 'text', text, citations }];
}

function readImage(image: BodyView): Part[] {
  const source = objectAt(image, 'source');
  const data = source === null ? null : readString(source, 'bytes');
  if (typeof data !== 'string') return [];
  const mime = mimeOf('image', readString(image, 'format') ?? 'png');
  return [{ type: 'media', media: 'image', mime, source: { by: 'base64', data }, name: null, detail: null }];
}
