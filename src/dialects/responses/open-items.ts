/** Items of an answer while their events are written: each knows its place, tells its pieces, and ends as a whole. */
import type { Citation, JsonText, Opaque } from '../canonical.ts';
import { stateOfCall } from '../cross/opaque-marks.ts';
import {
  annotationText,
  callItem,
  type ItemStatus,
  messageItem,
  type NamedCall,
  type SpokenPart,
  spokenPartText,
  type Thought,
  thoughtItem,
  thoughtPart,
} from './canonical-items.ts';
import type { EventWriter } from './event-writer.ts';
import { stateOfText } from './text-state.ts';

/** Where an item stands. */
export interface ItemPlace {
  readonly id: string;
  /** Its `output_index`. */
  readonly index: number;
}

export abstract class OpenItem {
  /** State that has no room in the item: told behind it, as sealed thoughts of its own. */
  readonly states: Opaque[] = [];
  protected readonly events: EventWriter;
  protected readonly id: string;
  /** The members of every event of the item that say which one it is. */
  protected readonly at: string;
  // Around the text of a delta.
  #type = '';
  #head = '';
  #tail = '';

  constructor(events: EventWriter, { id, index }: ItemPlace) {
    this.events = events;
    this.id = id;
    this.at = `"item_id":"${id}","output_index":${index}`;
  }

  delta(text: string): void {
    this.note(text);
    this.events.write(this.#type, `${this.#head}${JSON.stringify(text)}${this.#tail}`);
  }

  /** False = it has no room for one. */
  cite(_citation: Citation): boolean {
    return false;
  }

  /** `tokens`: JSON, joined by commas. False = it has no room for them. */
  logprobs(_tokens: string): boolean {
    return false;
  }

  abstract opaque(opaque: Opaque): void;

  /** Its block is over; true = and so is the item. */
  endBlock(): boolean {
    return true;
  }

  /** Writes its last events but for `output_item.done`; the item as a whole. */
  abstract close(status: ItemStatus): JsonText;

  protected abstract note(text: string): void;

  protected setDelta(stem: string, place: string, tail = ''): void {
    this.#type = `response.${stem}.delta`;
    this.#head = `${this.at}${place},"delta":`;
    this.#tail = tail;
  }

  /** A delta without text, for what comes behind the deltas it belongs to. */
  protected emptyDelta(tail: string): void {
    this.events.write(this.#type, `${this.#head}""${tail}`);
  }
}

/** Texts and refusals in a row are parts of one message. */
export class OpenMessage extends OpenItem {
  readonly #parts: SpokenPart[] = [];

  startPart(type: SpokenPart['type']): void {
    const part: SpokenPart = { type, text: '', annotations: [], logprobs: '' };
    this.#parts.push(part);
    this.events.write('response.content_part.added', `${this.#place()},"part":${spokenPartText(part)}`);
    this.setDelta(type, `,"content_index":${this.#parts.length - 1}`, type === 'output_text' ? ',"logprobs":[]' : '');
  }

  override cite(citation: Citation): boolean {
    const part = this.#part();
    const note = annotationText(citation);
    if (part.type !== 'output_text' || note === null) return false;
    const told = `"annotation_index":${part.annotations.length},"annotation":${note}`;
    part.annotations.push(note);
    this.events.write('response.output_text.annotation.added', `${this.#place()},${told}`);
    return true;
  }

  override logprobs(tokens: string): boolean {
    const part = this.#part();
    if (part.type !== 'output_text') return false;
    part.logprobs += part.logprobs === '' ? tokens : `,${tokens}`;
    this.emptyDelta(`,"logprobs":[${tokens}]`);
    return true;
  }

  override opaque(opaque: Opaque): void {
    this.states.push(stateOfText(opaque));
  }

  /** The message stays open for more parts. */
  override endBlock(): boolean {
    const part = this.#part();
    const text = JSON.stringify(part.text);
    if (part.type === 'refusal') this.events.write('response.refusal.done', `${this.#place()},"refusal":${text}`);
    else {
      this.events.write('response.output_text.done', `${this.#place()},"text":${text},"logprobs":[${part.logprobs}]`);
    }
    this.events.write('response.content_part.done', `${this.#place()},"part":${spokenPartText(part)}`);
    return false;
  }

  override close(status: ItemStatus): JsonText {
    return messageItem(this.id, status, this.#parts);
  }

  protected override note(text: string): void {
    this.#part().text += text;
  }

  /** Never asked before a part was started. */
  #part(): SpokenPart {
    return this.#parts.at(-1)!;
  }

  #place(): string {
    return `${this.at},"content_index":${this.#parts.length - 1}`;
  }
}

export class OpenThought extends OpenItem {
  readonly #thought: Thought;
  readonly #seal: (opaque: Opaque) => string;
  readonly #place: string;

  /** `seal`: state as the client gets it. */
  constructor(events: EventWriter, place: ItemPlace, summary: boolean, seal: (opaque: Opaque) => string) {
    super(events, place);
    this.#thought = { text: '', summary, sealed: null };
    this.#seal = seal;
    this.#place = summary ? ',"summary_index":0' : ',"content_index":0';
    this.setDelta(summary ? 'reasoning_summary_text' : 'reasoning_text', this.#place);
  }

  override opaque(opaque: Opaque): void {
    this.#thought.sealed = this.#seal(opaque);
  }

  override close(): JsonText {
    const { text, summary } = this.#thought;
    if (text !== '') {
      const at = `${this.at}${this.#place}`;
      const stem = summary ? 'reasoning_summary_text' : 'reasoning_text';
      this.events.write(`response.${stem}.done`, `${at},"text":${JSON.stringify(text)}`);
      this.events.write(`response.${partName(summary)}.done`, `${at},"part":${thoughtPart(text, summary)}`);
    }
    return thoughtItem(this.id, this.#thought);
  }

  /** One that nobody can read has no part. */
  protected override note(text: string): void {
    const { summary } = this.#thought;
    if (this.#thought.text === '') {
      const part = `"part":${thoughtPart('', summary)}`;
      this.events.write(`response.${partName(summary)}.added`, `${this.at}${this.#place},${part}`);
    }
    this.#thought.text += text;
  }
}

function partName(summary: boolean): string {
  return summary ? 'reasoning_summary_part' : 'content_part';
}

export class OpenCall extends OpenItem {
  readonly #call: NamedCall;
  #input = '';

  constructor(events: EventWriter, place: ItemPlace, call: NamedCall) {
    super(events, place);
    this.#call = call;
    this.setDelta(call.form === 'custom' ? 'custom_tool_call_input' : 'function_call_arguments', '');
  }

  override opaque(opaque: Opaque): void {
    this.states.push(stateOfCall(opaque, this.#call.id));
  }

  override close(): JsonText {
    const { form, name } = this.#call;
    const input = JSON.stringify(this.#input);
    if (form === 'custom') {
      this.events.write('response.custom_tool_call_input.done', `${this.at},"input":${input}`);
    } else {
      const told = `"name":${JSON.stringify(name)},"arguments":${input}`;
      this.events.write('response.function_call_arguments.done', `${this.at},${told}`);
    }
    return callItem(this.id, 'completed', this.#call, this.#input);
  }

  protected override note(text: string): void {
    this.#input += text;
  }
}
