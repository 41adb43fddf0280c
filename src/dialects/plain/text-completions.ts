/** Streams of the legacy text completions: like Chat's, with `text` in the place of `delta` (T-1, T-5, F-6, R-2, R-3). */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import { type BodyView, isScanError, member, readInteger, readString, scanObject } from '../bytes/body-view.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { objectsIn } from '../bytes/nested.ts';
import { utf8 } from '../bytes/text.ts';
import { FAILED_FINISH } from '../chat/answer-fault.ts';
import { streamError } from '../chat/errors.ts';
import { FinishLedger } from '../chat/finish.ts';
import { answerKind } from '../chat/response.ts';
import type { ContentKind, ErrorFrame, StreamFault, StreamTapOptions } from '../contract.ts';
import { copyOf } from '../stream/event-data.ts';
import { CONTENT, type Grammar, type Look } from '../stream/grammar.ts';
import { framed, modelEdit, reportEdits } from './answer.ts';
import { isFilled } from './faults.ts';
import { usageIn } from './usage.ts';

export const DONE = 'data: [DONE]\n\n';
/** No API gives so many, and each one costs. */
const MAX_CHOICES = 1024;

export class TextCompletions implements Grammar {
  usage: Usage | null = null;
  readonly stateIds: readonly string[] = [];
  readonly #options: StreamTapOptions;
  readonly #finish = new FinishLedger();
  #done = false;
  readonly #look: Look = { place: 'relay', content: 0, contentBytes: 0, fault: null, terminal: false, written: null };

  constructor(options: StreamTapOptions) {
    this.#options = options;
  }

  get finished(): boolean {
    return this.#finish.allFinished;
  }

  get finishReasons(): readonly string[] {
    return this.#finish.reasons;
  }

  look(data: Uint8Array, start: number, end: number): Look {
    const look = this.#look;
    look.place = 'relay';
    look.content = 0;
    look.contentBytes = 0;
    look.fault = null;
    look.written = null;
    const view = scanObject(data, { start, end });
    if (isScanError(view))
      return this.#fail({ kind: 'malformed', message: `an event cannot be read: ${view.message}` });
    if (isFilled(view, 'error')) return this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
    const usage = usageIn(view);
    this.usage = usage ?? this.usage;
    const choices = objectsIn(view, 'choices');
    if (choices.length === 0) {
      // Counts alone: for the end, where the client asked for them; else a keep-alive.
      look.place = usage !== null && this.#options.includeUsage ? 'join' : 'drop';
    } else if (this.#noteChoices(choices)) {
      look.place = 'hold';
    }
    if (look.place !== 'drop' && look.fault === null) look.written = this.#written(view);
    return look;
  }

  /** True = every choice so far is finished. */
  #noteChoices(choices: readonly BodyView[]): boolean {
    const look = this.#look;
    for (const choice of choices) {
      const text = readString(choice, 'text') ?? '';
      if (text !== '') {
        look.content = CONTENT.text;
        look.contentBytes += text.length;
      }
      const reason = readString(choice, 'finish_reason') ?? null;
      if (reason !== null && FAILED_FINISH.has(reason)) {
        this.#fail({ kind: 'bad_finish', reason });
        return false;
      }
      this.#finish.note(readInteger(choice, 'index') ?? 0, reason);
    }
    if (this.#finish.size > MAX_CHOICES) this.#fail({ kind: 'malformed', message: `more than ${MAX_CHOICES} choices` });
    return this.#finish.allFinished;
  }

  /** R-3, T-8; null = it stays as it is. */
  #written(view: BodyView): Uint8Array | null {
    const { servedModel, includeUsage } = this.#options;
    const edits: Edit[] = readString(view, 'model') === servedModel ? [] : [modelEdit(servedModel)];
    if (!includeUsage && member(view, 'usage') !== null) edits.push({ op: 'remove', key: 'usage' });
    return edits.length === 0 ? null : edit(view, edits);
  }

  #fail(fault: StreamFault): Look {
    this.#look.fault = fault;
    return this.#look;
  }

  /** T-5: before every finish reason it is an end only for what was shown already. */
  done(): boolean {
    this.#done = true;
    return this.#finish.allFinished || !this.#options.holdAll;
  }

  ending(): 'proper' | 'doubtful' | 'cut' {
    if (this.#finish.allFinished) return this.#done || this.#finish.hasAll(this.#options.n) ? 'proper' : 'cut';
    return this.#done && !this.#options.holdAll ? 'doubtful' : 'cut';
  }

  kindAtEnd(content: number): ContentKind {
    return answerKind(content, this.#finish.reasons);
  }

  tail(held: readonly Uint8Array[], report: Uint8Array | null): Uint8Array {
    const last = held.findLastIndex((json) => hasChoices(json));
    const events = held.map((json, at) => framed(json, at === last ? reportEdits(report) : [], false));
    return Buffer.concat([...events, utf8(DONE)]);
  }

  interrupt(error: GatewayError, requestId: string): ErrorFrame {
    return streamError(error, requestId);
  }
}

function hasChoices(json: Uint8Array): boolean {
  const view = scanObject(json);
  return !isScanError(view) && objectsIn(view, 'choices').length > 0;
}
