/**
 * Reads one Chat Completions stream of an upstream into canonical events (T-1, T-5, T-10, F-6). One `JSON.parse` per
 * event. The dialect has no blocks: what kind of delta comes says which block it belongs to.
 */
import type { Usage } from '../../core/usage/usage.ts';
import { isWholeJson, OPEN_BRACE, skipSpace } from '../bytes/json-grammar.ts';
import { SseSplitter } from '../bytes/sse.ts';
import { textOf } from '../bytes/text.ts';
import type { BlockStart, CanonicalReader, CanonicalReaderOptions } from '../canonical.ts';
import type { StreamFault } from '../contract.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { BlockRow, type RowBlock } from '../cross/block-row.ts';
import { mediaFromUrl } from '../cross/media.ts';
import { clientName } from '../cross/tool-names.ts';
import { copyOf, isDone, isErrorList } from '../stream/event-data.ts';
import {
  AUDIO_FIELDS,
  BODY_FIELDS,
  CALL_FIELDS,
  CALLED_FIELDS,
  CHOICE_FIELDS,
  CITATION_FIELDS,
  DETAIL_FIELDS,
  NOTE_FIELDS,
  noteLogprobs,
  SAID_FIELDS,
} from './answer-fields.ts';
import { finishOf } from './canonical-finish.ts';
import { audioOf, stateIn } from './canonical-upstream-answer.ts';
import { messageRole, WORDS_MISPLACED } from './misplaced-words.ts';
import { type Choice, type Fields, isFields, isNewCall, isText, isTruthy, newChoice } from './reader-choice.ts';
import { usageOf } from './usage.ts';

export class ChatCanonicalReader implements CanonicalReader {
  readonly losses = new AnswerLosses();
  fault: StreamFault | null = null;
  ending: 'open' | 'proper' | 'doubtful' = 'open';
  readonly #options: CanonicalReaderOptions;
  readonly #splitter: SseSplitter;
  readonly #row: BlockRow;
  readonly #choices = new Map<number, Choice>();
  #unfinished = 0;

  constructor(options: CanonicalReaderOptions) {
    this.#options = options;
    this.#splitter = new SseSplitter(options.maxEventBytes);
    this.#row = new BlockRow(options.emit);
  }

  get pendingBytes(): number {
    return this.#splitter.pendingBytes + 2 * this.#row.waiting;
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
    if (this.#isOver) return;
    // T-5: without `[DONE]` nothing but the finish reasons says that no choice is missing.
    if (this.#allFinished) this.#complete('doubtful');
    else this.#fail({ kind: 'cut' });
  }

  get #isOver(): boolean {
    return this.fault !== null || this.ending !== 'open';
  }

  get #allFinished(): boolean {
    return this.#unfinished === 0 && this.#choices.size > 0;
  }

