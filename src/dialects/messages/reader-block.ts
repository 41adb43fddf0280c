/** The block of a stream that is open: what its steps mean, told as canonical events. */
import type { BlockStart, CanonicalReaderOptions } from '../canonical.ts';
import type { AnswerLosses } from '../cross/answer-losses.ts';
import { customInput, isCustomCall } from '../cross/custom-calls.ts';
import { clientName } from '../cross/tool-names.ts';
import type { Json } from '../failure/answer-faults.ts';
import { BLOCK_FIELDS, hasPlace, PLACES } from './answer-fields.ts';
import { readCitation } from './canonical-blocks.ts';
import { stateOf } from './upstream-answer.ts';

export class OpenBlock {
  readonly #options: CanonicalReaderOptions;
  readonly #losses: AnswerLosses;
  /** Blocks told so far; those of kinds that mean nothing elsewhere are not. */
  #count = 0;
  #kind: 'text' | 'reasoning' | 'call' | 'custom' | 'ignored' = 'ignored';
  /** A call's arguments have begun. */
  #begun = false;
  /** State that closes a thought. */
  #signature = '';
  /** Arguments of a freeform call: its text is whole only at the end. */
  #arguments = '';

  constructor(options: CanonicalReaderOptions, losses: AnswerLosses) {
    this.#options = options;
    this.#losses = losses;
  }

  get pendingBytes(): number {
    return 2 * (this.#arguments.length + this.#signature.length);
  }

  /** The open block is one of words. */
  get isText(): boolean {
    return this.#kind === 'text';
  }

  /** Words of a block of words; not empty. */
  text(text: string): void {
    this.#begun = true;
    this.#options.emit({ type: 'delta', block: this.#count - 1, text });
  }

  start(block: Json): void {
    this.#begun = false;
    this.#signature = this.#arguments = '';
    const { type } = block;
    const known = typeof type === 'string' ? BLOCK_FIELDS.get(type) : undefined;
    if (known === undefined) this.#losses.drop(String(type));
    else this.#losses.noteObject(block, known);
    switch (type) {
      case 'text':
        this.#open('text', { type: 'text' });
        this.#text(block['text']);
        return;
      case 'thinking':
        this.#open('reasoning', { type: 'reasoning', summary: false });
        this.#text(block['thinking']);
        if (typeof block['signature'] === 'string') this.#signature = block['signature'];
        return;
      case 'redacted_thinking': {
        this.#open('reasoning', { type: 'reasoning', summary: false });
        const opaque = stateOf(block['data'], 'sealed');
        if (opaque !== null) this.#options.emit({ type: 'opaque', block: this.#count - 1, opaque });
        return;
      }
      case 'tool_use':
        this.#call(block);
        return;
      default:
        this.#kind = 'ignored';
    }
  }

  delta(delta: Json): void {
    switch (delta['type']) {
      case 'text_delta':
        if (this.#kind === 'text') this.#text(delta['text']);
        return;
      case 'thinking_delta':
        if (this.#kind === 'reasoning') this.#text(delta['thinking']);
        return;
      case 'signature_delta':
        if (typeof delta['signature'] === 'string') this.#signature += delta['signature'];
        return;
      case 'input_json_delta':
        if (this.#kind === 'call') this.#text(delta['partial_json']);
        else if (this.#kind === 'custom' && typeof delta['partial_json'] === 'string') {
          this.#arguments += delta['partial_json'];
        }
        return;
      case 'citations_delta':
        if (this.#kind !== 'text') return;
        if (hasPlace(delta['citation'])) this.#losses.leaveOut(PLACES);
        this.#options.emit({ type: 'citation', block: this.#count - 1, citation: readCitation(delta['citation']) });
    }
  }

  stop(): void {
    if (this.#kind === 'ignored') return;
    const block = this.#count - 1;
    if (this.#kind === 'call' && !this.#begun) this.#text('{}');
    if (this.#kind === 'custom') this.#text(customInput(this.#arguments));
    if (this.#kind === 'reasoning') {
      const opaque = stateOf(this.#signature, 'signature');
      if (opaque !== null) this.#options.emit({ type: 'opaque', block, opaque });
    }
    this.#kind = 'ignored';
    this.#options.emit({ type: 'block-end', block });
  }

  #call(block: Json): void {
    const { names } = this.#options;
    const told = typeof block['name'] === 'string' ? block['name'] : '';
    const name = clientName(told, names);
    const id = typeof block['id'] === 'string' && block['id'] !== '' ? block['id'] : `call_${this.#count}`;
    const isCustom = isCustomCall(name, names);
    const form = isCustom ? 'custom' : 'function';
    this.#open(isCustom ? 'custom' : 'call', { type: 'call', id, name, form });
    // Some tell the arguments whole at the start.
    const input = block['input'];
    const isWhole = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
    if (isWhole && isCustom) this.#arguments = JSON.stringify(input);
    else if (isWhole) this.#text(JSON.stringify(input));
  }

  #open(kind: 'text' | 'reasoning' | 'call' | 'custom', what: BlockStart): void {
    this.#kind = kind;
    this.#options.emit({ type: 'block-start', block: this.#count++, choice: 0, what });
  }

  /** Nothing empty. */
  #text(text: unknown): void {
    if (typeof text === 'string' && text !== '') this.text(text);
  }
}
