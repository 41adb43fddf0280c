/** The simulator's port: it opens and closes as the script says, and knows its connections. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Connections waiting to be accepted: load tests open thousands at once. */
const BACKLOG = 4096;
/** Idle connections live longer than a gateway's pool keeps them, so that only scripted resets race with a reuse. */
const KEEP_ALIVE_MS = 120_000;
const MAX_HEADER_BYTES = 64 * 1024;

/** One connection: its number from 1, and how many requests came over it. */
export interface Connection {
  readonly no: number;
  requests: number;
}

export class Listener {
  url = '';
  port = 0;
  readonly #host: string;
  readonly #server: Server;
  readonly #connections = new Map<Socket, Connection>();
  #connectionCount = 0;
  #closed = false;
  /** Listening and not listening follow each other; two at once would race. */
  #listening: Promise<void> = Promise.resolve();

  constructor(host: string, onRequest: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#host = host;
    this.#server = createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
    this.#server.headersTimeout = 0;
    this.#server.on('connection', (socket) => this.#onConnection(socket));
    this.#server.on('request', onRequest);
  }

  /** @param port 0 = a free one. Rejects when it is taken. */
  async open(port: number): Promise<void> {
    await this.#listen(port);
    this.port = (this.#server.address() as AddressInfo).port;
    this.url = `http://${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${this.port}`;
  }

  /** Closes the port, or opens it again, as `refuses` says when its turn comes; open connections stay. */
  follow(refuses: () => boolean): Promise<void> {
    this.#listening = this.#listening.then(async () => {
      if (this.#closed) return;
      if (refuses() && this.#server.listening) {
        const stopped = new Promise<void>((resolve) => this.#server.close(() => resolve()));
        this.#server.closeIdleConnections();
        // Answers under way end first; waiting for them here would keep the next script waiting.
        void stopped;
      } else if (!refuses() && !this.#server.listening) {
        await this.#listen(this.port);
      }
    });
    return this.#listening;
  }

  /** The connection a request has just come over, with that request counted. */
  arrival(request: IncomingMessage): Connection {
    const connection = this.#connections.get(request.socket) ?? { no: 0, requests: 0 };
    connection.requests += 1;
    return connection;
  }

  openSockets(): number {
    return this.#connections.size;
  }

  closeIdle(): void {
    this.#server.closeIdleConnections();
  }

  /** At once; open connections are closed. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#listening;
    const stopped = this.#server.listening ? new Promise<void>((resolve) => this.#server.close(() => resolve())) : null;
    for (const socket of this.#connections.keys()) socket.destroy();
    await stopped;
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port, host: this.#host, backlog: BACKLOG }, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  #onConnection(socket: Socket): void {
    this.#connectionCount += 1;
    this.#connections.set(socket, { no: this.#connectionCount, requests: 0 });
    socket.on('close', () => this.#connections.delete(socket));
    // Resets are this server's daily business.
    socket.on('error', () => {});
  }
}
