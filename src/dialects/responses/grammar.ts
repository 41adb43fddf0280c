/**
 * A stream of this dialect: one JSON object per event that names its type, the response itself in the first and the last
 * of them (T-1, T-4, T-5, T-8, R-2, R-3; dialects §3, §7, §8).
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import { type BodyView, isScanError, readJson, scanObject } from '../bytes/body-view.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { isWholeJson, OPEN_BRACE, QUOTE, skipSpace } from '../bytes/json-grammar.ts';
import { jsonBytes, textOf, utf8 } from '../bytes/text.ts';
import type { ContentKind, ErrorFrame } from '../contract.ts';
import { objectOf } from '../failure/answer-faults.ts';
import { copyOf } from '../stream/event-data.ts';
import { CONTENT, type Grammar, type Look } from '../stream/grammar.ts';
import { CallsSeen } from './calls-seen.ts';
import { failedResponse } from './errors.ts';
import { failureIn, filledLength, hasItems, same, withResponse } from './event-parts.ts';
import { EventScan } from './event-scan.ts';
import { type EventKind, eventKind } from './event-types.ts';
import { answerKind, failedFinish, finishOf } from './finish.ts';
import { ItemsSeen } from './items-seen.ts';
import { idsOfItem, itemContent, outputContent, partContent } from './output-content.ts';
import { readUsage } from './usage.ts';

const NO_TYPE = Buffer.alloc(0);
const COMPLETED = 'response.completed';
const ARGUMENTS = 'response.function_call_arguments.delta';

export class ResponsesGrammar implements Grammar {
  usage: Usage | null = null;
  readonly finishReasons: string[] = [];
  readonly stateIds: string[] = [];

  readonly #servedModel: Uint8Array;
  readonly #scan = new EventScan();
  readonly #look: Look = { place: 'relay', content: 0, contentBytes: 0, fault: null, terminal: false, written: null };
  readonly #items = new ItemsSeen();
  readonly #calls = new CallsSeen();
  /** The type scanned last, with its quotes: events of one type mostly come in rows. */
  #type: Uint8Array = NO_TYPE;
  #kind: EventKind | null = null;
  /** The response as the client was told it last; null = not yet. */
  #response: Uint8Array | null = null;
  #stored = false;
  /** A piece of the item at hand, or of its part, has come: what repeats it is no new content. */
  #pieceSeen = false;
  /** Something was said before the end. */
  #said = false;
  #lastSequence = -1;
  #terminal: string | null = null;

  constructor(servedModel: string) {
    this.#servedModel = jsonBytes(servedModel);
  }

  get finished(): boolean {
    return this.#terminal !== null;
  }

  /** Behind any other ending the last call may well be cut. */
  get hasBrokenCall(): boolean {
    return this.#calls.hasBroken && this.#terminal === COMPLETED;
  }

  ending(): 'proper' | 'cut' {
    return this.#terminal === null ? 'cut' : 'proper';
  }

  kindAtEnd(content: number): ContentKind {
    return answerKind(content, this.finishReasons[0] ?? null);
  }

  look(data: Uint8Array, start: number, end: number): Look {
    const look = this.#look;
    look.place = 'drop';
    look.content = look.contentBytes = 0;
    look.fault = look.written = null;
    look.terminal = false;
    const scan = this.#scan;
    const result = scan.scan(data, start, end);
    if (result < 0) {
      this.#notAnEvent(data, start, end, ~result - start);
      return look;
    }
    const kind = this.#kindOf(data);
    if (scan.failed || kind?.role === 'error') {
      look.fault = { kind: 'error_event', body: copyOf(data, start, end) };
    } else if (kind !== null) {
      look.place = 'relay';
      this.#read(kind, data);
      if (look.place === 'relay' && scan.sequence !== -1) this.#lastSequence = scan.sequence;
    }
    return look;
  }

  tail(held: readonly Uint8Array[], report: Uint8Array | null): Uint8Array {
    const event = held.at(-1);
    if (event === undefined) throw new Error('the end of the stream was not held');
    const json = report === null ? event : withResponse(event, [{ op: 'set', key: 'understudy', value: report }]);
    return Buffer.concat([utf8(`event: ${this.#terminal}\ndata: `), json, utf8('\n\n')]);
  }

  interrupt(error: GatewayError, requestId: string): ErrorFrame {
    const response = this.#response === null ? null : scanObject(this.#response);
    const told = response === null || isScanError(response) ? null : response;
    return failedResponse(error, requestId, told, this.#lastSequence + 1);
  }

  /** By what the data says: clients go by that, and not by the event's name. */
  #kindOf(data: Uint8Array): EventKind | null {
    const { typeStart, typeEnd } = this.#scan;
    if (typeStart === -1 || data[typeStart] !== QUOTE) return null;
    if (same(this.#type, data, typeStart, typeEnd)) return this.#kind;
    this.#type = copyOf(data, typeStart, typeEnd);
    this.#kind = eventKind(textOf(data, typeStart + 1, typeEnd - 1));
    return this.#kind;
  }

  #read(kind: EventKind, data: Uint8Array): void {
    switch (kind.role) {
      case 'delta':
        this.#delta(kind, data);
        break;
      case 'done':
        this.#done(kind.content);
        break;
      case 'whole':
        this.#note(kind.content, 0);
        break;
      case 'part':
        this.#pieceSeen = false;
        this.#part(partContent(this.#inner(data)));
        break;
      case 'item added':
        this.#pieceSeen = false;
        this.#part(itemContent(this.#inner(data)));
        break;
      case 'item done':
        this.#itemDone(data);
        break;
      case 'opening':
        this.#opening(data);
        break;
      case 'terminal':
      case 'failed':
        this.#ended(kind, data);
        break;
      case 'plain':
    }
  }

  #note(content: number, bytes: number): void {
    this.#said = true;
    this.#look.content = content;
    this.#look.contentBytes = content === CONTENT.audio || content === CONTENT.images ? 0 : bytes;
  }

  #delta({ type, content }: EventKind, data: Uint8Array): void {
    const { deltaStart, deltaEnd, outputIndex } = this.#scan;
    if (deltaStart === -1) return;
    const length = data[deltaStart] === QUOTE ? deltaEnd - deltaStart - 2 : filledLength(data, deltaStart, deltaEnd);
    if (length === 0) return;
    this.#pieceSeen = true;
    if (type === ARGUMENTS && data[deltaStart] === QUOTE) {
      this.#calls.piece(outputIndex, data, deltaStart + 1, deltaEnd - 1);
    }
    this.#note(content, length);
  }

  #done(content: number): void {
    const length = this.#scan.wholeLength;
    if (this.#pieceSeen || length === 0) return;
    this.#pieceSeen = true;
    this.#note(content, length);
  }

  /** What an item or a part already holds when it begins; what repeats it later is no more content. */
  #part({ content, contentBytes }: { content: number; contentBytes: number }): void {
    if (content === 0) return;
    this.#note(content, contentBytes);
    if (content !== CONTENT.call && contentBytes > 0) this.#pieceSeen = true;
  }

  #inner(data: Uint8Array): unknown {
    const { innerStart, innerEnd } = this.#scan;
    return innerStart === -1 ? null : JSON.parse(textOf(data, innerStart, innerEnd));
  }

  #itemDone(data: Uint8Array): void {
    const { innerStart, innerEnd, outputIndex } = this.#scan;
    if (innerStart === -1) return;
    const item = this.#inner(data);
    if (!this.#pieceSeen) this.#part(itemContent(item));
    this.#pieceSeen = false;
    for (const id of idsOfItem(item, this.#stored)) this.stateIds.push(id);
    this.#calls.itemDone(outputIndex, item);
    if (outputIndex !== -1) this.#items.note(outputIndex, copyOf(data, innerStart, innerEnd));
  }

  /** The first of these is also what an interruption repeats. */
  #opening(data: Uint8Array): void {
    const response = this.#view(data);
    if (response === null) return;
    const written = edit(response, [{ op: 'set', key: 'model', value: this.#servedModel }]);
    if (this.#response === null) this.#noteState(response);
    this.#response = written;
    this.#look.written = this.#around(data, written);
  }

  #view(data: Uint8Array): BodyView | null {
    const { responseStart, responseEnd } = this.#scan;
    if (responseStart === -1) return null;
    const view = scanObject(data, { start: responseStart, end: responseEnd });
    return isScanError(view) ? null : view;
  }

  /** The event with its response exchanged. */
  #around(data: Uint8Array, response: Uint8Array): Uint8Array {
    const { objectStart, objectEnd, responseStart, responseEnd } = this.#scan;
    const before = data.subarray(objectStart, responseStart);
    return Buffer.concat([before, response, data.subarray(responseEnd, objectEnd)]);
  }

  #noteState(response: BodyView): void {
    const id = readJson(response, 'id');
    this.#stored = readJson(response, 'store') !== false;
    if (this.#stored && typeof id === 'string' && id !== '') this.stateIds.push(id);
  }

  #ended(kind: EventKind, data: Uint8Array): void {
    const view = this.#view(data);
    const response = view === null ? null : objectOf(JSON.parse(textOf(data, view.start, view.end)));
    if (view === null || response === null) {
      this.#look.fault = { kind: 'malformed', message: `${kind.type} without a response` };
      return;
    }
    const usage = readUsage(response['usage']);
    if (usage !== null) this.usage = usage;
    if (kind.role === 'failed' || failedFinish(finishOf(response)) !== null || objectOf(response['error']) !== null) {
      this.#look.fault = { kind: 'error_event', body: jsonBytes(failureIn(kind.type, response)) };
      return;
    }
    this.#terminal = kind.type;
    this.finishReasons.push(finishOf({ ...response, status: kind.type.slice('response.'.length) }));
    if (this.#response === null) this.#noteState(view);
    this.#look.place = 'hold';
    this.#look.terminal = true;
    // Some tell it all at once.
    const output = response['output'];
    this.#calls.end(output);
    if (!this.#said && Array.isArray(output)) this.#part(outputContent(output));
    this.#look.written = this.#around(data, edit(view, this.#endEdits(view)));
  }

  /** R-3; and the items, where the upstream tells none at the end. */
  #endEdits(response: BodyView): Edit[] {
    const edits: Edit[] = [{ op: 'set', key: 'model', value: this.#servedModel }];
    const items = hasItems(response) ? null : this.#items.output();
    if (items !== null) edits.push({ op: 'set', key: 'output', value: items });
    return edits;
  }

  /** JSON that is no object says nothing here; what is no JSON breaks the stream (T-10). */
  #notAnEvent(data: Uint8Array, start: number, end: number, offset: number): void {
    if (data[skipSpace(data, start, end)] !== OPEN_BRACE && isWholeJson(data, start, end)) return;
    this.#look.fault = { kind: 'malformed', message: `an event cannot be read: bad JSON at byte ${offset}` };
  }
}
