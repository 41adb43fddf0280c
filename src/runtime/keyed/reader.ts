/** One client of a shared answer: takes it from the spool at its own pace, under its own ids. */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Clock } from '../../ports/clock.ts';
import { deliverError } from '../deliver-error.ts';
import type { HeaderList, HttpDelivery, KeepAliveRule } from '../delivery.ts';
import { errorPlace, type Reception } from '../reception.ts';
import { identityHeaders } from '../response-headers.ts';
import type { Spool, SpoolReader } from './spool.ts';

/** What became of it. */
export interface ReaderEnd {
  /** `gone`: the client left before the end. */
  readonly kind: 'whole' | 'error' | 'gone';
  /** The HTTP status its client got; 499 = it left. */
  readonly status: number;
  readonly error: GatewayError | null;
}

export class Reader implements SpoolReader {
  readonly done: Promise<ReaderEnd>;
  readonly #delivery: HttpDelivery;
  readonly #reception: Reception;
  readonly #clock: Clock;
  #resolve: (end: ReaderEnd) => void = () => {};
  #spool: Spool | null = null;
  /** Headers that say whose answer it is: none for the one that caused it. */
  #origin: HeaderList = [];
  #at = 0;
  /** Waits for the client, or for the disk. */
  #waits = false;
  #over = false;

  /** Watches the client from now on. */
  constructor(reception: Reception, clock: Clock) {
    this.#reception = reception;
    this.#delivery = reception.delivery;
    this.#clock = clock;
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#delivery.onGone(() => this.#end({ kind: 'gone', status: 499, error: null }));
  }

  get isOver(): boolean {
    return this.#over || this.#delivery.ended;
  }

  get openedEarly(): boolean {
    return this.#delivery.openedEarly;
  }

  /** A client that takes not one byte for this long is taken for gone. */
  set patienceMs(ms: number) {
    this.#delivery.patienceMs = ms;
  }

  /** From the start, whatever is there already. `origin`: `x-understudy-original-request-id` and the like. */
  attach(spool: Spool, origin: HeaderList = []): void {
    if (this.isOver) return;
    this.#spool = spool;
    this.#origin = origin;
    spool.add(this);
    if (spool.keepAlive !== null) this.startKeepAlive(spool.keepAlive);
    this.pump();
  }

  /** Nothing of it was shown to this client, and nothing will be: it may be attached to another. */
  unattach(): void {
    const spool = this.#spool;
    if (spool === null || this.#over) return;
    this.#spool = null;
    this.#origin = [];
    this.stopKeepAlive();
    spool.remove(this);
  }

  /** Somebody else answers this client, and watches it. */
  detach(): void {
    this.#over = true;
  }

  /** Ends it in its own name, where nothing was shown; the others go on. */
  refuse(error: GatewayError): ReaderEnd {
    const end: ReaderEnd = { kind: 'error', status: this.#delivery.headersSent ? 200 : error.status, error };
    deliverError(this.#delivery, errorPlace(this.#reception), error, { attempts: 0, wall: this.#clock.wall() });
    this.#end(end);
    return end;
  }

  startKeepAlive(rule: KeepAliveRule): void {
    this.#delivery.startKeepAlive(rule, () => this.#headers());
  }

  stopKeepAlive(): void {
    this.#delivery.stopKeepAlive();
  }

  /** Hands on whatever is there, as long as the client takes it. */
  pump(): void {
    const spool = this.#spool;
    if (spool === null || this.#waits || this.#over) return;
    if (spool.head !== null) this.#delivery.open(spool.head.status, [...this.#headers(), ...spool.head.headers]);
    while (!this.#waits && !this.#over) {
      if (this.#at >= spool.bytes.length) {
        this.#atEnd(spool);
        return;
      }
      const next = spool.bytes.read(this.#at);
      if (next instanceof Promise) this.#later(next);
      else this.#hand(spool, next);
    }
  }

  #later(next: Promise<Uint8Array>): void {
    this.#waits = true;
    next.then(
      (bytes) => {
        this.#waits = false;
        if (this.#over || this.#spool === null) return;
        this.#hand(this.#spool, bytes);
        this.pump();
      },
      () => this.#cut(),
    );
  }

  #hand(spool: Spool, bytes: Uint8Array): void {
    this.#at += bytes.length;
    const isLast = spool.finished?.kind === 'whole' && this.#at >= spool.bytes.length;
    if (isLast) {
      this.#delivery.end(bytes);
      this.#end({ kind: 'whole', status: spool.head?.status ?? 200, error: null });
    } else if (!this.#delivery.write(bytes)) {
      this.#waits = true;
      this.#delivery.onDrain(() => {
        this.#waits = false;
        this.pump();
      });
    }
  }

  /** It has everything that is there. */
  #atEnd({ finished, head }: Spool): void {
    if (finished === null) return;
    if (finished.kind === 'whole') {
      this.#delivery.end(null);
      this.#end({ kind: 'whole', status: head?.status ?? 200, error: null });
      return;
    }
    const { error, attempts, frame } = finished;
    const status = this.#delivery.headersSent ? (head?.status ?? 200) : error.status;
    const where = { ...errorPlace(this.#reception), frame };
    deliverError(this.#delivery, where, error, { attempts, wall: this.#clock.wall() });
    this.#end({ kind: 'error', status, error });
  }

  /** The disk lost what was to follow: the connection is closed, so that nobody takes a part for the whole. */
  #cut(): void {
    this.#reception.http.destroy();
    this.#end({ kind: 'gone', status: this.#spool?.head?.status ?? 499, error: null });
  }

  #headers(): HeaderList {
    return [...identityHeaders(this.#reception.identity), ...this.#origin];
  }

  #end(end: ReaderEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.stopKeepAlive();
    this.#spool?.remove(this);
    this.#resolve(end);
  }
}
