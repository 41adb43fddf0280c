/** The open blocks of one stream: what the dialect's deltas mean, told as canonical events in order. */
import type { CanonicalEvent, ToolNames } from '../canonical.ts';
import type { AnswerLosses } from '../cross/answer-losses.ts';
import { customInput, isCustomCall } from '../cross/custom-calls.ts';
import { clientName } from '../cross/tool-names.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';
import { noteStart, noteStep, USE_FIELDS } from './answer-fields.ts';
import { hasPlace, PLACES, readCitation } from './citations.ts';
import { mimeOf } from './media-formats.ts';

type Kind = 'text' | 'reasoning' | 'call' | 'custom' | 'image' | 'ignored';

interface OpenBlock {
  readonly kind: Kind;
  /** Place in the canonical answer. */
  readonly block: number;
  /** Of images. */
  readonly format: string;
  /** A call whose arguments have begun. */
  begun: boolean;
  /** Of freeform calls, whose text stands inside of them: the arguments so far. */
  args: string;
  signature: string;
  /** Base64, each piece encoded by itself. */
  readonly sealed: string[];
}

export interface BlockOptions {
  readonly names: ToolNames;
  readonly vendor: string;
  readonly emit: (event: CanonicalEvent) => void;
}

/** Every method gives null, or what is wrong with the event: then nothing more may be read. */
export class Blocks {
  /** The answer has a call. */
  called = false;
  readonly #options: BlockOptions;
  readonly #losses: AnswerLosses;
  readonly #open = new Map<number, OpenBlock>();
  #next = 0;

  constructor(options: BlockOptions, losses: AnswerLosses) {
    this.#options = options;
    this.#losses = losses;
  }

  start(index: number, start: Json): string | null {
    if (this.#open.has(index)) return `block ${index} starts twice`;
    const use = objectOf(start['toolUse']);
    noteStart(start, this.#losses);
    if (use !== null && use['type'] !== 'server_tool_use') {
      this.#losses.noteObject(use, USE_FIELDS);
      return this.#startCall(index, use);
    }
    const image = objectOf(start['image']);
    const format = typeof image?.['format'] === 'string' ? image['format'] : 'png';
    if (use !== null) this.#losses.drop('server tool use');
    this.#put(index, image === null ? 'ignored' : 'image', format);
    return null;
  }

  delta(index: number, delta: Json): string | null {
    const { text, toolUse, reasoningContent, citation, image } = delta;
    noteStep(delta, this.#losses);
    if (typeof text === 'string') return this.#text(index, 'text', text);
    if (objectOf(toolUse) !== null) return this.#input(index, objectOf(toolUse)?.['input']);
    const thought = objectOf(reasoningContent);
    if (thought !== null) return this.#thought(index, thought);
    const source = objectOf(citation);
    if (source !== null) {
      if (hasPlace(source)) this.#losses.leaveOut(PLACES);
      const { block } = this.#ofKind(index, 'text');
      this.#options.emit({ type: 'citation', block, citation: readCitation(source) });
    }
    const bytes = objectOf(objectOf(image)?.['source'])?.['bytes'];
    if (typeof bytes === 'string') this.#image(index, bytes);
    return null;
  }

  /** A block that never held anything is none. */
  stop(index: number): void {
    const open = this.#open.get(index);
    if (open === undefined) return;
    this.#open.delete(index);
    const { kind, block } = open;
    if (kind === 'image' || kind === 'ignored') return;
    if (kind === 'call' && !open.begun) this.#options.emit({ type: 'delta', block, text: '{}' });
    if (kind === 'custom') {
      const text = customInput(open.args);
      if (text !== '') this.#options.emit({ type: 'delta', block, text });
    }
    if (kind === 'reasoning') this.#tellOpaque(open);
    this.#options.emit({ type: 'block-end', block });
  }

  /** The message is over. Calls stay open: only their own end says that they are whole. */
  stopWords(): void {
    for (const [index, { kind }] of this.#open) if (kind !== 'call' && kind !== 'custom') this.stop(index);
  }

  #startCall(index: number, use: Json): string | null {
    const { name, toolUseId } = use;
    if (typeof name !== 'string' || name === '') return `the call in block ${index} has no name`;
    const { names } = this.#options;
    const called = clientName(name, names);
    const isCustom = isCustomCall(called, names);
    const { block } = this.#put(index, isCustom ? 'custom' : 'call');
    const id = typeof toolUseId === 'string' && toolUseId !== '' ? toolUseId : `call_${block}`;
    const what = { type: 'call', id, name: called, form: isCustom ? 'custom' : 'function' } as const;
    this.called = true;
    this.#options.emit({ type: 'block-start', block, choice: 0, what });
    return null;
  }

  #text(index: number, kind: 'text' | 'reasoning', text: string): string | null {
    if (text === '') return null;
    const { block } = this.#ofKind(index, kind);
    this.#options.emit({ type: 'delta', block, text });
    return null;
  }

  #input(index: number, input: unknown): string | null {
    const open = this.#open.get(index);
    // What the upstream calls at its own side is no call of the client's.
    if (open?.kind === 'ignored') return null;
    if (open?.kind === 'custom' && typeof input === 'string') {
      open.args += input;
      return null;
    }
    if (open?.kind !== 'call' || typeof input !== 'string') return `arguments in block ${index}, which is no call`;
    if (input === '') return null;
    open.begun = true;
    this.#options.emit({ type: 'delta', block: open.block, text: input });
    return null;
  }

  #thought(index: number, thought: Json): string | null {
    const { text, signature, redactedContent } = thought;
    if (typeof signature === 'string' && signature !== '') this.#ofKind(index, 'reasoning').signature += signature;
    if (typeof redactedContent === 'string' && redactedContent !== '') {
      this.#ofKind(index, 'reasoning').sealed.push(redactedContent);
    }
    return typeof text === 'string' ? this.#text(index, 'reasoning', text) : null;
  }

