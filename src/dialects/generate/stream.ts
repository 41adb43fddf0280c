/**
 * Watches one upstream stream of this dialect (T-1, T-5, T-10, F-5, F-6, R-2, R-3). It has no terminator: it is whole when
 * the upstream ends cleanly and every candidate's last word was a finish reason, or the prompt was blocked.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { edit } from '../bytes/edit.ts';
import { isWholeJson, OPEN_BRACE, skipSpace } from '../bytes/json-grammar.ts';
import { utf8 } from '../bytes/text.ts';
import type { ClientRequest, ContentKind, ErrorFrame, StreamTap, StreamTapOptions } from '../contract.ts';
import { BROKEN_CALL } from '../failure/answer-faults.ts';
import { copyOf } from '../stream/event-data.ts';
import { EventTap } from '../stream/event-tap.ts';
import type { Grammar, Look } from '../stream/grammar.ts';
import { blockReason, CandidatesReading } from './candidates.ts';
import { ChunkModel, viewOfChunk } from './chunk-model.ts';
import { ChunkScan } from './chunk-scan.ts';
import { streamError } from './errors.ts';
import { FAILED_FINISH } from './finish-words.ts';
import { LastWords } from './last-words.ts';
import { LatestUsage } from './latest-usage.ts';
import { answerKind, MAX_CANDIDATES, REPORT_KEY } from './response.ts';
import { ARRAY_TYPE, type FormWriter, GenerateForm, isArrayForm } from './stream-form.ts';

/** Reads either form; writes the one the client asked for, events where no request says otherwise. */
export function streamTap(options: StreamTapOptions, request?: ClientRequest): StreamTap {
  return new GenerateTap(options, new GenerateForm(options.maxEventBytes, isArrayForm(request)));
}

class GenerateTap extends EventTap {
  readonly #writer: FormWriter;

  constructor(options: StreamTapOptions, form: GenerateForm) {
    super(options, new GenerateGrammar(options, form.writer), form);
    this.#writer = form.writer;
  }

  get contentType(): string {
    return this.#writer.array ? ARRAY_TYPE : 'text/event-stream; charset=utf-8';
  }
}

const NO_CANDIDATES = utf8('{"candidates":[]}');

export class GenerateGrammar implements Grammar {
  readonly stateIds: readonly string[] = [];
  readonly #look: Look = { place: 'relay', content: 0, contentBytes: 0, fault: null, terminal: false, written: null };
  readonly #scan = new ChunkScan();
  readonly #reading = new CandidatesReading();
  readonly #words = new LastWords();
  readonly #n: number;
  readonly #model: ChunkModel;
  readonly #writer: FormWriter;
  readonly #counts = new LatestUsage();
  #blocked = false;

  constructor(options: Pick<StreamTapOptions, 'servedModel' | 'n'>, writer: FormWriter) {
    this.#n = options.n;
    this.#model = new ChunkModel(options.servedModel);
    this.#writer = writer;
  }

  get usage(): Usage | null {
    return this.#counts.usage;
  }

  get finished(): boolean {
    return this.#blocked || this.#words.allFinished;
  }

  get finishReasons(): readonly string[] {
    return this.#words.reasons;
  }

  look(data: Uint8Array, start: number, end: number): Look {
    const look = this.#look;
    const scan = this.#scan;
    look.place = 'relay';
    look.content = look.contentBytes = 0;
    look.fault = look.written = null;
    const result = scan.scan(data, start, end);
    if (result < 0) {
      this.#unread(data, start, end, ~result - start);
    } else if (scan.failed) {
      look.fault = { kind: 'error_event', body: copyOf(data, start, end) };
    } else if (scan.candidates.present || scan.feedback.present || scan.usage.present) {
      this.#chunk(data);
    } else {
      look.place = 'drop';
    }
    return look;
  }

  ending(): 'proper' | 'doubtful' | 'cut' {
    if (!this.finished) return 'cut';
    // Nothing but the finish reasons says that no candidate is missing.
    return this.#blocked || this.#words.hasAll(this.#n) ? 'proper' : 'cut';
  }

  kindAtEnd(content: number): ContentKind {
    return answerKind(content, this.#words.reasons, this.#blocked);
  }

  /** the report goes into the chunk with the last finish reason, which is the first one held. */
  tail(held: readonly Uint8Array[], report: Uint8Array | null): Uint8Array {
    const out = new ByteWriter();
    const all = held.length > 0 || report === null ? held : [edit(viewOfChunk(NO_CANDIDATES), [this.#model.edit])];
    all.forEach((json, at) => {
      const told = at === 0 && report !== null;
      const data = told ? edit(viewOfChunk(json), [{ op: 'set', key: REPORT_KEY, value: report }]) : json;
      this.#writer.write(out, data, 0, data.length);
    });
    out.write(this.#writer.ending);
    return out.take();
  }

  /** An array that has begun has no words for an error: its client must not take what it has for all there is. */
  interrupt(error: GatewayError, requestId: string): ErrorFrame {
    return this.#writer.array ? 'destroy' : streamError(error, requestId);
  }

  /** JSON that is no object is a keep-alive; what is no JSON breaks the stream. */
  #unread(data: Uint8Array, start: number, end: number, offset: number): void {
    if (data[skipSpace(data, start, end)] !== OPEN_BRACE && isWholeJson(data, start, end)) this.#look.place = 'drop';
    else this.#malformed(`an event cannot be read: bad JSON at byte ${offset}`);
  }

  #malformed(message: string): void {
    this.#look.fault = { kind: 'malformed', message };
  }

  #chunk(data: Uint8Array): void {
    const scan = this.#scan;
    const look = this.#look;
    const reading = this.#reading;
    const read = reading.read(scan.candidates.present ? JSON.parse(scan.candidates.text(data)) : []);
    if (!read) {
      this.#malformed('an event cannot be read: `candidates` is no list of objects');
      return;
    }
    if (reading.hasBrokenCall) {
      this.#malformed(BROKEN_CALL.message);
      return;
    }
    const failed = this.#note();
    if (failed !== null) {
      look.fault = { kind: 'bad_finish', reason: failed };
      return;
    }
    if (this.#words.size > MAX_CANDIDATES) this.#malformed(`more than ${MAX_CANDIDATES} candidates`);
    const blockedNow = scan.feedback.present && blockReason(JSON.parse(scan.feedback.text(data))) !== null;
    if (blockedNow) this.#blocked = true;
    if (scan.usage.present) this.#counts.note(data, scan.usage.start, scan.usage.end);
    look.content = reading.content;
    look.contentBytes = reading.contentBytes;
    if (this.finished) look.place = blockedNow || reading.content !== 0 || this.#finishesNow() ? 'hold' : 'join';
    look.written = this.#model.written(scan, data);
  }

  /** The finish reason that says failure, if one does (F-6). */
  #note(): string | null {
    const { indexes, contents, finishes, count } = this.#reading;
    for (let i = 0; i < count; i++) {
      const word = finishes[i]!;
      if (word !== null && FAILED_FINISH.has(word)) return word;
      this.#words.note(indexes[i]!, word, contents[i] !== 0);
    }
    return null;
  }

  #finishesNow(): boolean {
    const { finishes, count } = this.#reading;
    for (let i = 0; i < count; i++) if (finishes[i] !== null) return true;
    return false;
  }
}
