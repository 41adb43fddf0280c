/**
 * The delivery of an answer that several clients get (I-6): written once at the upstream's pace, read by each of them
 * from the start and at its own. Each has its own ids, keep-alives and patience; none makes another wait.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { StoredAnswer } from '../../ports/idempotency-store.ts';
import type { Delivery, FrameOf, HeaderList, KeepAliveRule } from '../delivery.ts';
import { SpoolBytes, type SpoolPlace } from './spool-bytes.ts';

/** What all readers open with; each adds what is its own. */
export interface SpoolHead {
  readonly status: number;
  readonly headers: HeaderList;
}

/** How it ended: whole, or with an error that each reader tells in its own name. */
export type SpoolEnd =
  | { readonly kind: 'whole' }
  | {
      readonly kind: 'error';
      readonly error: GatewayError;
      readonly attempts: number;
      /** Its words in a stream that has begun. Absent = nothing of an answer was shown. */
      readonly frame?: FrameOf | undefined;
    };

/** Whoever takes what is in a spool. */
export interface SpoolReader {
  /** Its client's headers left early, by a keep-alive. */
  readonly openedEarly: boolean;
  startKeepAlive(rule: KeepAliveRule): void;
  stopKeepAlive(): void;
  /** There is more, or the end. */
  pump(): void;
}

export class Spool implements Delivery {
  head: SpoolHead | null = null;
  finished: SpoolEnd | null = null;
  keepAlive: KeepAliveRule | null = null;
  readonly bytes: SpoolBytes;
  readonly #readers = new Set<SpoolReader>();
  #goneCallback: (() => void) | null = null;
  #drainCallback: (() => void) | null = null;

  /** `failed`: its file can't be used; what was written is all there will be. */
  constructor(place: SpoolPlace, failed: (error: unknown) => void) {
    this.bytes = new SpoolBytes(place, { flushed: () => this.#drained(), failed });
  }

  /** Of an answer that is there already: nothing of it touches a disk. */
  static of(body: Uint8Array): Spool {
    const spool = new Spool({ folder: '', name: '', memory: body.length }, () => undefined);
    spool.bytes.push(body);
    return spool;
  }

  get headersSent(): boolean {
    return this.head !== null;
  }

  get openedEarly(): boolean {
    for (const reader of this.#readers) if (reader.openedEarly) return true;
    return false;
  }

  get gone(): boolean {
    return this.#readers.size === 0;
  }

  get bytesSent(): number {
    return this.bytes.length;
  }

  get readers(): number {
    return this.#readers.size;
  }

  add(reader: SpoolReader): void {
    this.#readers.add(reader);
  }

  /** It has everything, or has left. */
  remove(reader: SpoolReader): void {
    if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
    if (this.finished === null) this.#goneCallback?.();
    else this.bytes.close();
  }

  open(status: number, headers: HeaderList): void {
    if (this.head !== null) return;
    this.head = { status, headers: sharedHeaders(headers) };
    this.stopKeepAlive();
    this.#pump();
  }

  write(bytes: Uint8Array): boolean {
    if (this.finished !== null) return true;
    this.bytes.push(bytes);
    this.#pump();
    return !this.bytes.isCongested;
  }

  onDrain(callback: () => void): void {
    this.#drainCallback = callback;
  }

  end(bytes: Uint8Array | null): void {
    if (this.finished !== null) return;
    if (bytes !== null) this.bytes.push(bytes);
    this.#finish({ kind: 'whole' });
  }

  fail(error: GatewayError, attempts: number, frame?: FrameOf): void {
    if (this.finished !== null) return;
    this.#finish({ kind: 'error', error, attempts, frame });
  }

  /** Called whenever nobody is left to read what is still being written. */
  onGone(callback: () => void): void {
    this.#goneCallback = callback;
    if (this.gone && this.finished === null) callback();
  }

  /** The relay's `headers` are one client's; every reader has its own. */
  startKeepAlive(rule: KeepAliveRule, _headers: () => HeaderList): void {
    this.keepAlive = rule;
    for (const reader of this.#readers) reader.startKeepAlive(rule);
  }

  stopKeepAlive(): void {
    this.keepAlive = null;
    for (const reader of this.#readers) reader.stopKeepAlive();
  }

  #finish(end: SpoolEnd): void {
    this.finished = end;
    this.stopKeepAlive();
    this.#drained();
    this.#pump();
    if (this.gone) this.bytes.close();
  }

  #pump(): void {
    for (const reader of [...this.#readers]) reader.pump();
  }

  #drained(): void {
    const waiting = this.#drainCallback;
    this.#drainCallback = null;
    waiting?.();
  }
}

const OWN = /^(?:(?:x-)?request-id|x-client-request-id|x-ratelimit-.*)$/;

/** Without what is one client's own: its ids and its limits. */
export function sharedHeaders(headers: HeaderList): HeaderList {
  const kept: HeaderList = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (!OWN.test(headers[at]!)) kept.push(headers[at]!, headers[at + 1]!);
  }
  return kept;
}

/** What a stored answer opens with. */
export function answerHeaders({
  headers,
  body,
  stream,
}: Pick<StoredAnswer, 'headers' | 'body' | 'stream'>): HeaderList {
  const list: HeaderList = [];
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  if (!stream) list.push('content-length', String(body.length));
  return list;
}
