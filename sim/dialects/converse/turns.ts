/** The order of messages: who may speak when, and that every call has its result. */
import { fieldsOf, wordOf } from '../../answer/fields.ts';
import { type Block, readBlocks } from './blocks.ts';
import { fieldsAt, inside, listAt, refuse, wordAt } from './refused.ts';

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly Block[];
  /** Where the request says it. */
  readonly path: string;
}

/** Reads `messages`; `strict`: the last one is the user's. Throws RefusedRequest. */
export function readTurns(value: unknown, strict: boolean): Turn[] {
  const documents = new Set<string>();
  const turns = listAt(value, 'messages').map((message, i): Turn => {
    const path = inside('messages', i);
    const fields = fieldsAt(message, path, ['role', 'content'], ['role', 'content']);
    const role = wordAt(fields['role'], inside(path, 'role'), ['user', 'assistant']) as Turn['role'];
    const blocks = readBlocks(fields['content'], inside(path, 'content'), { role, documents });
    if (blocks.length === 0) {
      refuse(
        `The content field in the Message object at ${path} is empty. Add a ContentBlock object to the content field and try again.`,
      );
    }
    return { role, blocks, path };
  });
  checkOrder(turns, strict);
  for (const turn of turns) checkWordsBesideDocuments(turn);
  checkCalls(turns);
  return turns;
}

function checkOrder(turns: readonly Turn[], strict: boolean): void {
  if (turns.length === 0) refuse('The messages field is empty. Add a message, and try again.');
  if (turns[0]?.role !== 'user') {
    refuse(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  }
  if (turns.some((turn, i) => turn.role === turns[i - 1]?.role)) {
    refuse(
      'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
    );
  }
  if (strict && turns.at(-1)?.role === 'assistant') {
    refuse('This model does not support assistant message prefill. The conversation must end with a user message.');
  }
}

function checkWordsBesideDocuments({ blocks, path }: Turn): void {
  const has = (kind: string): boolean => blocks.some(({ type }) => type === kind);
  if (has('document') && !has('text')) {
    refuse(`The message at ${path} has a document block, and must have a text block as well.`);
  }
}

/** Each call is answered at the beginning of the very next message, and nothing else is. */
function checkCalls(turns: readonly Turn[]): void {
  turns.forEach((turn, i) => {
    const asked = idsOf(turns[i - 1], 'toolUse');
    const answered = idsOf(turn, 'toolResult');
    if (answered.length > asked.length || answered.some((id) => !asked.includes(id))) {
      refuse(
        `The number of toolResult blocks at ${turn.path}.content exceeds the number of toolUse blocks of previous turn.`,
      );
    }
    const missing = asked.filter((id) => !answered.includes(id));
    if (missing.length > 0) {
      refuse(`Expected toolResult blocks at ${turn.path}.content for the following Ids: ${missing.join(', ')}`);
    }
    const late = turn.blocks.findLastIndex((block) => block.type === 'toolResult') >= answered.length;
    if (late) refuse(`The toolResult blocks at ${turn.path}.content must come first.`);
    const ids = idsOf(turn, 'toolUse');
    if (new Set(ids).size < ids.length) refuse(`The toolUse blocks at ${turn.path}.content contain duplicate Ids.`);
    if (ids.length > 0 && i === turns.length - 1) {
      refuse(`Expected toolResult blocks at messages.${i + 1}.content for the following Ids: ${ids.join(', ')}`);
    }
  });
}

function idsOf(turn: Turn | undefined, kind: string): string[] {
  const blocks = turn?.blocks.filter(({ type }) => type === kind) ?? [];
  return blocks.map(({ value }) => wordOf(fieldsOf(value)['toolUseId']));
}
