/**
 * Passes a stream of events through as it came, for dialects that put one JSON object into each (T-1, T-4, T-5, T-7 to
 * T-10, R-2, R-3). A `Grammar` says what each event is; the tap keeps order, limits and endings.
 *
 * Comments and events without data are upstream keep-alives and are not relayed: the gateway sends its own. An event
 * comes out with its name and one `data:` line, its JSON byte for byte unless the grammar exchanged something.
 */

import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import { isWholeJson, OPEN_BRACE, OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import type { ContentKind, ErrorFrame, StreamFault, StreamTap, StreamTapOptions } from '../contract.ts';
import { copyOf, isDone, isErrorList, oneLine } from './event-data.ts';
import { type EventForm, NamedEvents } from './event-form.ts';
import type { Grammar, Look } from './grammar.ts';
import { HeldStream } from './held-stream.ts';

interface HeldEvent {
  readonly json: Uint8Array;
  readonly name: string | null;
}

export class EventTap extends HeldStream implements StreamTap {
  readonly #grammar: Grammar;
  readonly #form: EventForm;
  #held: HeldEvent[] = [];
  #heldLength = 0;

  /** `form`: how events are framed on both sides; named server-sent events by default. */
  constructor(options: StreamTapOptions, grammar: Grammar, form: EventForm = new NamedEvents(options.maxEventBytes)) {
    super(options);
    this.#grammar = grammar;
    this.#form = form;
  }

  push(chunk: Uint8Array): void {
    if (this.isOver) return;
    this.#form.source.push(chunk);
    this.out.expect(chunk.length + OUTPUT_ROOM);
    this.#pump();
  }

  end(): void {
    if (this.isOver) return;
    this.#form.source.finish();
    this.#pump();
    if (this.isOver) return;
    const ending = this.#grammar.ending();
    if (ending === 'cut') {
      this.fail({ kind: 'cut' });
    } else {
      this.#conclude(ending);
    }
  }

  get finished(): boolean {
    return this.#grammar.finished && !this.#lacksCall();
  }

  get finishReasons(): readonly string[] {
    return this.#grammar.finishReasons;
  }

  get stateIds(): readonly string[] {
    return this.#grammar.stateIds;
  }

  get usage(): Usage | null {
    return this.#grammar.usage;
  }

  get heldBytes(): number {
    return this.out.length + this.#heldLength + this.#form.source.pendingBytes;
  }

  tail(report: Uint8Array | null): Uint8Array {
    if (!this.complete) throw new Error('tail() of a stream that is not complete');
    return this.#grammar.tail(
      this.#held.map((event) => event.json),
      report,
    );
  }

  interrupt(error: GatewayError, requestId: string): ErrorFrame {
    return this.#grammar.interrupt(error, requestId);
  }

  protected override kindAtEnd(content: number): ContentKind {
    return this.#grammar.kindAtEnd(content);
  }

  /** Nothing of the end is shown once the stream went wrong: it would pass for success (T-4). */
  protected override fail(fault: StreamFault): void {
    super.fail(fault);
    this.#held = [];
    this.#heldLength = 0;
  }

  #conclude(ending: string): void {
    this.conclude(ending !== 'proper', this.#lacksCall());
  }

  #lacksCall(): boolean {
    const { hasBrokenCall, saysCalls } = this.#grammar;
    return hasBrokenCall === true || (saysCalls === true && this.saysNothing);
  }

  #pump(): void {
    const { source } = this.#form;
    while (!this.isOver && source.next()) {
      switch (source.kind) {
        case 'event':
          this.#event(source.data, source.start, source.end, source.name);
          break;
        case 'tail':
          this.#tailEvent(source.data, source.start, source.end, source.name);
          break;
        case 'stray':
          this.#stray(source.data);
          break;
        case 'broken':
          this.fail({ kind: 'malformed', message: source.reason });
          break;
        case 'cut':
          this.fail({ kind: 'cut' });
      }
    }
  }

  /** T-5: a tail without blank line is an event if its data is whole. */
  #tailEvent(data: Uint8Array, start: number, end: number, name: string | null): void {
    if (isDone(data, start, end) || isWholeJson(data, start, end)) this.#event(data, start, end, name);
    else this.fail({ kind: 'cut' });
  }

  #event(data: Uint8Array, start: number, end: number, name: string | null): void {
    if (start === end) return;
    if (name === 'error') {
      this.fail({ kind: 'error_event', body: copyOf(data, start, end) });
    } else if (this.#form.source.joined) {
      const line = oneLine(data, start, end);
      this.#look(line, 0, line.length, name);
    } else {
      this.#look(data, start, end, name);
    }
  }

  #look(data: Uint8Array, start: number, end: number, name: string | null): void {
    if (data[start] !== OPEN_BRACE && data[skipSpace(data, start, end)] === OPEN_BRACKET) {
      this.#list(data, start, end);
      return;
    }
    const look = this.#grammar.look(data, start, end, name);
    if (look.fault !== null) {
      this.fail(look.fault);
      return;
    }
    if (look.content !== 0) this.noteContent(look.content, look.contentBytes);
    if (look.place !== 'drop') this.#place(look, data, start, end, name);
    if (look.terminal) {
      this.#conclude(this.#grammar.ending());
      return;
    }
    this.checkLimits(this.#heldLength, this.#heldLength - (this.#held[0]?.json.length ?? 0));
  }

  /** No dialect's events begin with a bracket: an error in a list, or a foreign `[DONE]`, which says nothing here. */
  #list(data: Uint8Array, start: number, end: number): void {
    if (isDone(data, start, end)) {
      if (this.#grammar.done?.() === true) this.#conclude(this.#grammar.ending());
      return;
    }
    if (isErrorList(data, start, end)) this.fail({ kind: 'error_event', body: copyOf(data, start, end) });
    else if (!isWholeJson(data, start, end)) this.fail({ kind: 'malformed', message: 'an event cannot be read' });
  }

  #place({ place, written }: Look, data: Uint8Array, start: number, end: number, name: string | null): void {
    const joins = place === 'join' && this.#held.length > 0;
    if (!joins && this.#held.length > 0) this.#release();
    if (joins || place === 'hold') {
      const json = written === null ? copyOf(data, start, end) : copyOf(written, 0, written.length);
      this.#held.push({ json, name });
      this.#heldLength += json.length;
    } else if (written === null) {
      this.#form.write(this.out, name, data, start, end);
    } else {
      this.#form.write(this.out, name, written, 0, written.length);
    }
  }

  /** What was held was not the end after all: it goes out before the event at hand. */
  #release(): void {
    for (const { json, name } of this.#held) this.#form.write(this.out, name, json, 0, json.length);
    this.#held = [];
    this.#heldLength = 0;
  }

  /** JSON outside of any event: an error, or nothing; but an answer must not get lost there. */
  #stray(json: Uint8Array): void {
    const start = skipSpace(json, 0, json.length);
    if (isErrorList(json, start, json.length)) {
      this.fail({ kind: 'error_event', body: json });
    } else if (json[start] === OPEN_BRACE) {
      const look = isWholeJson(json, start, json.length) ? this.#grammar.look(json, start, json.length, null) : null;
      if (look?.fault?.kind === 'error_event') this.fail(look.fault);
      else this.fail({ kind: 'malformed', message: 'JSON outside of any event' });
    }
  }
}

// What a read's events grow by: a longer model name in each, the part of an event that came earlier.
const OUTPUT_ROOM = 128;
