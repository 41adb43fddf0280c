/**
 * Streams of typed events that each hold a piece of one thing: images as they take shape, sound, a transcript. The last is
 * named `….completed` or `….done`, one per thing asked for.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import { type BodyView, isScanError, readString, scanObject } from '../bytes/body-view.ts';
import { streamError } from '../chat/errors.ts';
import type { ContentKind, ErrorFrame, StreamFault, StreamTapOptions } from '../contract.ts';
import { copyOf } from '../stream/event-data.ts';
import type { Grammar, Look } from '../stream/grammar.ts';
import { framed, reportEdits } from './answer.ts';
import { isFilled } from './faults.ts';
import { usageIn } from './usage.ts';

/** What carries content, in whichever event. */
const PAYLOADS = ['delta', 'b64_json', 'audio', 'text', 'url'];
const ENDS = /\.(?:completed|done)$/;

export class ObjectEvents implements Grammar {
  usage: Usage | null = null;
  readonly finishReasons: readonly string[] = [];
  readonly stateIds: readonly string[] = [];
  readonly #options: StreamTapOptions;
  readonly #content: number;
  readonly #bytesEach: number;
  #ended = 0;
  #named = false;
  readonly #look: Look = { place: 'relay', content: 0, contentBytes: 0, fault: null, terminal: false, written: null };

  /** `content`: the `CONTENT` bit of what it carries. `bytesEach`: what a whole thing counts for, beside its text. */
  constructor(options: StreamTapOptions, content: number, bytesEach = 0) {
    this.#options = options;
    this.#content = content;
    this.#bytesEach = bytesEach;
  }

  get finished(): boolean {
    return this.#ended >= this.#options.n;
  }

  look(data: Uint8Array, start: number, end: number, name: string | null): Look {
    const look = this.#look;
    look.place = 'relay';
    look.content = 0;
    look.contentBytes = 0;
    look.fault = null;
    const view = scanObject(data, { start, end });
    if (isScanError(view))
      return this.#fail({ kind: 'malformed', message: `an event cannot be read: ${view.message}` });
    const type = readString(view, 'type') ?? '';
    if (type === 'error' || (isFilled(view, 'error') && !ENDS.test(type))) {
      return this.#fail({ kind: 'error_event', body: copyOf(data, start, end) });
    }
    this.#note(view, type, name);
    return look;
  }

  #note(view: BodyView, type: string, name: string | null): void {
    const look = this.#look;
    const payload = PAYLOADS.find((key) => isFilled(view, key));
    if (type === '' && payload === undefined) {
      look.place = 'drop';
      return;
    }
    if (payload !== undefined) {
      look.content = this.#content;
      look.contentBytes = payload === 'delta' ? (readString(view, 'delta')?.length ?? 0) : 0;
    }
    this.usage = usageIn(view) ?? this.usage;
    if (!ENDS.test(type)) return;
    this.#ended++;
    look.contentBytes += this.#bytesEach;
    this.#named = name !== null;
    look.place = 'hold';
  }

  #fail(fault: StreamFault): Look {
    this.#look.fault = fault;
    return this.#look;
  }

  /** Fewer things than were asked for may be all there are. */
  ending(): 'proper' | 'doubtful' | 'cut' {
    if (this.#ended === 0) return 'cut';
    return this.finished ? 'proper' : 'doubtful';
  }

  kindAtEnd(content: number): ContentKind {
    return content === 0 ? 'empty' : 'content';
  }

  tail(held: readonly Uint8Array[], report: Uint8Array | null): Uint8Array {
    const last = held.length - 1;
    return Buffer.concat(held.map((json, at) => framed(json, at === last ? reportEdits(report) : [], this.#named)));
  }

  interrupt(error: GatewayError, requestId: string): ErrorFrame {
    return streamError(error, requestId);
  }
}
