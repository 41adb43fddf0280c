/** The messages of a Chat Completions request as turns. */
import { bad, good, type Read } from '../../core/request/read.ts';
import { type BodyView, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACKET, QUOTE } from '../bytes/json-grammar.ts';
import { objectAt } from '../bytes/nested.ts';
import type { JsonText, Opaque, Part, Turn } from '../canonical.ts';
import { noteUnknown } from '../cross/hints.ts';
import { jsonTextAt, objectsAt } from '../cross/json-text.ts';
import { stateToCalls, unwrapOpaque } from '../cross/opaque-marks.ts';
import { DETAIL_FIELDS } from './answer-fields.ts';
import { readContentPart } from './canonical-parts.ts';
import { MESSAGE_FIELDS } from './request-fields.ts';

export interface ReadMessages {
  readonly system: readonly Part[];
  readonly turns: readonly Turn[];
}

/** What reading gathers on its way. */
export interface Gathered {
  readonly hints: Map<string, JsonText>;
  readonly bound: Set<string>;
  /** Call id → name, and the ids of calls without a result yet, in order. */
  readonly called: Map<string, string>;
  readonly waiting: string[];
}

const NULL = 0x6e;
const CALL_FIELDS: ReadonlySet<string> = new Set(['id', 'index', 'type', 'function', 'custom']);
const CALLED_FIELDS: ReadonlySet<string> = new Set(['name', 'arguments', 'input']);

export function readMessages(view: BodyView, hints: Map<string, JsonText>, bound: Set<string>): Read<ReadMessages> {
  const gathered: Gathered = { hints, bound, called: new Map(), waiting: [] };
  const system: Part[] = [];
  const turns: Turn[] = [];
  for (const [at, message] of (objectsAt(view, 'messages') ?? []).entries()) {
    const param = `messages[${at}]`;
    if (message === null) return bad('invalid_parameter', `\`${param}\` must be an object.`, param);
    const turn = readMessage(message, at, gathered);
    if (typeof turn === 'string') return bad('invalid_parameter', turn, param);
    if (turn.role === 'system' && turns.length === 0) system.push(...turn.parts);
    else turns.push(turn);
  }
  return good({ system, turns });
}

/** A text says what is wrong. */
function readMessage(message: BodyView, at: number, gathered: Gathered): Turn | string {
  const role = readString(message, 'role');
  noteUnknown(message, MESSAGE_FIELDS, 'messages', gathered.hints);
  if (typeof role === 'string' && role !== 'function' && isFilled(message, 'name'))
    gathered.hints.set('messages.name', '""');
  switch (role) {
    case 'system':
    case 'developer':
      return turnOf('system', readContent(message, at, gathered));
    case 'user':
      return turnOf('user', readContent(message, at, gathered));
    case 'assistant':
      return readAssistant(message, at, gathered);
    case 'tool':
    case 'function':
      return readResult(message, at, gathered, role);
    default:
      return `\`messages[${at}].role\` must be developer, system, user, assistant or tool.`;
  }
}

function turnOf(role: Turn['role'], parts: readonly Part[] | string): Turn | string {
  return typeof parts === 'string' ? parts : { role, parts };
}

function isFilled(view: BodyView, key: string): boolean {
  const value = readString(view, key);
  return typeof value === 'string' && value !== '';
}

/** A string, parts, or nothing. */
function readContent(message: BodyView, at: number, gathered: Gathered): Part[] | string {
  const first = valueByte(message, 'content');
  if (first === 0 || first === NULL) return [];
  if (first === QUOTE) {
    const text = readString(message, 'content') ?? '';
    return text === '' ? [] : [{ type: 'text', text }];
  }
  if (first !== OPEN_BRACKET) return `\`messages[${at}].content\` must be a string or an array of parts.`;
  const parts: Part[] = [];
  for (const [place, view] of objectsAt(message, 'content')!.entries()) {
    const where = `messages[${at}].content[${place}]`;
    if (view === null) return `\`${where}\` must be an object.`;
    const part = readContentPart(view, gathered);
    if (part === null) return `\`${where}\` has a type that is not known, or lacks its content.`;
    if (part !== 'nothing') parts.push(part);
  }
  return parts;
}

