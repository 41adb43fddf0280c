/** The items of one stream of a Responses upstream as canonical blocks: from their events, or whole where none came. */
import type { BlockStart, CanonicalReaderOptions, ToolNames } from '../canonical.ts';
import type { AnswerLosses } from '../cross/answer-losses.ts';
import { clientName } from '../cross/tool-names.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';
import { knownOfItem, knownOfPart, noteInside } from './answer-fields.ts';
import { BETWEEN_THOUGHTS, citationIn } from './canonical-parts.ts';
import { jsonText } from './event-parts.ts';
import { ItemBlocks } from './item-blocks.ts';

type SpokenType = 'text' | 'refusal';
type ThoughtKey = 'summary' | 'thought';

export class ItemRow {
  /** Some item was a call. */
  calls = false;
  /** A call came to its end without a name, or nothing to answer it by. */
  unnamed = false;
  readonly #blocks: ItemBlocks;
  readonly #options: CanonicalReaderOptions;
  readonly #losses: AnswerLosses;
  /** Part of each item's thought that was told last. */
  readonly #thoughtParts = new Map<number, number>();

  constructor(options: CanonicalReaderOptions, losses: AnswerLosses) {
    this.#losses = losses;
    this.#options = options;
    this.#blocks = new ItemBlocks(options);
  }

  get overfull(): boolean {
    return this.#blocks.overfull;
  }

  get waiting(): number {
    return this.#blocks.waiting;
  }

  /** An event of an item, of a known type. */
  read(type: string, event: Json): void {
    const index = numberOf(event['output_index']);
    switch (type) {
      case 'response.output_text.delta':
        this.#spoken(index, 'text', numberOf(event['content_index']), event['delta']);
        this.#logprobs(event['logprobs']);
        break;
      case 'response.refusal.delta':
        this.#spoken(index, 'refusal', numberOf(event['content_index']), event['delta']);
        break;
      case 'response.reasoning_summary_text.delta':
        this.#thought(index, 'summary', numberOf(event['summary_index']), event['delta']);
        break;
      case 'response.reasoning_text.delta':
        this.#thought(index, 'thought', numberOf(event['content_index']), event['delta']);
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        if (isFilled(event['delta'])) this.#blocks.more(index, 'call', event['delta']);
        break;
      case 'response.function_call_arguments.done':
        this.#wholeCall(index, event['arguments']);
        break;
      case 'response.custom_tool_call_input.done':
        this.#wholeCall(index, event['input']);
        break;
      case 'response.output_text.done':
        this.#restOf(index, 'text', numberOf(event['content_index']), event['text']);
        break;
      case 'response.refusal.done':
        this.#restOf(index, 'refusal', numberOf(event['content_index']), event['refusal']);
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
      if (!this.#blocks.isDone(index)) this.#done(index, objectOf(item));
    });
    this.#blocks.endAll();
  }

  #added(index: number, item: Json | null): void {
    const call = item === null ? null : callOf(item, this.#options.names);
    if (call === null) return;
    this.calls = true;
    this.#blocks.start(index, 'call', call);
  }

