/**
 * A canonical answer as a Responses client gets it, in events or whole (dialects §14.10): one id all along, every item
 * added before its events, numbers in a row, and the whole output once more at the end.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import { isScanError, readJson, scanObject, valueByte } from '../bytes/body-view.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type {
  AnswerIdentity,
  BlockStart,
  CanonicalEvent,
  CanonicalWriter,
  Citation,
  Finish,
  JsonText,
  Opaque,
} from '../canonical.ts';
import type { ClientRequest, ErrorFrame } from '../contract.ts';
import type { MediaPart } from '../cross/media.ts';
import { ownVendor, stateOfCall, writeOpaque } from '../cross/opaque-marks.ts';
import {
  annotationText,
  type CallStart,
  callItem,
  messageItem,
  type SpokenPart,
  spokenPartText,
  type Thought,
  thoughtItem,
  thoughtPart,
} from './canonical-items.ts';
import { type Echo, echoOf } from './echo.ts';
import { failedResponse } from './errors.ts';
import { EventWriter } from './event-writer.ts';
import { type ItemPrefix, ownItemId } from './item-ids.ts';
import { stateOfText } from './text-state.ts';
import { writeUsage } from './usage.ts';

const OWN = ownVendor('openai-responses');

function asksForSummaries({ view }: ClientRequest): boolean {
  if (valueByte(view, 'reasoning') !== OPEN_BRACE) return false;
  return typeof (readJson(view, 'reasoning') as { summary?: unknown }).summary === 'string';
}

/** The item that is being told. */
type OpenItem = { readonly id: string } & (
  | { readonly type: 'message'; readonly parts: SpokenPart[]; readonly states: Opaque[] }
  | { readonly type: 'thought'; readonly thought: Thought }
  | { readonly type: 'call'; readonly call: CallStart; input: string; state: Opaque | null }
);

export class ResponsesCanonicalWriter implements CanonicalWriter {
  /** What had no place in this dialect. */
  readonly dropped: string[] = [];
  readonly #events: EventWriter;
  readonly #identity: AnswerIdentity;
  readonly #echo: Echo;
  /** The client asked for summaries: it looks for thoughts there, and nowhere else. */
  readonly #summarised: boolean;
  /** Finished items. */
  readonly #items: JsonText[] = [];
  #count = 0;
  #open: OpenItem | null = null;
  #begun = false;
  #finish: Finish = 'stop';
  #usage: Usage | null = null;
  /** Around the text of a delta of the open block. */
  #deltaType = '';
  #deltaHead = '';
  #deltaTail = '';

  /** `out` null: only the whole answer is wanted. */
  constructor(out: ByteWriter | null, identity: AnswerIdentity, echo: ClientRequest) {
    this.#events = new EventWriter(out);
    this.#identity = identity;
    this.#echo = echoOf(identity, echo.view);
    this.#summarised = asksForSummaries(echo);
  }

  write(event: CanonicalEvent): void {
    if (!this.#begun) this.#begin();
    switch (event.type) {
      case 'delta':
        this.#delta(event.text);
        break;
      case 'block-start':
        this.#start(event.what);
        break;
      case 'block-end':
        this.#endBlock();
        break;
      case 'opaque':
        this.#opaque(event.opaque);
        break;
      case 'citation':
        this.#cite(event.citation);
        break;
      case 'logprobs':
        this.#logprobs(event.value);
        break;
      case 'finish':
        this.#finish = event.finish;
        if (event.finish === 'pause') this.#drop(`finish reason ${event.raw}`);
        break;
      case 'usage':
        this.#usage = event.usage;
    }
  }

  end(report: Uint8Array | null): void {
    const whole = this.whole(report);
    this.#events.write(`response.${this.#status()}`, `"response":${whole}`);
  }

  /** The response at its end. */
  whole(report: Uint8Array | null): JsonText {
    if (!this.#begun) this.#begin();
    this.#close();
    const told = report === null ? '' : `,"understudy":${textOf(report)}`;
    const reason = this.#reason();
    const details = reason === null ? 'null' : `{"reason":"${reason}"}`;
    const usage = this.#usage === null ? 'null' : JSON.stringify(writeUsage(this.#usage));
    const { before, ending } = this.#echo;
    const state = `"status":"${this.#status()}","error":null,"incomplete_details":${details}`;
    return `${before},${state},"output":[${this.#items.join(',')}],"usage":${usage},${ending}${told}}`;
  }

  interrupt(error: GatewayError, requestId: string): ErrorFrame {
    const view = scanObject(utf8(this.#opening()));
    return failedResponse(error, requestId, isScanError(view) ? null : view, this.#events.sequence);
  }

  #begin(): void {
    this.#begun = true;
    const response = `"response":${this.#opening()}`;
    this.#events.write('response.created', response);
    this.#events.write('response.in_progress', response);
  }

  #opening(): JsonText {
    const { before, opening } = this.#echo;
    return `${before},"status":"in_progress","error":null,"incomplete_details":null,"output":[],"usage":null,${opening}}`;
  }

  #status(): 'completed' | 'incomplete' {
    return this.#reason() === null ? 'completed' : 'incomplete';
  }

  /** A refusal in words is complete; one without any is a filter's. */
  #reason(): 'max_output_tokens' | 'content_filter' | null {
    switch (this.#finish) {
      case 'length':
      case 'pause':
        return 'max_output_tokens';
      case 'content_filter':
        return 'content_filter';
      case 'refusal':
        return this.#count > 0 ? null : 'content_filter';
      default:
        return null;
    }
  }

  #start(what: BlockStart): void {
    switch (what.type) {
      case 'text':
      case 'refusal':
        this.#startPart(what.type === 'text' ? 'output_text' : 'refusal');
        break;
      case 'reasoning':
        this.#startThought(what.summary || this.#summarised);
        break;
      case 'call':
        this.#startCall(what);
        break;
      case 'media':
        this.#media(what.part);
    }
  }

