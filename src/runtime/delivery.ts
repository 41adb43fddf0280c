/**
 * The client's side of one request: headers, keep-alives, backpressure, one honest ending. Knows nothing of attempts;
 * an attempt that streams into it learns only whether to pause.
 */
import type { ServerResponse } from 'node:http';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import type { ErrorFrame } from '../dialects/contract.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import { onConnectionClosed } from './connection-watch.ts';
import { withStreamHeaders } from './response-headers.ts';

/** Header names and values, flat, as `writeHead` takes them. */
export type HeaderList = string[];

/** T-11 for one stream. */
export interface KeepAliveRule {
  readonly afterMs: number;
  readonly everyMs: number;
  readonly comment: Uint8Array;
  /** Content type of the stream. */
  readonly type: string;
}

/** An error's last bytes in an open stream, under the id of whoever reads it. */
export type FrameOf = (requestId: string) => ErrorFrame;

/** Where an answer is written to. It ends once, whole or broken off. */
export interface Delivery {
  /** The status and headers have left; no HTTP status can be told any more. */
  readonly headersSent: boolean;
  /** They left early, by a keep-alive before commit: the report must carry what headers can't (T-11). */
  readonly openedEarly: boolean;
  /** The client went away before the end was written. */
  readonly gone: boolean;
  /** Bytes handed to the client so far. */
  readonly bytesSent: number;
  open(status: number, headers: HeaderList): void;
  /** False = the client reads slowly: stop until `onDrain` calls. */
  write(bytes: Uint8Array): boolean;
  onDrain(callback: () => void): void;
  /** Writes the last bytes and closes. Exactly once. */
  end(bytes: Uint8Array | null): void;
  /** Where there is a connection: resets it, so that what was sent passes for nothing whole. In place of `end`. */
  destroy?(): void;
  /**
   * Where several clients get one answer: ends it with an error that each is told by its own id. `frame`: its words where
   * headers have left.
   */
  fail?(error: GatewayError, attempts: number, frame: FrameOf): void;
  /** Calls back once when the client goes away before the end. */
  onGone(callback: () => void): void;
  /**
   * Sends keep-alives from `afterMs` on until `stopKeepAlive`; the first opens the response as a stream with `headers`
   * (T-11).
   */
  startKeepAlive(rule: KeepAliveRule, headers: () => HeaderList): void;
  stopKeepAlive(): void;
}

const DEFAULT_PATIENCE_MS = 300_000;

/** Delivery over node:http. */
export class HttpDelivery implements Delivery {
  headersSent = false;
  openedEarly = false;
  gone = false;
  bytesSent = 0;
  /** A client that takes not one byte for this long is taken for gone: it would hold its upstream call for ever. */
  patienceMs = DEFAULT_PATIENCE_MS;
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  /** The last bytes were written; nothing may follow. */
  ended = false;
  #cancelKeepAlive: Cancel | null = null;
  #drainCallback: (() => void) | null = null;
  #goneCallback: (() => void) | null = null;

  constructor(response: ServerResponse, clock: Clock) {
    this.#response = response;
    this.#clock = clock;
  }

  open(status: number, headers: HeaderList): void {
    if (this.headersSent || this.gone) return;
    this.headersSent = true;
    this.#response.writeHead(status, headers);
  }

  write(bytes: Uint8Array): boolean {
    if (this.gone || this.ended) return true;
    this.bytesSent += bytes.length;
    return this.#response.write(bytes);
  }

  onDrain(callback: () => void): void {
    if (this.#drainCallback === null) {
      const { socket } = this.#response;
      socket?.setTimeout(this.patienceMs);
      this.#response.once('drain', () => {
        socket?.setTimeout(0);
        const waiting = this.#drainCallback;
        this.#drainCallback = null;
        waiting?.();
      });
    }
    this.#drainCallback = callback;
  }

  end(bytes: Uint8Array | null): void {
    this.stopKeepAlive();
    if (this.ended || this.gone) return;
    this.ended = true;
    const response = this.#response;
    if (bytes === null) {
      response.end();
    } else {
      this.bytesSent += bytes.length;
      response.end(bytes);
    }
    // What the client does not take at once waits in memory; Node ends this timeout when it has been taken.
    if ((response.socket?.writableLength ?? 0) > 0) response.socket?.setTimeout(this.patienceMs);
  }

  destroy(): void {
    this.stopKeepAlive();
    if (this.ended || this.gone) return;
    this.ended = true;
    this.#response.destroy();
  }

  /** The last callback counts. */
  onGone(callback: () => void): void {
    const isFirst = this.#goneCallback === null;
    this.#goneCallback = callback;
    if (isFirst) this.#watch();
    else if (this.gone) callback();
  }

  #watch(): void {
    const response = this.#response;
    const leave = (): void => {
      if (this.ended || this.gone) return;
      this.gone = true;
      this.stopKeepAlive();
      this.#goneCallback?.();
    };
    response.once('close', leave);
    const { socket } = response.req;
    // Left while its body was being unpacked: nobody will say so again.
    if (socket.destroyed) leave();
    else if (response.socket === null) {
      const cancel = onConnectionClosed(socket, leave);
      response.once('close', cancel);
    }
  }

  /** Settles when the client has taken what was written, or has left; null = there is nothing to wait for. */
  leaving(): Promise<void> | null {
    const response = this.#response;
    // An answer behind another one on its connection has no socket: that other one is waited for.
    if (!this.ended || this.gone || response.destroyed || (response.socket?.writableLength ?? 0) === 0) return null;
    return new Promise((resolve) => response.once('close', resolve));
  }

  /** Whether the client has taken everything, once that is known (I-10). To be asked before the end. */
  reached(): Promise<boolean> {
    const response = this.#response;
    return new Promise((resolve) => {
      // Node lets what a broken connection did not take finish as well. Before its own listener, which may close a good one.
      response.prependOnceListener('finish', () => resolve(this.ended && !response.req.socket.destroyed));
      response.once('close', () => resolve(false));
    });
  }

  startKeepAlive({ afterMs, everyMs, comment, type }: KeepAliveRule, headers: () => HeaderList): void {
    const beat = (): void => {
      if (this.gone || this.ended) return;
      if (!this.headersSent) {
        this.openedEarly = true;
        this.open(200, withStreamHeaders(headers(), type));
      }
      // A client that reads nothing gets no pile of keep-alives either.
      if (!this.#response.writableNeedDrain) this.write(comment);
      this.#cancelKeepAlive = this.#clock.after(everyMs, beat);
    };
    this.#cancelKeepAlive = this.#clock.after(afterMs, beat);
  }

  stopKeepAlive(): void {
    this.#cancelKeepAlive?.();
    this.#cancelKeepAlive = null;
  }
}
