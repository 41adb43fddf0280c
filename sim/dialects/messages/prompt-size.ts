/** How large a request is, and which part of it the provider may keep for the next one. */
import { createHash } from 'node:crypto';
import { type Fields, fieldsOf, isFields, tokensOf, wordOf } from '../../answer/fields.ts';

export interface PromptSize {
  /** Rough count of tokens, cached ones included. */
  readonly tokens: number;
  /** Tokens up to the last cache mark. */
  readonly marked: number;
  /** Names that beginning; null = nothing is marked. */
  readonly prefix: string | null;
  readonly marks: number;
}

/** A picture's or a document's tokens; their bytes say nothing about them. */
const MEDIA_TOKENS = 500;

/** Counts in the order in which a prefix is cached: tools, system, messages. */
export function sizePrompt(body: Fields): PromptSize {
  const counter = new Counter();
  counter.say(0, wordOf(body['model']));
  for (const tool of listOf(body['tools'])) counter.add(tool);
  for (const block of blocksOf(body['system'])) counter.add(block);
  for (const message of listOf(body['messages'])) {
    const { role, content } = fieldsOf(message);
    counter.say(4, wordOf(role));
    for (const block of blocksOf(content)) counter.add(block);
  }
  if (isFields(body['cache_control'])) counter.mark();
  return counter.size();
}

class Counter {
  #tokens = 3;
  #marked = 0;
  #marks = 0;
  #prefix: string | null = null;
  readonly #hash = createHash('sha256');

  say(tokens: number, text: string): void {
    this.#tokens += tokens;
    this.#hash.update(text);
  }

  add(value: unknown): void {
    const fields = fieldsOf(value);
    const { cache_control: mark, ...rest } = fields;
    this.#hash.update(JSON.stringify(rest));
    this.#tokens += tokensIn(rest);
    // What stands in a tool's result can be marked as well.
    for (const inner of listOf(rest['content'])) if (isFields(fieldsOf(inner)['cache_control'])) this.mark();
    if (isFields(mark)) this.mark();
  }

  mark(): void {
    this.#marks += 1;
    this.#marked = this.#tokens;
    this.#prefix = this.#hash.copy().digest('hex');
  }

  size(): PromptSize {
    return { tokens: this.#tokens, marked: this.#marked, prefix: this.#prefix, marks: this.#marks };
  }
}

function tokensIn(fields: Fields): number {
  if (fields['type'] === 'text') return tokensOf(wordOf(fields['text']));
  if (fields['type'] === 'image' || fields['type'] === 'document') return MEDIA_TOKENS;
  return tokensOf(JSON.stringify(fields));
}

function blocksOf(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
