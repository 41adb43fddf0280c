/** A delivery without a client: what a request run in the background would have got. */
import type { Delivery, HeaderList } from '../delivery.ts';

export class JobDelivery implements Delivery {
  headersSent = false;
  readonly openedEarly = false;
  readonly gone = false;
  bytesSent = 0;
  status = 0;
  readonly #parts: Uint8Array[] = [];

  get body(): Uint8Array {
    return Buffer.concat(this.#parts);
  }

  open(status: number, _headers: HeaderList): void {
    if (this.headersSent) return;
    this.headersSent = true;
    this.status = status;
  }

  write(bytes: Uint8Array): boolean {
    this.bytesSent += bytes.length;
    this.#parts.push(bytes);
    return true;
  }

  end(bytes: Uint8Array | null): void {
    if (bytes !== null) this.write(bytes);
  }

  /** It takes everything at once. */
  onDrain(callback: () => void): void {
    callback();
  }

  /** Nobody waits, so nobody leaves. */
  onGone(_callback: () => void): void {}

  startKeepAlive(): void {}

  stopKeepAlive(): void {}
}
