/** Turns of the canonical model as messages of this dialect: both roles in turn, results first, system words on top. */
import type { CanonicalRequest, JsonText, Part, Turn } from '../canonical.ts';
import { objectText } from '../cross/json-text.ts';
import type { RequestChanges } from '../cross/request-changes.ts';
import type { BlockWriter } from './request-blocks.ts';

/** The word for what changed where system turns stood between others. */
const SYSTEM_MOVED = 'system turns moved to the top';
/** A document is taken only beside words. */
const WORDS_ADDED = 'words added beside a document';
const WORDS_BESIDE = objectText([['text', '"See the document."']]);

interface Message {
  readonly role: 'user' | 'assistant';
  /** They answer the calls before, and must come first. */
  readonly results: JsonText[];
  readonly blocks: JsonText[];
}

export interface WrittenTurns {
  /** Block texts; empty = none. */
  readonly system: readonly JsonText[];
  readonly messages: readonly JsonText[];
  /** Results come now whose calls do not begin with a thought. */
  readonly answersUnthought: boolean;
}

/** `cachePoint`: stands behind the system's words and at the end of it all; null = nothing is to be kept. */
export function writeTurns(
  request: CanonicalRequest,
  writer: BlockWriter,
  cachePoint: JsonText | null,
  changes: RequestChanges,
): WrittenTurns {
  const system = blocksOf(request.system, writer);
  const messages: Message[] = [];
  for (const turn of request.turns) {
    if (turn.role === 'system') {
      changes.note(SYSTEM_MOVED);
      system.push(...blocksOf(turn.parts, writer));
    } else {
      add(messages, turn, writer);
    }
  }
  for (const message of messages) addWords(message, changes);
  if (cachePoint !== null) {
    if (system.length > 0) system.push(cachePoint);
    const last = messages.at(-1);
    if (last?.role === 'user') last.blocks.push(cachePoint);
  }
  return { system, messages: messages.map(messageText), answersUnthought: answersUnthought(messages) };
}

function answersUnthought(messages: readonly Message[]): boolean {
  const before = messages.at(-2);
  if ((messages.at(-1)?.results.length ?? 0) === 0 || before === undefined) return false;
  return before.blocks[0]?.startsWith('{"reasoningContent"') !== true;
}

function addWords({ blocks }: Message, changes: RequestChanges): void {
  const begins = (name: string): boolean => blocks.some((block) => block.startsWith(`{"${name}":`));
  if (!begins('document') || begins('text')) return;
  blocks.push(WORDS_BESIDE);
  changes.note(WORDS_ADDED);
}

function blocksOf(parts: readonly Part[], writer: BlockWriter): JsonText[] {
  return parts.flatMap((part) => writer.block(part) ?? []);
}

/** Turns of one role in a row are one message; a turn without anything to say is none. */
function add(messages: Message[], { role, parts }: Turn, writer: BlockWriter): void {
  if (role === 'system') return;
  const results = parts.flatMap((part) => (part.type === 'result' ? writer.result(part) : []));
  const blocks = blocksOf(parts, writer);
  if (results.length + blocks.length === 0) return;
  const last = messages.at(-1);
  if (last?.role !== role) {
    messages.push({ role, results, blocks });
    return;
  }
  last.results.push(...results);
  last.blocks.push(...blocks);
}

function messageText({ role, results, blocks }: Message): JsonText {
  return objectText([
    ['role', JSON.stringify(role)],
    ['content', `[${[...results, ...blocks].join(',')}]`],
  ]);
}
