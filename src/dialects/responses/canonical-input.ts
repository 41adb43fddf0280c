/** The input of a Responses request as turns: what an assistant said, thought and called in a row is one turn. */
import { bad, good, type Read } from '../../core/request/read.ts';
import { type BodyView, readString, valueByte } from '../bytes/body-view.ts';
import { QUOTE } from '../bytes/json-grammar.ts';
import type { JsonText, Part, ToolResult, Turn } from '../canonical.ts';
import { noteUnknown } from '../cross/hints.ts';
import { objectsAt } from '../cross/json-text.ts';
import { stateToCalls } from '../cross/opaque-marks.ts';
import { type Noted, readMessageParts, readParts, readThought } from './canonical-parts.ts';
import { isOwnThoughtId } from './item-ids.ts';
import { fullName } from './namespaces.ts';
import { stateToTexts } from './text-state.ts';

export interface ReadInput {
  readonly system: readonly Part[];
  readonly turns: readonly Turn[];
}

export function readInput(view: BodyView, hints: Map<string, JsonText>, bound: Set<string>): Read<ReadInput> {
  const input = new InputReader({ hints, bound });
  if (valueByte(view, 'input') === QUOTE) {
    const text = readString(view, 'input') ?? '';
    return good({ system: [], turns: [{ role: 'user', parts: text === '' ? [] : [{ type: 'text', text }] }] });
  }
  for (const [at, item] of (objectsAt(view, 'input') ?? []).entries()) {
    const param = `input[${at}]`;
    if (item === null) return bad('invalid_parameter', `\`${param}\` must be an object.`, param);
    const wrong = input.read(item, param);
    if (wrong !== null) return bad('invalid_parameter', wrong, param);
  }
  return good(input.finish());
}

/** Items of what the provider's own tools did, by what a dialect would need to know of them. */
function boundName(type: string): string {
  if (type.startsWith('web_search')) return 'web_search';
  return type === 'item_reference' || type === 'compaction' ? 'state' : 'builtin_tool';
}

/** `id` and `status` of what was said are bookkeeping of who said it. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['type', 'role', 'content', 'id', 'status']);

const THOUGHT_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'status',
  'summary',
  'content',
  'encrypted_content',
]);
const CALL_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'status',
  'call_id',
  'name',
  'namespace',
  'arguments',
  'input',
]);
const RESULT_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'status', 'call_id', 'output']);

class InputReader {
  readonly #noted: Noted;
  readonly #system: Part[] = [];
  readonly #turns: Turn[] = [];
  /** Call id → name. */
  readonly #called = new Map<string, string>();
  /** The open turn's parts; null = none is open. */
  #assistant: Part[] | null = null;
  #results: ToolResult[] | null = null;

  constructor(noted: Noted) {
    this.#noted = noted;
  }

  /** Null = good; else what is wrong with it. */
  read(item: BodyView, param: string): string | null {
    const role = readString(item, 'role');
    const type = readString(item, 'type') ?? (typeof role === 'string' ? 'message' : 'item_reference');
    switch (type) {
      case 'message':
        return this.#message(item, role ?? '', param);
      case 'reasoning':
        noteUnknown(item, THOUGHT_FIELDS, 'input', this.#noted.hints);
        this.#spoken().push(...readThought(item));
        return null;
      case 'function_call':
      case 'custom_tool_call':
        return this.#call(item, type === 'custom_tool_call', param);
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#result(item, param);
      case 'item_reference':
        if (!isOwnThoughtId(readString(item, 'id') ?? '')) this.#noted.bound.add(boundName(type));
        return null;
      default:
        this.#noted.bound.add(boundName(type));
        return null;
    }
  }

  finish(): ReadInput {
    this.#close();
    return { system: this.#system, turns: this.#turns };
  }

  #message(item: BodyView, role: string, param: string): string | null {
    noteUnknown(item, MESSAGE_FIELDS, 'input', this.#noted.hints);
    const parts = readMessageParts(item, param, this.#noted);
    if (typeof parts === 'string') return parts;
    if (role === 'assistant') {
      this.#spoken().push(...parts);
      return null;
    }
    this.#close();
    if (role === 'user') this.#turns.push({ role, parts });
    else if (role !== 'system' && role !== 'developer') return `\`${param}.role\` is not known.`;
    else if (this.#turns.length === 0) this.#system.push(...parts);
    else this.#turns.push({ role: 'system', parts });
    return null;
  }

  #call(item: BodyView, isCustom: boolean, param: string): string | null {
    const id = readString(item, 'call_id');
    const name = readString(item, 'name');
    const input = readString(item, isCustom ? 'input' : 'arguments');
    if (typeof id !== 'string' || id === '' || typeof name !== 'string') {
      return `\`${param}\` must have a call_id and a name.`;
    }
    noteUnknown(item, CALL_FIELDS, 'input', this.#noted.hints);
    const full = fullName(readString(item, 'namespace'), name);
    this.#called.set(id, full);
    this.#spoken().push({ type: 'call', id, name: full, form: isCustom ? 'custom' : 'function', input: input ?? '' });
    return null;
  }

  #result(item: BodyView, param: string): string | null {
    const callId = readString(item, 'call_id');
    if (typeof callId !== 'string') return `\`${param}.call_id\` must be the id of a call before it.`;
    noteUnknown(item, RESULT_FIELDS, 'input', this.#noted.hints);
    const text = readString(item, 'output');
    const parts = typeof text === 'string' ? textPart(text) : readParts(item, 'output', param, this.#noted);
    if (typeof parts === 'string') return parts;
    if (this.#results === null) {
      this.#close();
      this.#results = [];
    }
    const name = this.#called.get(callId) ?? null;
    this.#results.push({ type: 'result', callId, name, parts, json: null, failed: false });
    return null;
  }

  #spoken(): Part[] {
    if (this.#assistant === null) {
      this.#close();
      this.#assistant = [];
    }
    return this.#assistant;
  }

  #close(): void {
    if (this.#assistant !== null) {
      this.#turns.push({ role: 'assistant', parts: stateToTexts(stateToCalls(this.#assistant)) });
    }
    if (this.#results !== null) this.#turns.push({ role: 'user', parts: this.#results });
    this.#assistant = this.#results = null;
  }
}

function textPart(text: string): Part[] {
  return text === '' ? [] : [{ type: 'text', text }];
}
