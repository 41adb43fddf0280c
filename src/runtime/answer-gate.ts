/** Between a finished answer and its client's last bytes, where the answer has to be kept first (I-3). */
import type { GatewayError } from '../core/errors/gateway-error.ts';
import type { AttemptTrace } from './attempt-trace.ts';
import type { Delivery, HeaderList } from './delivery.ts';

/** An answer that is there, all but its last bytes already with the client; nothing of a whole one is. */
export interface FinishedAnswer {
  /** Number of the attempt that made it; null = none did (E-4). */
  readonly attempt: number | null;
  readonly status: number;
  readonly servedModel: string | null;
  readonly stream: boolean;
  /** As the response has them. */
  readonly headers: HeaderList;
  readonly last: Uint8Array;
  /** It said itself that it was finished (T-5). */
  readonly finished: boolean;
  /** Of that attempt. */
  readonly trace?: AttemptTrace | undefined;
}

/** Plain requests have none. */
export interface AnswerGate {
  /** Null = it is kept and may end as a success. Else what its client is told instead. */
  keep(answer: FinishedAnswer): Promise<GatewayError | null>;
}

/** Takes what is meant for a client and holds it: for answers that are written in one piece. */
export class CapturedAnswer implements Delivery {
  headersSent = false;
  bytesSent = 0;
  status = 200;
  headers: HeaderList = [];
  body: Uint8Array = new Uint8Array(0);
  readonly #meantFor: Delivery;

  constructor(meantFor: Delivery) {
    this.#meantFor = meantFor;
  }

  get openedEarly(): boolean {
    return this.#meantFor.openedEarly;
  }

  get gone(): boolean {
    return this.#meantFor.gone;
  }

  open(status: number, headers: HeaderList): void {
    this.headersSent = true;
    this.status = status;
    this.headers = headers;
  }

  write(bytes: Uint8Array): boolean {
    this.body = this.bytesSent === 0 ? bytes : Buffer.concat([this.body, bytes]);
    this.bytesSent = this.body.length;
    return true;
  }

  end(bytes: Uint8Array | null): void {
    if (bytes !== null) this.write(bytes);
  }

  onDrain(): void {}
  onGone(): void {}
  startKeepAlive(): void {}
  stopKeepAlive(): void {}
}
