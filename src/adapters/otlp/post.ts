/** Posts one batch of spans, and reads what the collector says of it. */
import type { Clock } from '../../ports/clock.ts';
import type { Transport, TransportFault, UpstreamCall } from '../../ports/transport.ts';

export interface PostOrder {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly url: string;
  readonly headers: readonly string[];
  readonly timeoutMs: number;
  /** JSON. */
  readonly body: string;
}

export interface PostAnswer {
  /** Null = none came. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  /** Spans of a good answer that it did not take all the same. */
  readonly rejected: number;
  /** Null = it has the spans. */
  readonly problem: string | null;
}

const CONNECT_MS = 5000;
/** Of an answer; a collector has little to say. */
const MAX_BYTES = 65_536;

/** Never rejects. */
export function post({ transport, clock, url, headers, timeoutMs, body }: PostOrder): Promise<PostAnswer> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    let status: number | null = null;
    let retryAfterMs: number | null = null;
    let call: UpstreamCall | null = null;
    let over = false;
    const end = (fault: string | null): void => {
      if (over) return;
      over = true;
      cancel();
      call?.abort();
      resolve(status === null ? unheard(fault) : heard(status, retryAfterMs, Buffer.concat(chunks).toString('utf8')));
    };
    const cancel = clock.after(timeoutMs, () => end(`no answer within ${timeoutMs / 1000} s`));
    const sent = ['content-type', 'application/json', 'user-agent', 'understudy', ...headers];
    const request = { url, headers: sent, body: Buffer.from(body, 'utf8'), connectTimeoutMs: CONNECT_MS };
    call = transport.call(
      { ...request, proxy: null, guard: null },
      {
        onSent() {},
        onHead(answered, answeredHeaders) {
          status = answered;
          const seconds = Number(answeredHeaders['retry-after']);
          retryAfterMs = seconds > 0 ? seconds * 1000 : null;
        },
        onData(chunk) {
          length += chunk.length;
          if (length <= MAX_BYTES) chunks.push(chunk.slice());
          else end(null);
          return true;
        },
        onEnd: () => end(null),
        onFault: ({ kind }) => end(WORDS[kind]),
      },
    );
    if (over) call.abort();
  });
}

function unheard(fault: string | null): PostAnswer {
  return { status: null, retryAfterMs: null, rejected: 0, problem: `the collector is not reached: ${fault}` };
}

function heard(status: number, retryAfterMs: number | null, text: string): PostAnswer {
  const taken = status >= 200 && status <= 299;
  const problem = taken ? null : `the collector answers ${status}`;
  return { status, retryAfterMs, rejected: taken ? rejectedIn(text) : 0, problem };
}

/** `{partialSuccess: {rejectedSpans, errorMessage}}`; the number may be text, as protocol buffers write it. */
function rejectedIn(text: string): number {
  try {
    const answer: unknown = JSON.parse(text);
    const rejected = Number((answer as { partialSuccess?: { rejectedSpans?: unknown } }).partialSuccess?.rejectedSpans);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}

const WORDS: Readonly<Record<TransportFault['kind'], string>> = {
  dns: 'its host name could not be resolved',
  refused: 'it refuses the connection',
  tls: 'the TLS handshake failed',
  unreachable: 'its host is unreachable',
  forbidden: 'its address is forbidden',
  connect_timeout: `no connection within ${CONNECT_MS / 1000} s`,
  reset: 'it closed the connection without an answer',
  garbled: 'its answer could not be read',
  aborted: 'the gateway stopped',
};
