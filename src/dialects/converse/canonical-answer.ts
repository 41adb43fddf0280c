/** Reads a whole Converse answer into the canonical model. */
import { type BodyView, isScanError, member, readJson, readString, scanObject } from '../bytes/body-view.ts';
import { objectAt, objectsIn } from '../bytes/nested.ts';
import { textOf } from '../bytes/text.ts';
import type { Call, CanonicalAnswer, Part, ToolNames } from '../canonical.ts';
import { customInput, isCustomCall } from '../cross/custom-calls.ts';
import { clientName } from '../cross/tool-names.ts';
import { objectOf } from '../failure/answer-faults.ts';
import { readCitation } from './citations.ts';
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
  const parts = objectsIn(message, 'content').flatMap((block, at) => readBlock(block, at, names));
  const called = parts.some((part) => part.type === 'call');
  const usage = objectOf(readJson(view, 'usage'));
  const finish = finishOf(reason, called);
  return {
    choices: [{ parts, finish, finishRaw: reason, stopSequence: null, logprobs: null }],
    usage: usage === null ? null : readUsage(usage),
  };
}

/** Blocks of other kinds are the upstream's own business. */
function readBlock(block: BodyView, at: number, names: ToolNames): Part[] {
  const text = readString(block, 'text');
  if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }];
  const use = objectAt(block, 'toolUse');
  if (use !== null) return readCall(use, at, names);
  const thought = objectAt(block, 'reasoningContent');
  if (thought !== null) return readThought(thought);
  const cited = objectAt(block, 'citationsContent');
  if (cited !== null) return readCited(cited);
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

function readCited(cited: BodyView): Part[] {
  const text = objectsIn(cited, 'content')
    .map((piece) => readString(piece, 'text') ?? '')
    .join('');
  const list = readJson(cited, 'citations');
  const citations = (Array.isArray(list) ? (list as unknown[]) : []).flatMap((one) => {
    const citation = objectOf(one);
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
