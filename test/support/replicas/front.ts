/**
 * A load balancer as simple as they come: requests go round among the replicas that say they are ready. A connection that
 * is refused goes to the next one, for nothing was sent; a request that was sent is never sent again.
 */
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

const LOOK_EVERY_MS = 100;
const PATIENCE_MS = 2000;
/** Bursts of clients wait to be taken in, not to be reset. */
const BACKLOG = 4096;

interface Backend {
  readonly url: URL;
  ready: boolean;
  /** Requests that were sent to it and have not ended. */
  inFlight: number;
}

export class Front {
  readonly #server = createServer((request, response) => this.#pass(request, response));
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 2048 });
  #backends: Backend[] = [];
  #turn = 0;
  #looking: ReturnType<typeof setInterval> | null = null;

  static async start(): Promise<Front> {
    const front = new Front();
    await new Promise<void>((resolve) => front.#server.listen(0, '127.0.0.1', BACKLOG, resolve));
    front.#looking = setInterval(() => front.#look(), LOOK_EVERY_MS);
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  add(url: string): void {
    this.#backends.push({ url: new URL(url), ready: true, inFlight: 0 });
  }

  /** Sends nothing there any more. */
  remove(url: string): void {
    this.#backends = this.#backends.filter((backend) => backend.url.origin !== new URL(url).origin);
  }

  async close(): Promise<void> {
    if (this.#looking !== null) clearInterval(this.#looking);
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #look(): void {
    for (const backend of this.#backends) {
      const probe = sendRequest(
        {
          host: backend.url.hostname,
          port: backend.url.port,
          path: '/readyz',
          agent: this.#agent,
          timeout: PATIENCE_MS,
        },
        (answer) => {
          backend.ready = answer.statusCode === 200;
          answer.resume();
        },
      );
      probe.on('timeout', () => probe.destroy());
      probe.on('error', () => {
        backend.ready = false;
      });
      probe.end();
    }
  }

  /** Ready ones first, in turn; where none is, any: the client is to hear a gateway's word. */
  #order(): Backend[] {
    const ready = this.#backends.filter((backend) => backend.ready);
    const all = ready.length > 0 ? ready : this.#backends;
    this.#turn += 1;
    return all.map((_, at) => all[(this.#turn + at) % all.length]!);
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray().catch(() => []));
    this.#try(this.#order(), { request, body }, response);
  }

  #try(order: readonly Backend[], asked: { request: IncomingMessage; body: Buffer }, response: ServerResponse): void {
    const [backend, ...rest] = order;
    if (backend === undefined) {
      response.writeHead(502, { 'content-type': 'text/plain' }).end('front: no replica takes connections');
      return;
    }
    const { request, body } = asked;
    const call = sendRequest({
      host: backend.url.hostname,
      port: backend.url.port,
      method: request.method,
      path: request.url,
      headers: request.headers,
      agent: this.#agent,
    });
    backend.inFlight += 1;
    let refused = false;
    response.on('close', () => call.destroy());
    call.on('close', () => {
      backend.inFlight -= 1;
    });
    call.on('error', (error: NodeJS.ErrnoException) => {
      refused = error.code === 'ECONNREFUSED';
      backend.ready = backend.ready && !refused;
      if (response.destroyed) return;
      if (refused && !response.headersSent) this.#try(rest, asked, response);
      // Broken under way: the client's connection breaks likewise.
      else response.destroy();
    });
    call.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => response.destroy());
      answer.on('aborted', () => response.destroy());
      answer.pipe(response);
    });
    call.end(body);
  }
}
