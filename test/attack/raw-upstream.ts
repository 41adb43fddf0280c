/** An upstream made of plain sockets: it writes whatever bytes a test wants, where the simulator would write HTTP. */
import { createServer, type Server, type Socket } from 'node:net';

export interface RawCall {
  /** 1, 2, … over all connections. */
  readonly no: number;
  /** 1, 2, … */
  readonly connection: number;
  readonly head: string;
  readonly body: string;
  readonly socket: Socket;
}

export interface RawUpstream {
  readonly url: string;
  readonly calls: readonly RawCall[];
  openSockets(): number;
  close(): Promise<void>;
}

/** Calls `answer` for each whole request; what comes behind a request's body is the next one. */
export async function startRawUpstream(answer: (call: RawCall) => void): Promise<RawUpstream> {
  const calls: RawCall[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((socket) => {
    const connection = ++connections;
    let seen = Buffer.alloc(0);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      seen = Buffer.concat([seen, chunk]);
      for (let request = takeRequest(seen); request !== null; request = takeRequest(seen)) {
        seen = seen.subarray(request.length);
        const call: RawCall = { no: calls.length + 1, connection, head: request.head, body: request.body, socket };
        calls.push(call);
        answer(call);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    openSockets: () => sockets.size,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function takeRequest(bytes: Buffer): { head: string; body: string; length: number } | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = bytes.subarray(0, end).toString('latin1');
  const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  if (bytes.length < end + 4 + length) return null;
  return { head, body: bytes.subarray(end + 4, end + 4 + length).toString('utf8'), length: end + 4 + length };
}

/** A whole HTTP answer. */
export function http(status: number, body: string | Buffer, headers: readonly string[] = []): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
  const lines = [
    `HTTP/1.1 ${status} X`,
    'content-type: application/json',
    `content-length: ${bytes.length}`,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]);
}

/** The head of a chunked event stream. */
export const SSE_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

export function chunked(text: string | Buffer): Buffer {
  const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

export const LAST_CHUNK = '0\r\n\r\n';

/** A good whole answer saying `content`. */
export function okAnswer(content: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'up',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    ...more,
  });
}

/** One chat event. */
export function event(delta: unknown, finish: string | null = null, index = 0): string {
  const chunk = {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'up',
    choices: [{ index, delta, finish_reason: finish }],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export const DONE = 'data: [DONE]\n\n';

/** Streams content until the connection is closed. */
export function endless({ socket }: RawCall, bytes = 1000): void {
  socket.write(SSE_HEAD);
  const timer = setInterval(() => {
    if (!socket.writableNeedDrain) socket.write(chunked(event({ content: 'x'.repeat(bytes) })));
  }, 2);
  socket.on('close', () => clearInterval(timer));
}

/** A whole chunked stream. */
export function sse(text: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(SSE_HEAD), chunked(text), Buffer.from(LAST_CHUNK)]);
}