  #tellOpaque({ block, signature, sealed }: OpenBlock): void {
    const { emit, vendor } = this.#options;
    if (signature !== '') {
      emit({ type: 'opaque', block, opaque: { vendor, kind: 'signature', data: signature, id: null } });
    }
    if (sealed.length === 0) return;
    const data = sealed.length === 1 ? sealed[0]! : joined(sealed);
    emit({ type: 'opaque', block, opaque: { vendor, kind: 'sealed', data, id: null } });
  }

  /** A picture comes whole, in one delta of its block. */
  #image(index: number, data: string): void {
    const format = this.#open.get(index)?.format ?? 'png';
    const block = this.#next++;
    const source = { by: 'base64', data } as const;
    const mime = mimeOf('image', format);
    const part = { type: 'media', media: 'image', mime, source, name: null, detail: null } as const;
    this.#options.emit({ type: 'block-start', block, choice: 0, what: { type: 'media', part } });
    this.#options.emit({ type: 'block-end', block });
  }

  /** The open block at this index; what is of another kind ends there, and a new one begins. */
  #ofKind(index: number, kind: 'text' | 'reasoning'): OpenBlock {
    const open = this.#open.get(index);
    if (open?.kind === kind) return open;
    this.stop(index);
    const begun = this.#put(index, kind);
    const what = kind === 'text' ? ({ type: 'text' } as const) : ({ type: 'reasoning', summary: false } as const);
    this.#options.emit({ type: 'block-start', block: begun.block, choice: 0, what });
    return begun;
  }

  /** One block at a time: words end where something else begins. */
  #put(index: number, kind: Kind, format = ''): OpenBlock {
    this.stopWords();
    // What is told whole, or not at all, takes no place by opening.
    const block = kind === 'image' || kind === 'ignored' ? -1 : this.#next++;
    const open = { kind, block, format, begun: false, args: '', signature: '', sealed: [] };
    this.#open.set(index, open);
    return open;
  }
}

/** Base64 of the bytes that the pieces hold together. */
function joined(pieces: readonly string[]): string {
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))).toString('base64');
}