  #spoken(index: number, type: SpokenType, part: number, delta: unknown): void {
    if (isFilled(delta)) this.#blocks.piece(index, spokenKey(type, part), type === 'text' ? TEXT : REFUSAL, delta);
  }

  /** A text as it was in the end: pieces that got lost on the way stand there. */
  #restOf(index: number, type: SpokenType, part: number, text: unknown): void {
    if (isFilled(text)) this.#spoken(index, type, part, this.#blocks.rest(index, spokenKey(type, part), text));
  }

  /** Several parts of a thought are told apart by an empty line. */
  #thought(index: number, key: ThoughtKey, part: number, delta: unknown): void {
    if (!isFilled(delta)) return;
    const isLater = this.#blocks.wasTold(index, key) && this.#thoughtParts.get(index) !== part;
    this.#thoughtParts.set(index, part);
    const what = key === 'summary' ? SUMMARY : THOUGHT;
    this.#blocks.piece(index, key, what, isLater ? BETWEEN_THOUGHTS + delta : delta);
  }

  #logprobs(tokens: unknown): void {
    if (!Array.isArray(tokens) || tokens.length === 0) return;
    const value = jsonText(tokens);
    if (value !== null) this.#options.emit({ type: 'logprobs', choice: 0, value });
  }

  #cite(index: number, part: number, annotation: unknown): void {
    const citation = citationIn(annotation);
    if (citation !== null) this.#blocks.cite(index, spokenKey('text', part), citation);
    else this.#losses.drop('citations');
  }

  #partDone(index: number, part: number, held: Json | null): void {
    const type = held === null ? null : spokenType(held);
    if (held === null || type === null) return;
    this.#wholePart(index, part, type, held);
    this.#blocks.end(index, spokenKey(type, part));
  }

  /** What no piece told before; nothing, where one did. */
  #wholePart(index: number, part: number, type: SpokenType, held: Json): void {
    if (this.#blocks.wasTold(index, spokenKey(type, part))) {
      this.#restOf(index, type, part, held[type]);
      return;
    }
    this.#spoken(index, type, part, held[type]);
    for (const annotation of listOf(held['annotations'])) this.#cite(index, part, annotation);
    if (type === 'text') this.#logprobs(held['logprobs']);
  }

  /** The item as a whole: what its events left out, then its end. */
  #done(index: number, item: Json | null): void {
    if (item === null) return;
    this.#added(index, item);
    const known = knownOfItem(String(item['type']), this.#losses);
    if (known !== null) {
      this.#losses.noteObject(item, known);
      noteInside(item, this.#losses);
    }
    if (isCall(item) && !this.#blocks.wasTold(index, 'call')) this.unnamed = true;
    switch (item['type']) {
      case 'message':
        for (const [at, part] of listOf(item['content']).entries()) {
          const held = objectOf(part);
          if (held === null) continue;
          const read = knownOfPart(String(held['type']), this.#losses);
          if (read !== null) this.#losses.noteObject(held, read);
          const type = spokenType(held);
          if (type !== null) this.#wholePart(index, at, type, held);
        }
        break;
      case 'reasoning':
        this.#wholeThought(index, 'thought', item['content']);
        this.#wholeThought(index, 'summary', item['summary']);
        this.#seal(index, item);
        break;
      case 'function_call':
        this.#wholeCall(index, item['arguments']);
        break;
      case 'custom_tool_call':
        this.#wholeCall(index, item['input']);
        break;
      case 'image_generation_call':
        this.#image(index, item);
    }
    this.#blocks.endItem(index);
  }

  #wholeThought(index: number, key: ThoughtKey, parts: unknown): void {
    if (this.#blocks.wasTold(index, key)) return;
    for (const [at, part] of listOf(parts).entries()) this.#thought(index, key, at, objectOf(part)?.['text']);
  }

  #seal(index: number, item: Json): void {
    const data = item['encrypted_content'];
    if (!isFilled(data)) return;
    const id = typeof item['id'] === 'string' ? item['id'] : null;
    this.#blocks.seal(index, ['summary', 'thought'], SUMMARY, { vendor: null, kind: 'sealed', data, id });
  }

  #wholeCall(index: number, input: unknown): void {
    const rest = isFilled(input) ? this.#blocks.rest(index, 'call', input) : '';
    if (rest !== '') this.#blocks.more(index, 'call', rest);
  }

  #image(index: number, item: Json): void {
    const data = item['result'];
    if (!isFilled(data)) return;
    const format = typeof item['output_format'] === 'string' ? item['output_format'] : 'png';
    const source = { by: 'base64', data } as const;
    const part = { type: 'media', media: 'image', mime: `image/${format}`, source, name: null, detail: null } as const;
    this.#blocks.start(index, 'media', { type: 'media', part });
  }
}

const TEXT: BlockStart = { type: 'text' };
const REFUSAL: BlockStart = { type: 'refusal' };
const SUMMARY: BlockStart = { type: 'reasoning', summary: true };
const THOUGHT: BlockStart = { type: 'reasoning', summary: false };

function spokenKey(type: SpokenType, part: number): string {
  return part === 0 ? type : `${type} ${part}`;
}

function spokenType(part: Json): SpokenType | null {
  if (part['type'] === 'refusal') return 'refusal';
  return part['type'] === 'output_text' ? 'text' : null;
}

function isCall({ type }: Json): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

function callOf(item: Json, names: ToolNames): Extract<BlockStart, { type: 'call' }> | null {
  const { type, name } = item;
  if (!isCall(item) || !isFilled(name)) return null;
  const id = item['call_id'] || item['id'];
  if (!isFilled(id)) return null;
  return { type: 'call', id, name: clientName(name, names), form: type === 'custom_tool_call' ? 'custom' : 'function' };
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
