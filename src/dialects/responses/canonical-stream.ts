/**
 * A canonical answer as a Responses client gets it, in events or whole (dialects §14.10): one id all along, every item
 * added before its events, numbers in a row, and the whole output once more at the end.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import { isScanError, readString, scanObject } from '../bytes/body-view.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { objectAt } from '../bytes/nested.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type {
  AnswerIdentity,
  BlockStart,
  CanonicalEvent,
  CanonicalWriter,
  Finish,
  JsonText,
  Opaque,
} from '../canonical.ts';
import type { ClientRequest, ErrorFrame } from '../contract.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import type { MediaPart } from '../cross/media.ts';
import { ownVendor, writeOpaque } from '../cross/opaque-marks.ts';
import { callItem, messageItem, type SpokenPart, thoughtItem } from './canonical-items.ts';
import { type Echo, echoOf } from './echo.ts';
import { failedResponse } from './errors.ts';
import { EventWriter } from './event-writer.ts';
import { type ItemPrefix, ownItemId } from './item-ids.ts';
import { type NamespacedName, namespacedTools } from './namespaces.ts';
import { type ItemPlace, OpenCall, type OpenItem, OpenMessage, OpenThought } from './open-items.ts';
import { writeUsage } from './usage.ts';

const OWN = ownVendor('openai-responses');

/** Who asked for summaries looks for thoughts there, and nowhere else. */
function asksForSummaries({ view }: ClientRequest): boolean {
  const reasoning = objectAt(view, 'reasoning');
  return reasoning !== null && typeof readString(reasoning, 'summary') === 'string';
}

export class ResponsesCanonicalWriter implements CanonicalWriter {
  readonly losses = new AnswerLosses();
  readonly #events: EventWriter;
  readonly #identity: AnswerIdentity;
  readonly #echo: Echo;
  /** All thoughts are told as summaries. */
  readonly #summarised: boolean;
  readonly #namespaced: ReadonlyMap<string, NamespacedName>;
  /** Finished items. */
  readonly #items: JsonText[] = [];
  /** Items begun. */
  #count = 0;
  #open: OpenItem | null = null;
  #begun = false;
  #refused = false;
  #finish: Finish = 'stop';
  #usage: Usage | null = null;

  /** `out` null: only the whole answer is wanted. */
  constructor(out: ByteWriter | null, identity: AnswerIdentity, echo: ClientRequest) {
    this.#events = new EventWriter(out);
    this.#identity = identity;
    this.#echo = echoOf(identity, echo.view);
    this.#summarised = asksForSummaries(echo);
    this.#namespaced = namespacedTools(echo.view);
  }

  write(event: CanonicalEvent): void {
    if (!this.#begun) this.#begin();
    switch (event.type) {
      case 'delta':
        this.#open?.delta(event.text);
        break;
      case 'block-start':
        this.#start(event.what);
        break;
      case 'block-end':
        if (this.#open?.endBlock() === true) this.#close();
        break;
      case 'opaque':
        this.#open?.opaque(event.opaque);
        break;
      case 'citation':
        if (this.#open?.cite(event.citation) !== true) this.losses.drop('citations');
        if (event.citation.quote !== null) this.losses.leaveOut('quotes of citations');
        break;
      case 'logprobs':
        this.#logprobs(event.value);
        break;
      case 'finish':
        this.#finish = event.finish;
        if (event.finish === 'pause') this.losses.drop(`finish reason ${event.raw}`);
        if (event.stopSequence !== null) this.losses.leaveOut('stop sequence');
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

  /** A refusal in words of its own is complete; one that cut other words short, or has none, is a filter's. */
  #reason(): 'max_output_tokens' | 'content_filter' | null {
    switch (this.#finish) {
      case 'length':
      case 'pause':
        return 'max_output_tokens';
      case 'content_filter':
        return 'content_filter';
      case 'refusal':
        return this.#refused ? null : 'content_filter';
      default:
        return null;
    }
  }

  #start(what: BlockStart): void {
    switch (what.type) {
      case 'text':
      case 'refusal':
        this.#refused ||= what.type === 'refusal';
        this.#startPart(what.type === 'text' ? 'output_text' : 'refusal');
        break;
      case 'reasoning': {
        const summary = what.summary || this.#summarised;
        const place = this.#add('rs', (id) => thoughtItem(id, { text: '', summary, sealed: null }));
        this.#open = new OpenThought(this.#events, place, summary, this.#seal);
        break;
      }
      case 'call': {
        const prefix = what.form === 'custom' ? 'ctc' : 'fc';
        const call = { ...what, ...this.#namespaced.get(what.name) };
        const place = this.#add(prefix, (id) => callItem(id, 'in_progress', call, ''));
        this.#open = new OpenCall(this.#events, place, call);
        break;
      }
      case 'media':
        this.#media(what.part);
    }
  }

  #startPart(type: SpokenPart['type']): void {
    let message = this.#open;
    if (!(message instanceof OpenMessage)) {
      const place = this.#add('msg', (id) => messageItem(id, 'in_progress', []));
      this.#open = message = new OpenMessage(this.#events, place);
    }
    (message as OpenMessage).startPart(type);
  }

  /** A picture is an item of its own; sounds and films have none. */
  #media(part: MediaPart): void {
    this.#close();
    if (part.media !== 'image' || part.source.by !== 'base64') {
      this.losses.drop(part.media);
      return;
    }
    const { data } = part.source;
    const format = part.mime?.replace('image/', '') ?? 'png';
    const item = (id: string, status: string, result: string | null): JsonText =>
      JSON.stringify({ id, type: 'image_generation_call', status, output_format: format, result });
    const { id, index } = this.#add('ig', (next) => item(next, 'in_progress', null));
    this.#events.write('response.image_generation_call.completed', `"item_id":"${id}","output_index":${index}`);
    this.#done(item(id, 'completed', data));
  }

  #logprobs(value: JsonText): void {
    const tokens = value.trim().slice(1, -1);
    if (tokens !== '' && this.#open?.logprobs(tokens) !== true) this.losses.drop('logprobs');
  }

  #close(): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    this.#done(open.close(this.#status()));
    for (const state of open.states) this.#sealedItem(state);
  }

  /** State that has no item to stand on. */
  #sealedItem(opaque: Opaque): void {
    const { id } = this.#add('rs', (next) => thoughtItem(next, { text: '', summary: true, sealed: null }));
    this.#done(thoughtItem(id, { text: '', summary: true, sealed: this.#seal(opaque) }));
  }

  readonly #seal = (opaque: Opaque): string => writeOpaque(opaque, OWN, this.#identity.vendor);

  /** Adds the next item; one that is open ends before it. */
  #add(prefix: ItemPrefix, item: (id: string) => JsonText): ItemPlace {
    this.#close();
    const index = this.#count++;
    const id = ownItemId(prefix, this.#identity.id, index);
    this.#events.write('response.output_item.added', `"output_index":${index},"item":${item(id)}`);
    return { id, index };
  }

  /** Of the item added last. */
  #done(item: JsonText): void {
    this.#items.push(item);
    this.#events.write('response.output_item.done', `"output_index":${this.#count - 1},"item":${item}`);
  }
}
