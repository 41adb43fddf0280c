/** The order of turns: who may speak when, and that every call has its result. */
import { isFields, wordOf } from '../../answer/fields.ts';
import { type Block, type BlockRules, readBlocks } from './blocks.ts';
import { fieldsAt, inside, listAt, optionalWord, refuse } from './refused.ts';

export interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly blocks: readonly Block[];
  /** Where the request says it. */
  readonly path: string;
}

export interface TurnRules {
  readonly newVersion: boolean;
  /** No two turns of one role in a row, and the last one is the user's. */
  readonly strict: boolean;
  /** Thinking with a budget: the turn whose results come now must begin with its thought. */
  readonly thoughtFirst: boolean;
}

/** Reads `messages`. Turns of one role in a row are one turn. Throws RefusedRequest. */
export function readTurns(value: unknown, rules: TurnRules): Turn[] {
  const messages = listAt(value, 'messages');
  if (messages.length === 0) refuse('messages', 'at least one message is required');
  const turns: Turn[] = [];
  messages.forEach((message, i) => {
    const path = inside('messages', i);
    const turn = readTurn(message, path, rules, i === messages.length - 1);
    const before = turns.at(-1);
    if (before === undefined && turn.role !== 'user') refuse('messages', 'first message must use the "user" role');
    if (before?.role !== turn.role || turn.role === 'system') {
      turns.push(turn);
      return;
    }
    if (rules.strict) {
      refuse(
        'messages',
        `roles must alternate between "user" and "assistant", but found multiple "${turn.role}" roles in a row`,
      );
    }
    turns[turns.length - 1] = { ...before, blocks: [...before.blocks, ...turn.blocks] };
  });
  checkLast(turns, rules);
  checkCalls(turns);
  if (rules.thoughtFirst) checkThoughtFirst(turns);
  return turns;
}

function readTurn(message: unknown, path: string, rules: TurnRules, isLast: boolean): Turn {
  const isSystem = isFields(message) && message['role'] === 'system';
  const known = ['role', 'content', ...(isSystem ? ['clear_at', 'output_config'] : [])];
  const fields = fieldsAt(message, path, known, isSystem ? ['role'] : ['role', 'content']);
  const role = optionalWord(fields['role'], inside(path, 'role'), ['user', 'assistant', 'system']) as Turn['role'];
  optionalWord(fields['clear_at'], inside(path, 'clear_at'), ['next_user_message', 'never']);
  const blockRules: BlockRules = { role, newVersion: rules.newVersion };
  const blocks =
    isSystem && fields['content'] === undefined
      ? []
      : readBlocks(fields['content'], inside(path, 'content'), blockRules);
  const setsOnly = isSystem && isFields(fields['output_config']);
  if (blocks.length === 0 && !(isLast && role === 'assistant') && !setsOnly) {
    refuse(path, 'all messages must have non-empty content except for the optional final assistant message');
  }
  return { role, blocks, path };
}

function checkLast(turns: readonly Turn[], rules: TurnRules): void {
  const last = turns.at(-1);
  for (const turn of turns) {
    const end = turn.blocks.at(-1)?.type;
    if (turn.role === 'assistant' && (end === 'thinking' || end === 'redacted_thinking')) {
      refuse(turn.path, `The final block in an assistant message cannot be \`${end}\`.`);
    }
  }
  if (last?.role !== 'assistant') return;
  if (rules.strict) {
    refuse('', 'This model does not support assistant message prefill. The conversation must end with a user message.');
  }
  const end = last.blocks.at(-1);
  if (end?.type === 'text' && /\s$/.test(wordOf(end.fields['text']))) {
    refuse('messages', 'final assistant content cannot end with trailing whitespace');
  }
}

/** Each call is answered at the beginning of the very next turn, and nothing else is. */
function checkCalls(turns: readonly Turn[]): void {
  const seen = new Set<string>();
  turns.forEach((turn, i) => {
    const results = turn.blocks
      .filter((block) => block.type === 'tool_result')
      .map(({ fields }) => fields['tool_use_id']);
    const before = turns[i - 1];
    const open = new Set(before === undefined ? [] : callsOf(before));
    for (const id of results) {
      if (open.delete(wordOf(id))) continue;
      const twice = before !== undefined && callsOf(before).includes(wordOf(id));
      refuse(
        turn.path,
        twice
          ? `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`
          : `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    const calls = callsOf(turn);
    for (const id of calls) {
      if (seen.has(id)) refuse(turn.path, '`tool_use` ids must be unique');
      seen.add(id);
    }
    const leading = leadingResults(turns[i + 1]);
    const unanswered = calls.filter((id) => !leading.includes(id));
    if (unanswered.length > 0) {
      refuse(
        turn.path,
        `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    }
  });
}

function callsOf(turn: Turn): string[] {
  return turn.blocks.filter((block) => block.type === 'tool_use').map(({ fields }) => wordOf(fields['id']));
}

/** Results after anything else come too late. */
function leadingResults(turn: Turn | undefined): string[] {
  const ids: string[] = [];
  for (const { type, fields } of turn?.blocks ?? []) {
    if (type !== 'tool_result') break;
    ids.push(wordOf(fields['tool_use_id']));
  }
  return ids;
}

function checkThoughtFirst(turns: readonly Turn[]): void {
  const last = turns.at(-1);
  if (last?.role !== 'user' || leadingResults(last).length === 0) return;
  const calling = turns.at(-2);
  const first = calling?.blocks[0]?.type;
  if (calling === undefined || first === 'thinking' || first === 'redacted_thinking') return;
  refuse(
    inside(calling.path, 'content.0.type'),
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}
