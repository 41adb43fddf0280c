/**
 * A load balancer for connections: each goes, byte for byte, to the next replica in turn. What a test does to its own end,
 * it does to the replica's: half-closed, reset, slow or left.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class ConnectionRounds {
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `ports`: of the replicas, on loopback. */
  static async start(ports: readonly number[]): Promise<ConnectionRounds> {
    let turn = 0;
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
      turn += 1;
      const port = ports[turn % ports.length]!;
      const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
      rounds.#join(near, far);
      rounds.#join(far, near);
    });
    const rounds = new ConnectionRounds(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return rounds;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** What one end says, the other hears; how it goes, too. */
  #join(from: Socket, to: Socket): void {
    this.#open.add(from);
    from.pipe(to);
    from.on('error', () => to.resetAndDestroy());
    from.on('close', (hadError) => {
      this.#open.delete(from);
      if (!hadError && !from.readableEnded) to.destroy();
    });
  }
}
