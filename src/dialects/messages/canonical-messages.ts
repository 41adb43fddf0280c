/** The system words and messages of a Messages request as parts and turns. */
import { bad, good, type Read } from '../../core/request/read.ts';
import { type BodyView, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACKET, QUOTE } from '../bytes/json-grammar.ts';
import type { JsonText, Part, Turn } from '../canonical.ts';
import { objectsAt } from '../cross/json-text.ts';
import { stateToCalls } from '../cross/opaque-marks.ts';
import { BlockReader } from './canonical-blocks.ts';

export interface ReadMessages {
  readonly system: readonly Part[];
  readonly turns: readonly Turn[];
}

const NULL = 0x6e;
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);

export function readMessages(view: BodyView, hints: Map<string, JsonText>, bound: Set<string>): Read<ReadMessages> {
  const reader = new BlockReader(hints, bound);
  const first = valueByte(view, 'system');
  const system = first === 0 || first === NULL ? [] : readContent(view, 'system', 'system', reader);
  if ('param' in system) return bad('invalid_parameter', system.message, system.param);
  const turns: Turn[] = [];
  for (const [at, message] of (objectsAt(view, 'messages') ?? []).entries()) {
    const param = `messages[${at}]`;
    if (message === null) return bad('invalid_parameter', `\`${param}\` must be an object.`, param);
    const role = readString(message, 'role');
    if (typeof role !== 'string' || !ROLES.has(role)) {
      return bad('invalid_parameter', `\`${param}.role\` must be user, assistant or system.`, param);
    }
    const parts = readContent(message, 'content', `${param}.content`, reader);
    if ('param' in parts) return bad('invalid_parameter', parts.message, parts.param);
    turns.push({ role: role as Turn['role'], parts: role === 'assistant' ? stateToCalls(parts) : parts });
  }
  return good({ system, turns });
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
