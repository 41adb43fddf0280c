/**
 * Upstream HTTP over undici. Its retry features are off and stay off: nothing may resend a POST behind the engine's
 * back (D-9). Timeouts are ours (T-3), so undici's own body and header timeouts are disabled.
 */
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { Agent, type buildConnector, type Dispatcher, ProxyAgent, util } from 'undici';
import type { NetworkRules } from '../../core/net/network-rules.ts';
import type {
  Transport,
  TransportFault,
  UpstreamCall,
  UpstreamHandler,
  UpstreamRequest,
} from '../../ports/transport.ts';
import { directConnector, guardedTunnel } from './connectors.ts';
import { type BodyDecoder, decoderFor } from './content-decoder.ts';
import { type ResolveAll, resolveAll } from './guarded-lookup.ts';
import { type SocketFacts, socketFacts, transportFault } from './transport-fault.ts';

// Below the idle limit of common front ends (nginx 75 s, Node 5 s says so itself), so that a kept-alive connection is
// seldom closed under a request just written to it; undici obeys shorter `Keep-Alive: timeout=` hints.
const KEEP_ALIVE_MS = 15_000;

// Front ends pile up cookies and policies; an answer is not to be lost for that.
const MAX_HEADER_BYTES = 65_536;

/** Connections of one kind, pooled per origin inside. */
interface Line {
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

/**
 * One line per connect timeout, proxy and set of network rules: a connection that was made under other rules is never
 * used again under these. `resolve`: the system's resolver; tests bring their own.
 */
export function createUndiciTransport({ resolve = resolveAll }: { readonly resolve?: ResolveAll } = {}): Transport {
  const lines = new Map<string, Line>();

  function dispatcherFor({ connectTimeoutMs, proxy, guard }: UpstreamRequest): Dispatcher {
    const key = `${connectTimeoutMs} ${proxy ?? ''} ${guard?.id ?? ''}`;
    let found = lines.get(key);
    if (found === undefined) {
      found = makeLine(connectTimeoutMs, proxy, guard, resolve);
      lines.set(key, found);
    }
    return found.dispatcher;
  }

  return {
    call(request, handler) {
      const call = new UndiciCall(handler);
      call.start(dispatcherFor(request), request);
      return call;
    },
    async close() {
      await Promise.all([...lines.values()].map((line) => line.close()));
      lines.clear();
    },
  };
}

function makeLine(timeout: number, proxy: string | null, rules: NetworkRules | null, resolve: ResolveAll): Line {
  const common = {
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: 60_000,
    pipelining: 1,
    maxResponseSize: -1,
    maxHeaderSize: MAX_HEADER_BYTES,
    allowH2: false,
  };
  if (proxy !== null && rules === null) {
    const dispatcher = new ProxyAgent({ ...common, uri: proxy, connectTimeout: timeout });
    return { dispatcher, close: () => dispatcher.destroy() };
  }
  const tunnel = proxy === null || rules === null ? null : guardedTunnel({ proxy, timeout, rules, resolve });
  const connect = tunnel?.connect ?? directConnector(timeout, rules, resolve);
  const dispatcher = new Agent({ ...common, connect: rememberingFacts(connect) });
  return {
    dispatcher,
    async close() {
      await dispatcher.destroy();
      await tunnel?.close();
    },
  };
}

/** Registered before undici's own listener, so that its error already carries what the socket knew. */
function rememberingFacts(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...answer) => {
      if (answer[0] === null) rememberFacts(answer[1]);
      callback(...answer);
    });
  };
}

/**
 * Notes on the error what the socket had done: whether bytes ever came back and whether some are still unsent. The
 * socket's own `bytesRead` is lost with its handle when the peer resets, so the first arrival is remembered.
 */
function rememberFacts(socket: Socket): void {
  let answered = false;
  socket.once('readable', () => {
    answered = socket.readableLength > 0;
  });
  socket.prependListener('error', (error: Error) => {
    const facts: SocketFacts = { answered, unsent: socket.writableLength > 0 };
    socketFacts.set(error, facts);
  });
}