  /** Texts in a row are parts of one message. */
  #startPart(type: SpokenPart['type']): void {
    if (this.#open?.type !== 'message') {
      const id = this.#add('msg', (next) => messageItem(next, 'in_progress', []));
      this.#open = { id, type: 'message', parts: [], states: [] };
    }
    const { id, parts } = this.#open;
    const part: SpokenPart = { type, text: '', annotations: [], logprobs: '' };
    const at = `${this.#place(id)},"content_index":${parts.length}`;
    parts.push(part);
    this.#events.write('response.content_part.added', `${at},"part":${spokenPartText(part)}`);
    const logprobs = type === 'output_text' ? ',"logprobs":[]' : '';
    this.#setDelta(type, `${at},"delta":`, logprobs);
  }

  #startThought(summary: boolean): void {
    this.#close();
    const thought: Thought = { text: '', summary, sealed: null };
    const id = this.#add('rs', (next) => thoughtItem(next, thought));
    this.#open = { id, type: 'thought', thought };
    const at = `${this.#place(id)},"${summary ? 'summary_index' : 'content_index'}":0`;
    this.#setDelta(summary ? 'reasoning_summary_text' : 'reasoning_text', `${at},"delta":`, '');
  }

  #startCall(call: CallStart): void {
    this.#close();
    const isCustom = call.form === 'custom';
    const id = this.#add(isCustom ? 'ctc' : 'fc', (next) => callItem(next, 'in_progress', call, ''));
    this.#open = { id, type: 'call', call, input: '', state: null };
    const type = isCustom ? 'custom_tool_call_input' : 'function_call_arguments';
    this.#setDelta(type, `${this.#place(id)},"delta":`, '');
  }

  #media(part: MediaPart): void {
    this.#close();
    if (part.media !== 'image' || part.source.by !== 'base64') {
      this.#drop(part.media);
      return;
    }
    const format = part.mime?.replace('image/', '') ?? 'png';
    const item = (id: string, status: string, more: object): JsonText =>
      JSON.stringify({ id, type: 'image_generation_call', status, output_format: format, ...more });
    const id = this.#add('ig', (next) => item(next, 'in_progress', { result: null }));
    this.#events.write('response.image_generation_call.completed', this.#place(id));
    this.#done(item(id, 'completed', { result: part.source.data }));
  }

  #setDelta(stem: string, head: string, tail: string): void {
    this.#deltaType = `response.${stem}.delta`;
    this.#deltaHead = head;
    this.#deltaTail = tail;
  }

  #delta(text: string): void {
    const open = this.#open;
    if (open === null) return;
    if (open.type === 'call') open.input += text;
    else if (open.type === 'message') open.parts.at(-1)!.text += text;
    else {
      if (open.thought.text === '') this.#startThoughtPart(open.id, open.thought.summary);
      open.thought.text += text;
    }
    this.#events.write(this.#deltaType, `${this.#deltaHead}${JSON.stringify(text)}${this.#deltaTail}`);
  }

  #startThoughtPart(id: string, summary: boolean): void {
    const part = `"part":${thoughtPart('', summary)}`;
    if (summary) {
      this.#events.write('response.reasoning_summary_part.added', `${this.#place(id)},"summary_index":0,${part}`);
    } else {
      this.#events.write('response.content_part.added', `${this.#place(id)},"content_index":0,${part}`);
    }
  }

  #cite(citation: Citation): void {
    const open = this.#open;
    const part = open?.type === 'message' ? open.parts.at(-1) : undefined;
    const note = annotationText(citation);
    if (open?.type !== 'message' || part?.type !== 'output_text' || note === null) {
      this.#drop('citations');
      return;
    }
    const at = `${this.#place(open.id)},"content_index":${open.parts.length - 1}`;
    const place = `"annotation_index":${part.annotations.length},"annotation":${note}`;
    part.annotations.push(note);
    this.#events.write('response.output_text.annotation.added', `${at},${place}`);
  }

  /** They come behind the deltas they belong to: a delta without text tells them. */
  #logprobs(value: JsonText): void {
    const open = this.#open;
    const part = open?.type === 'message' ? open.parts.at(-1) : undefined;
    const tokens = value.trim().slice(1, -1);
    if (part?.type !== 'output_text' || tokens === '') return;
    part.logprobs += part.logprobs === '' ? tokens : `,${tokens}`;
    this.#events.write(this.#deltaType, `${this.#deltaHead}"","logprobs":[${tokens}]`);
  }

  #opaque(opaque: Opaque): void {
    const open = this.#open;
    if (open?.type === 'thought') open.thought.sealed = this.#sealed(opaque);
    else if (open?.type === 'call') open.state = opaque;
    else if (open?.type === 'message') open.states.push(opaque);
  }

  #sealed(opaque: Opaque): string {
    return writeOpaque(opaque, OWN, this.#identity.vendor);
  }

  /** A message stays open for more of its parts. */
  #endBlock(): void {
    const open = this.#open;
    if (open?.type !== 'message') {
      this.#close();
      return;
    }
    const part = open.parts.at(-1)!;
    const at = `${this.#place(open.id)},"content_index":${open.parts.length - 1}`;
    const text = JSON.stringify(part.text);
    if (part.type === 'refusal') this.#events.write('response.refusal.done', `${at},"refusal":${text}`);
    else this.#events.write('response.output_text.done', `${at},"text":${text},"logprobs":[${part.logprobs}]`);
    this.#events.write('response.content_part.done', `${at},"part":${spokenPartText(part)}`);
  }

  #close(): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    switch (open.type) {
      case 'message': {
        const cut = this.#finish === 'length' || this.#finish === 'pause' || this.#finish === 'content_filter';
        this.#done(messageItem(open.id, cut ? 'incomplete' : 'completed', open.parts));
        for (const state of open.states) this.#sealedItem(stateOfText(state));
        break;
      }
      case 'thought':
        this.#endThought(open.id, open.thought);
        break;
      case 'call':
        this.#endCall(open.id, open.call, open.input);
        if (open.state !== null) this.#sealedItem(stateOfCall(open.state, open.call.id));
    }
  }

  #endThought(id: string, thought: Thought): void {
    const { text, summary } = thought;
    if (text !== '') {
      const at = `${this.#place(id)},"${summary ? 'summary_index' : 'content_index'}":0`;
      const stem = summary ? 'reasoning_summary' : 'reasoning';
      this.#events.write(`response.${stem}_text.done`, `${at},"text":${JSON.stringify(text)}`);
      const part = summary ? 'reasoning_summary_part' : 'content_part';
      this.#events.write(`response.${part}.done`, `${at},"part":${thoughtPart(text, summary)}`);
    }
    this.#done(thoughtItem(id, thought));
  }

  #endCall(id: string, call: CallStart, input: string): void {
    const text = JSON.stringify(input);
    if (call.form === 'custom') {
      this.#events.write('response.custom_tool_call_input.done', `${this.#place(id)},"input":${text}`);
    } else {
      const name = JSON.stringify(call.name);
      this.#events.write(
        'response.function_call_arguments.done',
        `${this.#place(id)},"name":${name},"arguments":${text}`,
      );
    }
    this.#done(callItem(id, 'completed', call, input));
  }

  /** State that has no item of its own to stand on. */
  #sealedItem(opaque: Opaque): void {
    const thought: Thought = { text: '', summary: true, sealed: null };
    const id = this.#add('rs', (next) => thoughtItem(next, thought));
    thought.sealed = this.#sealed(opaque);
    this.#done(thoughtItem(id, thought));
  }

  #add(prefix: ItemPrefix, item: (id: string) => JsonText): string {
    this.#close();
    const index = this.#count++;
    const id = ownItemId(prefix, this.#identity.id, index);
    this.#events.write('response.output_item.added', `"output_index":${index},"item":${item(id)}`);
    return id;
  }

  #done(item: JsonText): void {
    this.#items.push(item);
    this.#events.write('response.output_item.done', `"output_index":${this.#count - 1},"item":${item}`);
  }

  /** Of the item added last. */
  #place(id: string): string {
    return `"item_id":"${id}","output_index":${this.#count - 1}`;
  }

  #drop(what: string): void {
    if (!this.dropped.includes(what)) this.dropped.push(what);
  }
}
