/** A network between two programs that can be slow, or swallow everything: nothing is refused, nothing arrives. */

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class TcpProxy {
  /** What goes either way arrives so much later. */
  delayMs = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isHole = false;

  private constructor(to: { host: string; port: number }) {
    this.#server = createServer((near) => this.#join(near, to));
  }

  static async start(to: { host: string; port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy(to);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on, or from now on no more, nothing passes. Connections stay, and new ones are taken. */
  swallow(isHole: boolean): void {
    this.#isHole = isHole;
    if (isHole) return;
    // What was swallowed is gone: such connections are of no use to anybody.
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(near: Socket, to: { host: string; port: number }): void {
    const far = connect({ ...to, noDelay: true });
    near.setNoDelay(true);
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes) => this.#pass(bytes, other));
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        if (!this.#isHole) other.destroy();
      });
    }
  }

  #pass(bytes: Buffer, to: Socket): void {
    if (this.#isHole) return;
    // Equal delays keep the order.
    if (this.delayMs === 0) to.write(bytes);
    else setTimeout(() => to.destroyed || this.#isHole || to.write(bytes), this.delayMs);
  }
}