  #fail(fault: StreamFault): void {
    this.fault ??= fault;
  }

  #pump(): void {
    const splitter = this.#splitter;
    while (!this.#isOver && splitter.next()) {
      const { data, start, end } = splitter;
      switch (splitter.kind) {
        case 'event':
          this.#event(data, start, end, splitter.name);
          break;
        case 'tail':
          if (isDone(data, start, end) || isWholeJson(data, start, end)) this.#event(data, start, end, splitter.name);
          else this.#fail({ kind: 'cut' });
          break;
        case 'stray':
          this.#stray(data);
          break;
        case 'broken':
          this.#fail({ kind: 'malformed', message: splitter.reason });
          break;
        case 'cut':
          this.#fail({ kind: 'cut' });
      }
    }
  }

  #event(data: Uint8Array, start: number, end: number, name: string | null): void {
    if (start === end || name === 'ping') return;
    if (name === 'error') this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
    else if (isDone(data, start, end)) this.#done();
    else this.#json(textOf(data, start, end), data, start, end);
  }

  /** T-5: nothing but finish reasons says that an answer is whole; a terminator alone never does. */
  #done(): void {
    if (this.#allFinished) this.#complete('proper');
    else this.#fail({ kind: 'malformed', message: '[DONE] without finish reason' });
  }

  #json(text: string, data: Uint8Array, start: number, end: number): void {
    let chunk: unknown;
    try {
      chunk = JSON.parse(text);
    } catch {
      this.#fail({ kind: 'malformed', message: 'an event cannot be read: bad JSON' });
      return;
    }
    if (isFields(chunk)) {
      if (isTruthy(chunk['error']) || chunk['object'] === 'error') {
        this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
      } else {
        this.#chunk(chunk);
      }
    } else if (isErrorList(data, start, end)) {
      this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
    }
  }

  /** JSON outside of any event: an error, or nothing; but an answer must not get lost there. */
  #stray(json: Uint8Array): void {
    if (json[skipSpace(json, 0, json.length)] !== OPEN_BRACE) {
      if (isErrorList(json, 0, json.length)) this.#fail({ kind: 'error_event', body: json });
      return;
    }
    try {
      const value: unknown = JSON.parse(textOf(json));
      if (isFields(value) && Array.isArray(value['choices']) && !isTruthy(value['error'])) {
        this.#fail({ kind: 'malformed', message: 'a chunk stands outside of any event' });
      } else if (
        isFields(value) &&
        (isTruthy(value['error']) || isTruthy(value['message']) || isTruthy(value['detail']))
      ) {
        this.#fail({ kind: 'error_event', body: json });
      }
    } catch {
      this.#fail({ kind: 'malformed', message: 'text outside of any event' });
    }
  }

  #chunk(chunk: Fields): void {
    const { usage, choices } = chunk;
    this.losses.noteObject(chunk, BODY_FIELDS);
    if (Array.isArray(choices)) {
      for (const choice of choices as unknown[]) {
        if (isFields(choice)) this.#choice(choice);
        else this.#fail({ kind: 'malformed', message: 'a choice is no object' });
        if (this.fault !== null) return;
      }
    } else if (choices !== undefined && choices !== null) {
      this.#fail({ kind: 'malformed', message: '`choices` is no array' });
      return;
    }
    if (isFields(usage)) this.#usage(usage);
    if (this.#row.overfull) this.#fail({ kind: 'malformed', message: 'too many blocks are told at once' });
  }

  #usage(fields: Fields): void {
    const usage: Usage | null = usageOf(fields);
    if (usage !== null) this.#options.emit({ type: 'usage', usage });
  }

  #choice(fields: Fields): void {
    const index = typeof fields['index'] === 'number' ? fields['index'] : 0;
    let choice = this.#choices.get(index);
    if (choice === undefined) {
      choice = newChoice(index);
      this.#choices.set(index, choice);
      this.#unfinished++;
      if (this.#choices.size > MAX_CHOICES) {
        this.#fail({ kind: 'malformed', message: `more than ${MAX_CHOICES} choices` });
        return;
      }
    }
    const { delta, message, text, finish_reason: raw, logprobs } = fields;
    // An empty string is how some upstreams write "not yet". A failure wins over what stands beside it (T-10).
    const finish = isText(raw) ? finishOf(raw) : null;
    if (isText(raw) && finish === null) {
      this.#fail({ kind: 'bad_finish', reason: raw });
      return;
    }
    this.losses.noteObject(fields, CHOICE_FIELDS);
    if (isFields(logprobs)) noteLogprobs(logprobs, this.losses);
    if (isFields(delta)) this.#delta(choice, delta);
    if (isFields(message) || isText(text)) this.#beside(choice, fields);
    if (isFields(logprobs) && Array.isArray(logprobs['content']) && logprobs['content'].length > 0) {
      this.#options.emit({ type: 'logprobs', choice: index, value: JSON.stringify(logprobs['content']) });
    }
    if (finish === null || choice.finish !== null) return;
    choice.finish = { finish, raw: raw as string };
    this.#unfinished--;
    this.#close(choice);
  }

  /** What it says beside its delta: the whole answer at once, or what was told already. */
  #beside(choice: Choice, fields: Fields): void {
    const role = messageRole(fields, choice.told);
    if (role === 'whole') this.#delta(choice, fields['message'] as Fields);
    else if (role === 'unreadable') this.#fail({ kind: 'malformed', message: WORDS_MISPLACED });
  }

  /** What is told of it so far is over. */
  #close(choice: Choice): void {
    if (choice.unnamed !== null) this.#fail({ kind: 'malformed', message: 'a call without a name' });
    choice.plain = null;
    choice.calls.clear();
    this.#row.endAll(choice.index);
  }

  /** The proper end, or one that looks like it. */
  #complete(ending: 'proper' | 'doubtful'): void {
    this.ending = ending;
    for (const choice of this.#choices.values()) {
      this.#close(choice);
      if (choice.finish === null) continue;
      const { finish, raw } = choice.finish;
      this.#options.emit({ type: 'finish', choice: choice.index, finish, raw, stopSequence: null });
    }
  }

  #delta(choice: Choice, delta: Fields): void {
    const { content, tool_calls: calls, refusal } = delta;
    const reasoning = delta['reasoning_content'] ?? delta['reasoning'];
    const details = delta['reasoning_details'];
    this.losses.noteObject(delta, SAID_FIELDS);
    if (isText(reasoning)) {
      choice.thinksAloud = true;
      this.#plain(choice, 'reasoning', reasoning);
    }
    if (Array.isArray(details)) this.#details(choice, details as unknown[]);
    if (isText(content)) this.#plain(choice, 'text', content);
    else if (Array.isArray(content)) this.#texts(choice, content as unknown[]);
    else if (isFields(content)) this.#texts(choice, [content]);
    if (isText(refusal)) this.#plain(choice, 'refusal', refusal);
    if (Array.isArray(calls)) for (const call of calls as unknown[]) if (isFields(call)) this.#call(choice, call);
    const old = delta['function_call'];
    if (isFields(old)) this.#call(choice, { index: 0, function: old });
    if (isFields(delta['audio'])) this.#audio(choice, delta['audio']);
    if (Array.isArray(delta['images'])) this.#images(choice, delta['images'] as unknown[]);
    if (Array.isArray(delta['annotations'])) this.#annotations(choice, delta['annotations'] as unknown[]);
  }

  #texts(choice: Choice, parts: readonly unknown[]): void {
    for (const part of parts) {
      const text = isFields(part) ? part['text'] : part;
      if (isText(text)) this.#plain(choice, 'text', text);
      else if (isFields(part) && typeof part['text'] !== 'string') this.losses.drop(String(part['type']));
    }
  }

  #plain(choice: Choice, type: 'text' | 'refusal' | 'reasoning', text: string): void {
    this.#row.delta(this.#plainBlock(choice, type), text);
  }

  /** The open block of this kind, or a new one. */
  #plainBlock(choice: Choice, type: 'text' | 'refusal' | 'reasoning'): RowBlock {
    if (choice.plain !== null && choice.plain.what.type === type) return choice.plain;
    this.#makeRoom(choice);
    choice.plain = this.#row.start(choice.index, type === 'reasoning' ? { type, summary: false } : { type });
    return choice.plain;
  }

  /** Ends what is certainly over when something else begins: text, and calls whose arguments are whole. */
  #makeRoom(choice: Choice): void {
    choice.told = true;
    if (choice.plain !== null) {
      this.#row.end(choice.plain);
      choice.plain = null;
    }
    for (const block of choice.calls.values()) if (this.#row.isWhole(block)) this.#row.end(block);
  }

  #call(choice: Choice, fields: Fields): void {
    const index = typeof fields['index'] === 'number' ? fields['index'] : this.#lastCall(choice, fields);
    this.losses.noteObject(fields, CALL_FIELDS);
    const said = isFields(fields['custom']) ? fields['custom'] : isFields(fields['function']) ? fields['function'] : {};
    this.losses.noteObject(said, CALLED_FIELDS);
    const input = said['input'] ?? said['arguments'];
    const known = choice.calls.get(index) ?? null;
    const text = typeof input === 'string' ? input : isFields(input) ? JSON.stringify(input) : '';
    const isNew = known === null || isNewCall(known, fields);
    if (isNew && !isText(said['name'])) {
      this.#unnamed(choice, index, fields['id'], text);
      return;
    }
    const block = isNew ? this.#startCall(choice, index, fields, said) : known;
    if (block === null || text === '') return;
    if (block.closed) this.#fail({ kind: 'malformed', message: 'arguments of a call that was over' });
    else this.#row.delta(block, text);
  }

  /** Without an index: what brings an id begins a call, all else goes on with the last. */
  #lastCall(choice: Choice, fields: Fields): number {
    return isText(fields['id']) ? choice.callCount : Math.max(0, choice.callCount - 1);
  }

  /** Its name may come with the next piece; until then there is nothing to have arguments. */
  #unnamed(choice: Choice, index: number, id: unknown, text: string): void {
    if (text !== '') this.#fail({ kind: 'malformed', message: 'a call without a name' });
    else if (isText(id)) choice.unnamed = { index, id };
  }

  #startCall(choice: Choice, index: number, fields: Fields, said: Fields): RowBlock | null {
    const name = String(said['name']);
    if (choice.callCount >= MAX_CALLS) {
      this.#fail({ kind: 'malformed', message: `more than ${MAX_CALLS} calls` });
      return null;
    }
    this.#makeRoom(choice);
    const early = choice.unnamed?.index === index ? choice.unnamed.id : null;
    if (early !== null) choice.unnamed = null;
    const what: BlockStart = {
      type: 'call',
      id: isText(fields['id']) ? fields['id'] : (early ?? `call_${choice.index}_${choice.callCount}`),
      name: clientName(name, this.#options.names),
      form: isFields(fields['custom']) ? 'custom' : 'function',
    };
    const block = this.#row.start(choice.index, what);
    choice.calls.set(index, block);
    choice.callCount++;
    return block;
  }

  #details(choice: Choice, details: readonly unknown[]): void {
    for (const detail of details) {
      if (!isFields(detail)) continue;
      this.losses.noteObject(detail, DETAIL_FIELDS);
      const text = detail['text'] ?? detail['summary'];
      if (isText(text) && !choice.thinksAloud) this.#plain(choice, 'reasoning', text);
      const opaque = stateIn(detail['signature'], detail['data']);
      if (opaque !== null) this.#row.opaque(this.#plainBlock(choice, 'reasoning'), opaque);
    }
  }

  #audio(choice: Choice, audio: Fields): void {
    this.losses.noteObject(audio, AUDIO_FIELDS);
    if (isText(audio['transcript'])) this.#plain(choice, 'text', audio['transcript']);
    if (isText(audio['data'])) this.#media(choice, audioOf(audio['data']));
  }

  #images(choice: Choice, images: readonly unknown[]): void {
    for (const image of images) {
      const nested = isFields(image) ? image['image_url'] : null;
      const url = isFields(nested) ? nested['url'] : null;
      if (isText(url)) this.#media(choice, mediaFromUrl('image', url));
    }
  }

  #media(choice: Choice, part: ReturnType<typeof audioOf>): void {
    this.#makeRoom(choice);
    this.#row.end(this.#row.start(choice.index, { type: 'media', part }));
  }

  #annotations(choice: Choice, notes: readonly unknown[]): void {
    for (const note of notes) {
      const cited = isFields(note) ? note['url_citation'] : null;
      if (!isFields(cited)) {
        this.losses.drop('citations');
        continue;
      }
      this.losses.noteObject(note as Fields, NOTE_FIELDS);
      this.losses.noteObject(cited, CITATION_FIELDS);
      const { url, title, start_index: start, end_index: end } = cited;
      this.#row.citation(this.#plainBlock(choice, 'text'), {
        url: isText(url) ? url : null,
        title: isText(title) ? title : null,
        quote: null,
        start: typeof start === 'number' ? start : null,
        end: typeof end === 'number' ? end : null,
      });
    }
  }
}

// As for whole answers: no API gives so many, and each one costs.
const MAX_CHOICES = 1024;
const MAX_CALLS = 1024;
