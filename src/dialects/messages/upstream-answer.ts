/** Reads a whole message of an upstream into the canonical model. */
import { type BodyView, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import type { Call, CanonicalAnswer, Opaque, Part, ToolNames } from '../canonical.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { customInput, isCustomCall } from '../cross/custom-calls.ts';
import { argumentsText, jsonTextAt, objectsAt } from '../cross/json-text.ts';
import { unwrapOpaque } from '../cross/opaque-marks.ts';
import { clientName } from '../cross/tool-names.ts';
import { BLOCK_FIELDS, hasPlace, MESSAGE_FIELDS, PLACES } from './answer-fields.ts';
import { readCitation } from './canonical-blocks.ts';
import { readAnswer } from './response.ts';
import { finishOf } from './stop-reasons.ts';

/** Null = not a usable answer: no message, or no reason why it ended (dialects §14.2). */
export function readUpstreamAnswer(bytes: Uint8Array, names: ToolNames): CanonicalAnswer | null {
  const answer = readAnswer(bytes);
  const [reason] = answer?.finishReasons ?? [];
  if (answer === null || reason === undefined) return null;
  const blocks = objectsAt(answer.view, 'content') ?? [];
  const losses = new AnswerLosses();
  losses.noteView(answer.view, MESSAGE_FIELDS);
  const parts = blocks.flatMap((block, at) => (block === null ? [] : readBlock(block, at, names, losses)));
  const sequence = readString(answer.view, 'stop_sequence');
  const choice = {
    parts,
    finish: finishOf(reason),
    finishRaw: reason,
    stopSequence: typeof sequence === 'string' ? sequence : null,
    logprobs: null,
  };
  return { choices: [choice], usage: answer.usage, ...losses.told };
}

/** Blocks of other kinds have no place elsewhere. */
function readBlock(block: BodyView, at: number, names: ToolNames, losses: AnswerLosses): Part[] {
  const type = readString(block, 'type') ?? '';
  const known = BLOCK_FIELDS.get(type);
  if (known === undefined) losses.drop(type);
  else losses.noteView(block, known);
  switch (type) {
    case 'text':
      return readText(block, losses);
    case 'thinking':
      return thoughtOf(readString(block, 'thinking') ?? '', stateOf(readString(block, 'signature'), 'signature'));
    case 'redacted_thinking':
      return thoughtOf('', stateOf(readString(block, 'data'), 'sealed'));
    case 'tool_use':
      return readCall(block, at, names);
    default:
      return [];
  }
}

function readText(block: BodyView, losses: AnswerLosses): Part[] {
  const text = readString(block, 'text') ?? '';
  const cited = readJson(block, 'citations');
  const sources = Array.isArray(cited) ? (cited as unknown[]) : [];
  if (sources.some(hasPlace)) losses.leaveOut(PLACES);
  const citations = sources.map(readCitation);
  if (text === '' && citations.length === 0) return [];
  return [citations.length === 0 ? { type: 'text', text } : { type: 'text', text, citations }];
}

function thoughtOf(text: string, opaque: Opaque | null): Part[] {
  return text === '' && opaque === null ? [] : [{ type: 'reasoning', text, summary: false, opaque }];
}

/** The upstream's own (vendor null), or what another gateway of this kind has marked; null = none. */
export function stateOf(data: unknown, kind: Opaque['kind']): Opaque | null {
  if (typeof data !== 'string' || data === '') return null;
  const wrapped = unwrapOpaque(data);
  if (wrapped !== null) return wrapped.data === '' ? null : wrapped;
  return { vendor: null, kind, data, id: null };
}

/** The arguments stay as they are written: numbers and the order of keys are the client's to read. */
function readCall(block: BodyView, at: number, names: ToolNames): Call[] {
  const told = readString(block, 'name');
  if (typeof told !== 'string' || told === '') return [];
  const name = clientName(told, names);
  const id = readString(block, 'id');
  const input = valueByte(block, 'input') === OPEN_BRACE ? argumentsText(jsonTextAt(block, 'input')!) : '{}';
  const isCustom = isCustomCall(name, names);
  return [
    {
      type: 'call',
      id: typeof id === 'string' && id !== '' ? id : `call_${at}`,
      name,
      form: isCustom ? 'custom' : 'function',
      input: isCustom ? customInput(input) : input,
    },
  ];
}
