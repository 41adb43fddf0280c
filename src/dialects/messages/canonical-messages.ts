/** The system words and messages of a Messages request as parts and turns. */
import { bad, good, type Read } from '../../core/request/read.ts';
import { type BodyView, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACKET, QUOTE } from '../bytes/json-grammar.ts';
import type { JsonText, Part, Turn } from '../canonical.ts';
import { noteUnknown } from '../cross/hints.ts';
import { jsonTextAt, objectsAt } from '../cross/json-text.ts';
import { stateToCalls } from '../cross/opaque-marks.ts';
import { BlockReader } from './canonical-blocks.ts';
import type { ToolChanges } from './tool-changes.ts';

export interface ReadMessages {
  readonly system: readonly Part[];
  readonly turns: readonly Turn[];
  /** Tools that the conversation adds and takes away on its way. */
  readonly toolChanges: ToolChanges;
}

const NULL = 0x6e;
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'output_config', 'clear_at']);
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);

export function readMessages(view: BodyView, hints: Map<string, JsonText>, bound: Set<string>): Read<ReadMessages> {
  const reader = new BlockReader(hints, bound);
  const system = isAbsent(view, 'system') ? [] : readContent(view, 'system', 'system', reader);
  if ('param' in system) return bad('invalid_parameter', system.message, system.param);
  const messages = objectsAt(view, 'messages') ?? [];
  const lastUser = messages.findLastIndex((message) => message !== null && readString(message, 'role') === 'user');
  const turns: Turn[] = [];
  for (const [at, message] of messages.entries()) {
    const param = `messages[${at}]`;
    if (message === null) return bad('invalid_parameter', `\`${param}\` must be an object.`, param);
    const role = readString(message, 'role');
    if (typeof role !== 'string' || !ROLES.has(role)) {
      return bad('invalid_parameter', `\`${param}.role\` must be user, assistant or system.`, param);
    }
    noteUnknown(message, MESSAGE_FIELDS, 'messages', hints);
    if (!isAbsent(message, 'output_config')) hints.set('messages.output_config', jsonTextAt(message, 'output_config')!);
    // Words of the system may be none, and may hold for one turn of the user's alone.
    const isBare = role === 'system' && isAbsent(message, 'content');
    const parts = isBare ? [] : readContent(message, 'content', `${param}.content`, reader);
    if ('param' in parts) return bad('invalid_parameter', parts.message, parts.param);
    const isOver = readString(message, 'clear_at') === 'next_user_message' && at < lastUser;
    if (isBare || isOver || (role === 'system' && parts.length === 0)) continue;
    turns.push({ role: role as Turn['role'], parts: role === 'assistant' ? stateToCalls(parts) : parts });
  }
  return good({ system, turns, toolChanges: reader.toolChanges });
}

function isAbsent(view: BodyView, key: string): boolean {
  const first = valueByte(view, key);
  return first === 0 || first === NULL;
}

/** What is wrong, and where. */
interface Wrong {
  readonly message: string;
  readonly param: string;
}

/** A text, or blocks. */
function readContent(holder: BodyView, key: string, param: string, reader: BlockReader): readonly Part[] | Wrong {
  const first = valueByte(holder, key);
  if (first === QUOTE) {
    const text = readString(holder, key) ?? '';
    return text === '' ? [] : [{ type: 'text', text }];
  }
  if (first !== OPEN_BRACKET) return { message: `\`${param}\` must be a string or an array of blocks.`, param };
  const parts: Part[] = [];
  for (const [at, block] of objectsAt(holder, key)!.entries()) {
    const where = `${param}[${at}]`;
    const read = block === null ? null : reader.read(block);
    if (read === null) return { message: `\`${where}\` lacks its content or is no block.`, param: where };
    parts.push(...read);
  }
  return parts;
}
