/** The items of one stream of a Responses upstream as canonical blocks, in the order they began. */
import type { BlockStart, CanonicalReaderOptions, ToolNames } from '../canonical.ts';
import { BlockRow, type RowBlock } from '../cross/block-row.ts';
import { clientName } from '../cross/tool-names.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';
import { BETWEEN_THOUGHTS, citationIn } from './canonical-parts.ts';
import { jsonText } from './event-parts.ts';

/** One item while it is told. */
interface ItemState {
  readonly calls: boolean;
  /** Open blocks by what they are in the item: `call`, `text 0`, `refusal 1`, `summary`, `thought`. */
  readonly blocks: Map<string, RowBlock>;
  /** Blocks that were told and closed. */
  readonly told: Set<string>;
  /** Pieces of thought of this part have come. */
  part: number;
}

export class ItemRow {
  /** Some item was a call. */
  calls = false;
  readonly #row: BlockRow;
  readonly #names: ToolNames;
  readonly #options: CanonicalReaderOptions;
  readonly #items = new Map<number, ItemState>();
  // Most deltas go to the block of the one before.
  #lastIndex = -1;
  #lastKey = '';
  #last: RowBlock | null = null;

  constructor(options: CanonicalReaderOptions) {
    this.#options = options;
    this.#names = options.names;
    this.#row = new BlockRow(options.emit);
  }

  get overfull(): boolean {
    return this.#row.overfull || this.#items.size > MOST_ITEMS;
  }

  get waiting(): number {
    return this.#row.waiting;
  }

  /** An event of an item, of a known type. */
  read(type: string, event: Json): void {
    const index = numberOf(event['output_index']);
    switch (type) {
      case 'response.output_text.delta':
        this.#piece(index, 'text', numberOf(event['content_index']), event['delta']);
        this.#logprobs(event['logprobs']);
        break;
      case 'response.refusal.delta':
        this.#piece(index, 'refusal', numberOf(event['content_index']), event['delta']);
        break;
      case 'response.reasoning_summary_text.delta':
        this.#thought(index, 'summary', numberOf(event['summary_index']), event['delta']);
        break;
      case 'response.reasoning_text.delta':
        this.#thought(index, 'thought', numberOf(event['content_index']), event['delta']);
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#argument(index, event['delta']);
        break;
      case 'response.output_text.annotation.added':
        this.#cite(index, numberOf(event['content_index']), event['annotation']);
        break;
      case 'response.output_item.added':
        this.#added(index, objectOf(event['item']));
        break;
      case 'response.content_part.done':
        this.#partDone(index, numberOf(event['content_index']), objectOf(event['part']));
        break;
      case 'response.output_item.done':
        this.#done(index, objectOf(event['item']));
    }
  }

  /** The response's end: what it holds and nobody told before is told now. */
  finish(output: readonly unknown[]): void {
    output.forEach((item, index) => {
      const state = this.#items.get(index);
      if (state === undefined || state.blocks.size > 0) this.#done(index, objectOf(item));
    });
    this.#row.endAll(0);
  }

  #added(index: number, item: Json | null): void {
    if (item === null || this.#items.has(index)) return;
    const call = callOf(item, this.#names);
    this.#state(index, call !== null);
    if (call === null) return;
    this.calls = true;
    this.#block(index, 'call', call);
  }

  #state(index: number, calls = false): ItemState {
    let state = this.#items.get(index);
    if (state === undefined) {
      state = { calls, blocks: new Map(), told: new Set(), part: 0 };
      this.#items.set(index, state);
    }
    return state;
  }

  /** The open block of that name, begun if there is none; null = it was told and closed. */
  #block(index: number, key: string, what: BlockStart): RowBlock | null {
    if (index === this.#lastIndex && key === this.#lastKey) return this.#last;
    const state = this.#state(index);
    let block = state.blocks.get(key) ?? null;
    if (block === null && !state.told.has(key)) {
      block = this.#row.start(0, what);
      state.blocks.set(key, block);
      state.told.add(key);
    }
    this.#lastIndex = index;
    this.#lastKey = key;
    this.#last = block;
    return block;
  }

