/**
 * Turns of the canonical model as messages of this dialect: the user first, both roles in turn, results before anything
 * else, system words on top, no thought at a turn's end.
 */
import type { CanonicalRequest, JsonText, Part, Turn } from '../canonical.ts';
import { objectText } from '../cross/json-text.ts';
import { REASONING_DROPPED } from '../cross/opaque-marks.ts';
import type { RequestChanges } from '../cross/request-changes.ts';
import { type BlockWriter, textBlock } from './upstream-blocks.ts';

const SYSTEM_MOVED = 'system turns moved to the top';
const MEDIA_MOVED = 'assistant media into a user turn';
const USER_ADDED = 'user turn added';
/** Said by a user who said nothing: the dialect wants somebody to begin. */
const NOTHING_SAID = 'Go on.';
const THOUGHT = /^\{"type":"(?:redacted_)?thinking"/;

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
  /** The last message brings results, and the turn they answer does not begin with a thought. */
  readonly answersUnthought: boolean;
}

export function writeTurns(request: CanonicalRequest, writer: BlockWriter, changes: RequestChanges): WrittenTurns {
  const system = writer.blocks(request.system);
  const turns = new Turns(writer, changes);
  for (const turn of request.turns) {
    if (turn.role === 'system') {
      changes.note(SYSTEM_MOVED);
      system.push(...writer.blocks(turn.parts));
    } else {
      turns.add(turn.role, turn.parts);
    }
  }
  const messages = turns.close(request.prefill);
  return {
    system,
    messages: messages.map(messageText),
    answersUnthought: answersUnthought(messages),
  };
}

function answersUnthought(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  if (last?.role !== 'user' || last.results.length === 0) return false;
  return !THOUGHT.test(messages.at(-2)?.blocks[0] ?? '');
}

class Turns {
  readonly #messages: Message[] = [];
  readonly #writer: BlockWriter;
  readonly #changes: RequestChanges;
  /** Pictures an assistant made: only users may show some. */
  #media: Part[] = [];

  constructor(writer: BlockWriter, changes: RequestChanges) {
    this.#writer = writer;
    this.#changes = changes;
  }

  /** Turns of one role in a row are one message; a turn without anything to say is none. */
  add(role: Exclude<Turn['role'], 'system'>, parts: readonly Part[]): void {
    const results: Part[] = [];
    const others: Part[] = [];
    for (const part of parts) {
      if (part.type === 'result') results.push(part);
      else if (part.type === 'media' && role === 'assistant') this.#media.push(part);
      else others.push(part);
    }
    const shown = role === 'user' ? this.#takeMedia() : [];
    this.#put(role, this.#writer.blocks(results), [...shown, ...this.#writer.blocks(others)]);
  }

  /** Thoughts may not stand at a turn's end; white space may not stand at the end of what shall be continued. */
  close(prefill: boolean): readonly Message[] {
    for (const message of this.#messages) {
      while (message.role === 'assistant' && THOUGHT.test(message.blocks.at(-1) ?? '')) {
        message.blocks.pop();
        this.#changes.note(REASONING_DROPPED);
      }
    }
    const messages = this.#messages.filter(({ results, blocks }) => results.length + blocks.length > 0);
    const shown = this.#takeMedia();
    if (shown.length > 0 && !prefill) messages.push({ role: 'user', results: [], blocks: shown });
    if (messages[0]?.role !== 'user') {
      this.#changes.note(USER_ADDED);
      messages.unshift({ role: 'user', results: [], blocks: [textBlock(NOTHING_SAID)!] });
    }
    if (prefill) trimEnd(messages.at(-1));
    return messages;
  }

  #takeMedia(): JsonText[] {
    if (this.#media.length === 0) return [];
    this.#changes.note(MEDIA_MOVED);
    return this.#writer.blocks(this.#media.splice(0));
  }

  #put(role: Message['role'], results: JsonText[], blocks: JsonText[]): void {
    if (results.length + blocks.length === 0) return;
    const last = this.#messages.at(-1);
    if (last?.role !== role) {
      this.#messages.push({ role, results, blocks });
      return;
    }
    last.results.push(...results);
    last.blocks.push(...blocks);
  }
}

function trimEnd(message: Message | undefined): void {
  const last = message?.blocks.at(-1);
  if (last === undefined || !last.startsWith('{"type":"text"')) return;
  const { text } = JSON.parse(last) as { text: string };
  message!.blocks[message!.blocks.length - 1] = textBlock(text.trimEnd())!;
}

function messageText({ role, results, blocks }: Message): JsonText {
  return objectText([
    ['role', JSON.stringify(role)],
    ['content', `[${[...results, ...blocks].join(',')}]`],
  ]);
}