class UndiciCall implements UpstreamCall, Dispatcher.DispatchHandler {
  sent = false;
  readonly #handler: UpstreamHandler;
  #abort: ((error?: Error) => void) | null = null;
  #resume: (() => void) | null = null;
  #decoder: BodyDecoder | null = null;
  #headed = false;
  #over = false;

  constructor(handler: UpstreamHandler) {
    this.#handler = handler;
  }

  start(dispatcher: Dispatcher, request: UpstreamRequest): void {
    const slash = request.url.indexOf('/', request.url.indexOf('//') + 2);
    const origin = slash < 0 ? request.url : request.url.slice(0, slash);
    const path = slash < 0 ? '/' : request.url.slice(slash);
    try {
      dispatcher.dispatch(
        { origin, path, method: request.method ?? 'POST', ...headersAndBody(request), idempotent: false },
        this,
      );
    } catch (error) {
      // Synchronous refusals of undici (an address it can't parse): reported like any connection that failed.
      queueMicrotask(() => this.#fail(transportFault(error, false, false)));
    }
  }

  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#decoder?.destroy();
    this.#abort?.(new AbortedByGateway());
  }

  resume(): void {
    if (this.#decoder !== null) this.#decoder.resume();
    else this.#resume?.();
  }

  // --- undici's callbacks ---

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    if (this.#over) abort(new AbortedByGateway());
  }

  onRequestSent(): void {
    this.sent = true;
    if (!this.#over) this.#handler.onSent();
  }

  onHeaders(status: number, rawHeaders: Buffer[], resume: () => void): boolean {
    if (this.#over) return true;
    // 1xx answers are interim: 100 and 103 say nothing about the outcome.
    if (status < 200) return true;
    this.sent = true;
    this.#headed = true;
    this.#resume = resume;
    const headers = lowerCaseHeaders(rawHeaders);
    this.#decoder = decoderFor(headers['content-encoding'], {
      onData: (chunk) => this.#handler.onData(chunk),
      onEnd: () => this.#finish(),
      onGarbled: (detail) => {
        const abort = this.#abort;
        this.#fail({ kind: 'garbled', detail });
        abort?.(new AbortedByGateway());
      },
      resumeSource: resume,
    });
    this.#handler.onHead(status, headers);
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#over) return true;
    return this.#decoder === null ? this.#handler.onData(chunk) : this.#decoder.write(chunk);
  }

  onComplete(): void {
    if (this.#over) return;
    if (this.#decoder === null) this.#finish();
    else this.#decoder.end();
  }

  onError(error: Error): void {
    if (this.#over) return;
    if (this.#decoder === null) {
      this.#fail(transportFault(error, this.sent, this.#headed));
      return;
    }
    // What was decoded so far still counts as received before the break is told.
    this.#decoder.flushThen(() => this.#fail(transportFault(error, this.sent, this.#headed)));
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.onEnd();
  }

  #fail(fault: TransportFault): void {
    if (this.#over) return;
    this.#over = true;
    this.#decoder?.destroy();
    this.#handler.onFault(fault);
  }
}

/** What is read while it is sent says in advance how long it is: an upstream's limits, and its parsers, want to know. */
function headersAndBody({ method, headers, body }: UpstreamRequest): {
  headers: string[];
  body: Uint8Array | Readable | null;
} {
  if (method !== undefined) return { headers: headers as string[], body: null };
  if (body instanceof Uint8Array) return { headers: headers as string[], body };
  return { headers: [...headers, 'content-length', String(body.length)], body: Readable.from(body.open()) };
}

class AbortedByGateway extends Error {
  constructor() {
    super('aborted by the gateway');
  }
}

/** Raw header pairs → object with lower-case names; repeated names are joined by a comma. */
function lowerCaseHeaders(raw: readonly Buffer[]): Record<string, string> {
  const out: Record<string, string> = Object.create(null) as Record<string, string>;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = util.headerNameToString(raw[i]!);
    const value = raw[i + 1]!.toString('latin1');
    const before = out[name];
    out[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return out;
}