  #piece(index: number, type: 'text' | 'refusal', part: number, delta: unknown): void {
    if (typeof delta !== 'string' || delta === '') return;
    const block = this.#block(index, part === 0 ? type : `${type} ${part}`, type === 'text' ? TEXT : REFUSAL);
    if (block !== null) this.#row.delta(block, delta);
  }

  /** Several pieces of a thought are told apart by an empty line. */
  #thought(index: number, key: 'summary' | 'thought', part: number, delta: unknown): void {
    if (typeof delta !== 'string' || delta === '') return;
    const state = this.#state(index);
    const isNew = !state.told.has(key);
    const block = this.#block(index, key, key === 'summary' ? SUMMARY : THOUGHT);
    if (block === null) return;
    if (!isNew && part !== state.part) this.#row.delta(block, BETWEEN_THOUGHTS);
    state.part = part;
    this.#row.delta(block, delta);
  }

  #argument(index: number, delta: unknown): void {
    if (typeof delta !== 'string' || delta === '') return;
    const block = this.#items.get(index)?.blocks.get('call');
    if (block !== undefined) this.#row.delta(block, delta);
  }

  #logprobs(tokens: unknown): void {
    if (!Array.isArray(tokens) || tokens.length === 0) return;
    const value = jsonText(tokens);
    if (value !== null) this.#options.emit({ type: 'logprobs', choice: 0, value });
  }

  #cite(index: number, part: number, annotation: unknown): void {
    const block = this.#items.get(index)?.blocks.get(part === 0 ? 'text' : `text ${part}`);
    const citation = citationIn(annotation);
    if (block !== undefined && citation !== null) this.#row.citation(block, citation);
  }

  #partDone(index: number, part: number, held: Json | null): void {
    if (held === null) return;
    const type = held['type'];
    if (type !== 'output_text' && type !== 'refusal') return;
    this.#whole(index, part, held);
    this.#end(index, nameOf(type, part));
  }

  /** What no piece told before; nothing, where one did. */
  #whole(index: number, part: number, held: Json): void {
    const type = held['type'];
    if (type !== 'output_text' && type !== 'refusal') return;
    if (this.#items.get(index)?.told.has(nameOf(type, part)) === true) return;
    this.#piece(index, type === 'refusal' ? 'refusal' : 'text', part, held[type === 'refusal' ? 'refusal' : 'text']);
    const annotations = Array.isArray(held['annotations']) ? (held['annotations'] as unknown[]) : [];
    for (const annotation of annotations) this.#cite(index, part, annotation);
    if (type === 'output_text') this.#logprobs(held['logprobs']);
  }

  /** The item as a whole: what its events left out, then its end. */
  #done(index: number, item: Json | null): void {
    if (item === null) return;
    this.#added(index, item);
    const parts = listOf(item['content']);
    switch (item['type']) {
      case 'message':
        for (const [at, part] of parts.entries()) this.#whole(index, at, objectOf(part) ?? {});
        break;
      case 'reasoning':
        this.#thoughtDone(index, item);
        break;
      case 'function_call':
      case 'custom_tool_call':
        this.#callDone(index, item);
        break;
      case 'image_generation_call':
        this.#image(index, item);
    }
    for (const key of [...this.#state(index).blocks.keys()]) this.#end(index, key);
  }

  #thoughtDone(index: number, item: Json): void {
    const { told } = this.#state(index);
    for (const [key, parts] of [
      ['thought', item['content']],
      ['summary', item['summary']],
    ] as const) {
      if (told.has(key)) continue;
      listOf(parts).forEach((part, at) => {
        this.#thought(index, key, at, objectOf(part)?.['text']);
      });
    }
    const data = item['encrypted_content'];
    if (typeof data !== 'string' || data === '') return;
    const state = this.#state(index);
    const block = state.blocks.get('summary') ?? state.blocks.get('thought') ?? this.#block(index, 'summary', SUMMARY);
    const id = typeof item['id'] === 'string' ? item['id'] : null;
    if (block !== null) this.#row.opaque(block, { vendor: null, kind: 'sealed', data, id });
  }

  #callDone(index: number, item: Json): void {
    const block = this.#items.get(index)?.blocks.get('call');
    const input = item['type'] === 'custom_tool_call' ? item['input'] : item['arguments'];
    if (block !== undefined && block.text === '' && typeof input === 'string' && input !== '') {
      this.#row.delta(block, input);
    }
  }

  #image(index: number, item: Json): void {
    const data = item['result'];
    if (typeof data !== 'string' || data === '') return;
    const format = typeof item['output_format'] === 'string' ? item['output_format'] : 'png';
    const source = { by: 'base64', data } as const;
    const part = { type: 'media', media: 'image', mime: `image/${format}`, source, name: null, detail: null } as const;
    this.#block(index, 'media', { type: 'media', part });
  }

  #end(index: number, key: string): void {
    const state = this.#items.get(index);
    const block = state?.blocks.get(key);
    if (state === undefined || block === undefined) return;
    state.blocks.delete(key);
    this.#lastIndex = -1;
    this.#row.end(block);
  }
}

/** More than any answer has; a stream that invents items without end must not fill the memory. */
const MOST_ITEMS = 4096;
const TEXT: BlockStart = { type: 'text' };
const REFUSAL: BlockStart = { type: 'refusal' };
const SUMMARY: BlockStart = { type: 'reasoning', summary: true };
const THOUGHT: BlockStart = { type: 'reasoning', summary: false };

function nameOf(type: 'output_text' | 'refusal', part: number): string {
  const word = type === 'refusal' ? 'refusal' : 'text';
  return part === 0 ? word : `${word} ${part}`;
}

function callOf(item: Json, names: ToolNames): Extract<BlockStart, { type: 'call' }> | null {
  const { type, name } = item;
  if ((type !== 'function_call' && type !== 'custom_tool_call') || typeof name !== 'string') return null;
  const id = item['call_id'] || item['id'];
  if (typeof id !== 'string' || id === '') return null;
  return { type: 'call', id, name: clientName(name, names), form: type === 'custom_tool_call' ? 'custom' : 'function' };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