function readAssistant(message: BodyView, at: number, gathered: Gathered): Turn | string {
  const content = readContent(message, at, gathered);
  if (typeof content === 'string') return content;
  if (valueByte(message, 'audio') !== 0 && valueByte(message, 'audio') !== NULL) gathered.bound.add('state');
  const parts: Part[] = [...readReasoning(message, gathered), ...content];
  const refusal = readString(message, 'refusal');
  if (typeof refusal === 'string' && refusal !== '') parts.push({ type: 'refusal', text: refusal });
  for (const [place, view] of (objectsAt(message, 'tool_calls') ?? []).entries()) {
    const call = view === null ? null : readCall(view, at, place, gathered);
    if (call === null) return `\`messages[${at}].tool_calls[${place}]\` must have an id and a function.`;
    parts.push(call);
  }
  const old = objectAt(message, 'function_call');
  if (old !== null) {
    noteUnknown(old, CALLED_FIELDS, 'messages.function_call', gathered.hints);
    const name = readString(old, 'name') ?? '';
    parts.push({ type: 'call', id: `call_${at}_0`, name, form: 'function', input: readString(old, 'arguments') ?? '' });
  }
  for (const image of objectsAt(message, 'images') ?? []) {
    const part = image === null ? null : readContentPart(image, gathered);
    if (part !== null && part !== 'nothing') parts.push(part);
  }
  gathered.waiting.length = 0;
  for (const part of parts) {
    if (part.type !== 'call') continue;
    gathered.called.set(part.id, part.name);
    gathered.waiting.push(part.id);
  }
  return { role: 'assistant', parts: stateToCalls(parts) };
}

function readCall(
  view: BodyView,
  at: number,
  place: number,
  { hints }: Gathered,
): Extract<Part, { type: 'call' }> | null {
  const custom = objectAt(view, 'custom');
  const fields = custom ?? objectAt(view, 'function');
  const name = fields === null ? null : readString(fields, 'name');
  if (fields === null || typeof name !== 'string') return null;
  noteUnknown(view, CALL_FIELDS, 'messages.tool_calls', hints);
  noteUnknown(fields, CALLED_FIELDS, 'messages.tool_calls.function', hints);
  const input = custom === null ? argumentsOf(fields) : (readString(custom, 'input') ?? '');
  const id = readString(view, 'id');
  return {
    type: 'call',
    id: typeof id === 'string' && id !== '' ? id : `call_${at}_${place}`,
    name,
    form: custom === null ? 'function' : 'custom',
    input,
  };
}

/** A string by the dialect; some clients send the object itself. */
function argumentsOf(fields: BodyView): string {
  const text = readString(fields, 'arguments');
  return text === undefined ? (jsonTextAt(fields, 'arguments') ?? '') : (text ?? '');
}

/** Reasoning that routers and upstreams of this dialect let clients send back. */
function readReasoning(message: BodyView, { hints }: Gathered): Part[] {
  const parts: Part[] = [];
  const details = objectsAt(message, 'reasoning_details') ?? [];
  for (const detail of details) {
    if (detail === null) continue;
    noteUnknown(detail, DETAIL_FIELDS, 'messages.reasoning_details', hints);
    const text = readString(detail, 'text') ?? readString(detail, 'summary') ?? '';
    const signature = readString(detail, 'signature');
    const sealed = readString(detail, 'data');
    const opaque = opaqueOf(signature, 'signature', detail) ?? opaqueOf(sealed, 'sealed', detail);
    const summary = readString(detail, 'type') === 'reasoning.summary';
    if (text !== '' || opaque !== null) parts.push({ type: 'reasoning', text, summary, opaque });
  }
  const plain = readString(message, 'reasoning_content') ?? readString(message, 'reasoning');
  if (typeof plain !== 'string' || plain === '') return parts;
  if (parts.length === 0) return [{ type: 'reasoning', text: plain, summary: false, opaque: null }];
  // Who keeps text and details apart sends details without text: the first signature is that of the text.
  const [first] = parts;
  const silent = parts.every((part) => part.type === 'reasoning' && part.text === '');
  const signed = first?.type === 'reasoning' && first.opaque?.kind === 'signature';
  return silent && signed ? [{ ...first, text: plain }, ...parts.slice(1)] : parts;
}

function opaqueOf(data: string | null | undefined, kind: Opaque['kind'], detail: BodyView): Opaque | null {
  if (typeof data !== 'string' || data === '') return null;
  const id = readString(detail, 'id');
  // The dialect has no state of its own: without a mark nobody here knows whose it is.
  return unwrapOpaque(data) ?? { vendor: null, kind, data, id: typeof id === 'string' ? id : null };
}

function readResult(message: BodyView, at: number, gathered: Gathered, role: string): Turn | string {
  const parts = readContent(message, at, gathered);
  if (typeof parts === 'string') return parts;
  const { called, waiting } = gathered;
  const told = readString(message, 'name') ?? null;
  let callId = readString(message, 'tool_call_id') ?? null;
  if (role === 'function') callId ??= waiting.find((id) => called.get(id) === told) ?? null;
  if (callId === null) return `\`messages[${at}].tool_call_id\` must be the id of a call before it.`;
  const place = waiting.indexOf(callId);
  if (place >= 0) waiting.splice(place, 1);
  const name = called.get(callId) ?? told;
  return { role: 'user', parts: [{ type: 'result', callId, name, parts, json: null, failed: false }] };
}
