/** A stream of a Responses upstream as canonical events (T-5, T-10; dialects §3, §7, §8). */
import type { Usage } from '../../core/usage/usage.ts';
import { isWholeJson, OPEN_BRACE, OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import { SseSplitter } from '../bytes/sse.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type { CanonicalReader, CanonicalReaderOptions } from '../canonical.ts';
import type { StreamFault } from '../contract.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { BROKEN_CALL, type Json, objectOf } from '../failure/answer-faults.ts';
import { copyOf, isDone, isErrorList } from '../stream/event-data.ts';
import { finishFrom } from './canonical-upstream-answer.ts';
import { failureIn, jsonText } from './event-parts.ts';
import { eventKind } from './event-types.ts';
import { failedFinish, finishOf } from './finish.ts';
import { ItemRow } from './item-row.ts';
import { readUsage } from './usage.ts';

export class ResponsesReader implements CanonicalReader {
  readonly losses = new AnswerLosses();
  fault: StreamFault | null = null;
  ending: 'open' | 'proper' = 'open';
  readonly #splitter: SseSplitter;
  readonly #options: CanonicalReaderOptions;
  readonly #items: ItemRow;

  constructor(options: CanonicalReaderOptions) {
    this.#options = options;
    this.#splitter = new SseSplitter(options.maxEventBytes);
    this.#items = new ItemRow(options, this.losses);
  }

  get pendingBytes(): number {
    return this.#splitter.pendingBytes + this.#items.waiting;
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#splitter.push(chunk);
    this.#pump();
  }

  end(): void {
    if (this.#isOver) return;
    this.#splitter.finish();
    this.#pump();
    if (!this.#isOver) this.fault = { kind: 'cut' };
  }

  get #isOver(): boolean {
    return this.fault !== null || this.ending !== 'open';
  }

  #pump(): void {
    const splitter = this.#splitter;
    while (!this.#isOver && splitter.next()) {
      const { data, start, end, name } = splitter;
      switch (splitter.kind) {
        case 'event':
          this.#event(data, start, end, name);
          break;
        case 'tail':
          if (isDone(data, start, end) || isWholeJson(data, start, end)) this.#event(data, start, end, name);
          else this.fault = { kind: 'cut' };
          break;
        case 'stray':
          this.#stray(data);
          break;
        case 'broken':
          this.fault = { kind: 'malformed', message: splitter.reason };
          break;
        case 'cut':
          this.fault = { kind: 'cut' };
      }
    }
  }

  #event(data: Uint8Array, start: number, end: number, name: string | null): void {
    if (start === end || isDone(data, start, end)) return;
    if (name === 'error') {
      this.fault = { kind: 'error_event', body: copyOf(data, start, end) };
      return;
    }
    const value = parsed(data, start, end);
    if (value === undefined) this.fault = { kind: 'malformed', message: 'an event cannot be read' };
    else if (isErrorList(data, start, end)) this.fault = { kind: 'error_event', body: copyOf(data, start, end) };
    else {
      const event = objectOf(value);
      if (event !== null) this.#read(event, data, start, end);
    }
  }

  /** JSON outside of any event: an error, or an answer that must not get lost there. */
  #stray(json: Uint8Array): void {
    const event = objectOf(parsed(json, 0, json.length));
    const isError = event === null ? isErrorList(json, 0, json.length) : Boolean(event['error']);
    const first = json[skipSpace(json, 0, json.length)];
    if (isError || event?.['type'] === 'error') this.fault = { kind: 'error_event', body: json };
    else if (first === OPEN_BRACE || first !== OPEN_BRACKET) {
      this.fault = { kind: 'malformed', message: 'JSON outside of any event' };
    }
  }

  #read(event: Json, data: Uint8Array, start: number, end: number): void {
    const type = typeof event['type'] === 'string' ? event['type'] : null;
    const kind = type === null ? null : eventKind(type);
    if (event['error'] || kind?.role === 'error') {
      this.fault = { kind: 'error_event', body: copyOf(data, start, end) };
    } else if (kind?.role === 'terminal' || kind?.role === 'failed') {
      this.#ended(kind.type, event, data, start, end);
    } else if (kind !== null && type !== null) {
      this.#items.read(type, event);
      if (this.#items.overfull) this.fault = { kind: 'malformed', message: 'too many items at once' };
      else if (this.#items.unnamed) this.fault = { kind: 'malformed', message: BROKEN_CALL.message };
    }
  }

  #ended(type: string, event: Json, data: Uint8Array, start: number, end: number): void {
    const response = objectOf(event['response']);
    if (response === null) {
      this.fault = { kind: 'malformed', message: `${type} without a response` };
      return;
    }
    const failed = type === 'response.failed' || failedFinish(finishOf(response)) !== null;
    if (failed || objectOf(response['error']) !== null) {
      const told = jsonText(failureIn(type, response));
      this.fault = { kind: 'error_event', body: told === null ? copyOf(data, start, end) : utf8(told) };
      return;
    }
    this.#items.finish(Array.isArray(response['output']) ? (response['output'] as unknown[]) : []);
    if (this.#items.unnamed) {
      this.fault = { kind: 'malformed', message: BROKEN_CALL.message };
      return;
    }
    const usage: Usage | null = readUsage(response['usage']);
    const { emit } = this.#options;
    if (usage !== null) emit({ type: 'usage', usage });
    const raw = finishOf({ ...response, status: type.slice('response.'.length) });
    emit({ type: 'finish', choice: 0, finish: finishFrom(raw, this.#items.calls), raw, stopSequence: null });
    this.ending = 'proper';
  }
}

/** Undefined = no JSON. */
function parsed(data: Uint8Array, start: number, end: number): unknown {
  try {
    return JSON.parse(textOf(data, start, end));
  } catch {
    return undefined;
  }
}
