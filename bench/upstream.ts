/**
 * A static upstream that costs as little as possible: it answers from ready bytes and looks at one word of the request.
 * The path says how streams are played: `/stream/120/10/v1/chat/completions` = 120 events, one each 10 ms; with 0 ms
 * all at once. A path that ends in `/messages` gets them in that dialect.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CHAT_ANSWER, messagesWrites, streamWrites } from './body.ts';

const JSON_HEADERS = { 'content-type': 'application/json', 'content-length': CHAT_ANSWER.length };
const SSE_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
const STREAM_WANTED = Buffer.from('"stream":true');

export async function readWhole(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/** How the streams of one path are played. Written from one timer: a timer per stream would cost more than the writing. */
export class Player {
  readonly #open = new Map<ServerResponse, number>();
  readonly #writes: readonly Buffer[];
  readonly #whole: Buffer;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(writes: readonly Buffer[], everyMs: number) {
    this.#writes = writes;
    this.#whole = Buffer.concat(this.#writes);
    this.#everyMs = everyMs;
  }

  /** Sends one whole good answer, streamed when the request asks for it. */
  answer(response: ServerResponse, body: Buffer): void {
    if (!body.includes(STREAM_WANTED)) {
      response.writeHead(200, JSON_HEADERS).end(CHAT_ANSWER);
      return;
    }
    response.writeHead(200, SSE_HEADERS);
    if (this.#everyMs === 0) response.end(this.#whole);
    else this.#play(response);
  }

  #play(response: ServerResponse): void {
    response.flushHeaders();
    this.#open.set(response, 0);
    response.on('close', () => this.#open.delete(response));
    this.#timer ??= setInterval(() => this.#tick(), this.#everyMs);
  }

  #tick(): void {
    for (const [response, next] of this.#open) {
      this.#open.set(response, next + 1);
      if (next < this.#writes.length - 1) response.write(this.#writes[next]);
      else this.#open.delete(response) && response.end(this.#writes[next]);
    }
    if (this.#open.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

export interface Upstream {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  close(): Promise<void>;
}

/** Listens on a free port of loopback. Kept-alive connections never time out in a run. */
export async function listen(server: Server): Promise<Upstream> {
  server.keepAliveTimeout = 300_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

export async function startUpstream(): Promise<Upstream> {
  const players = new Map<string, Player>();
  const playerOf = (url: string): Player => {
    const known = players.get(url);
    if (known !== undefined) return known;
    const [, events = '1', everyMs = '0'] = /^\/stream\/(\d+)\/(\d+)\//.exec(url) ?? [];
    const writes = url.endsWith('/messages') ? messagesWrites : streamWrites;
    const player = new Player(writes(Number(events)), Number(everyMs));
    players.set(url, player);
    return player;
  };
  const server = createServer(async (request, response) => {
    const player = playerOf(request.url ?? '');
    player.answer(response, await readWhole(request));
  });
  return listen(server);
}
