/** A client that shows exactly what came over the wire: bytes, their instants, and how the connection ended. */
import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as sendRequest,
} from 'node:http';

/** How an answer ended: whole; broken off by the server; never begun; or left by this client. */
export type AnswerEnd = 'complete' | 'cut' | 'no_answer' | 'left';

export interface RawAnswer {
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  /** The body's reads. `at` = milliseconds since the request was sent. */
  readonly reads: readonly { readonly at: number; readonly bytes: Buffer }[];
  readonly body: Buffer;
  readonly text: string;
  readonly end: AnswerEnd;
  /** The system's code for a broken connection, e.g. ECONNRESET. */
  readonly errorCode: string | null;
  /** Milliseconds until headers, and until the end. */
  readonly headersAt: number | null;
  readonly endedAt: number;
}

export interface RawRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON; an array of buffers chunked, one write each. */
  readonly body?: unknown;
  /** Pause before each write of a chunked body. */
  readonly writeGapMs?: number;
  readonly agent?: Agent;
  /** Called after each read with the text so far; returning true leaves: the socket is destroyed. */
  readonly leaveWhen?: (text: string) => boolean;
  /** Leave after so long, whatever came. */
  readonly leaveAfterMs?: number;
  /** Leave when this resolves. */
  readonly leaveOn?: Promise<unknown>;
}

/** Sends one request. Always resolves. */
export function sendRaw(options: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const now = (): number => performance.now() - startedAt;
    const reads: { at: number; bytes: Buffer }[] = [];
    let answer: IncomingMessage | null = null;
    let headersAt: number | null = null;
    let left = false;
    let errorCode: string | null = null;
    let timer: ReturnType<typeof setTimeout> | null = null;
    let settled = false;
    const settle = (end: AnswerEnd): void => {
      if (settled) return;
      settled = true;
      if (timer !== null) clearTimeout(timer);
      const body = Buffer.concat(reads.map((read) => read.bytes));
      resolve({
        status: answer?.statusCode ?? null,
        headers: answer?.headers ?? {},
        reads,
        body,
        text: body.toString('utf8'),
        end: left ? 'left' : end,
        errorCode,
        headersAt,
        endedAt: now(),
      });
    };
    const request = openRequest(options);
    const leave = (): void => {
      if (settled) return;
      left = true;
      request.destroy();
      settle('left');
    };
    if (options.leaveAfterMs !== undefined) timer = setTimeout(leave, options.leaveAfterMs);
    void options.leaveOn?.then(leave);
    request.on('response', (response) => {
      answer = response;
      headersAt = now();
      response.on('data', (bytes: Buffer) => {
        reads.push({ at: now(), bytes });
        if (options.leaveWhen?.(Buffer.concat(reads.map((read) => read.bytes)).toString('utf8')) === true) leave();
      });
      response.on('end', () => settle('complete'));
      response.on('error', (error: NodeJS.ErrnoException) => {
        errorCode = error.code ?? error.message;
      });
      response.on('close', () => settle(response.complete ? 'complete' : 'cut'));
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      errorCode = error.code ?? error.message;
      if (answer === null) settle('no_answer');
    });
    void sendBody(request, options);
  });
}

/** Sends a Chat request with `model` and one message, and whatever else `fields` say. */
export function chatRequest(model: string, fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { model, messages: [{ role: 'user', content: 'hi' }], ...fields };
}

function openRequest(options: RawRequest): ClientRequest {
  const { body, headers } = options;
  const chunked = Array.isArray(body);
  const bytes = body === undefined || chunked ? null : bytesOf(body);
  const length: Record<string, string> = bytes === null ? {} : { 'content-length': String(bytes.byteLength) };
  return sendRequest(options.url, {
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...length, ...headers },
    // No pooling unless asked: a reused connection would be a hidden variable.
    agent: options.agent ?? new Agent({ keepAlive: false }),
  });
}

async function sendBody(request: ClientRequest, options: RawRequest): Promise<void> {
  const { body, writeGapMs } = options;
  if (!Array.isArray(body)) {
    request.end(body === undefined ? undefined : bytesOf(body));
    return;
  }
  for (const part of body) {
    if (writeGapMs !== undefined) await new Promise((resolve) => setTimeout(resolve, writeGapMs));
    if (request.destroyed) return;
    request.write(part);
  }
  request.end();
}

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
