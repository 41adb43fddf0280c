/** Posts one batch of spans, and reads what the collector says of it. */
import { headerWait, serverNow } from '../../core/classify/waits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Transport } from '../../ports/transport.ts';
import { wholeCall, wordsOf } from '../../ports/whole-call.ts';

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
export async function post({ transport, clock, url, headers, timeoutMs, body }: PostOrder): Promise<PostAnswer> {
  const sent = ['content-type', 'application/json', 'user-agent', 'understudy', ...headers];
  const request = { url, headers: sent, body: Buffer.from(body, 'utf8'), connectTimeoutMs: CONNECT_MS };
  const limits = { timeoutMs, mostBytes: MAX_BYTES };
  const answer = await wholeCall({ transport, clock }, { ...request, proxy: null, guard: null }, limits);
  // A status without its whole answer still is one.
  if (answer.status === null) return unheard(wordsOf(answer.fault, { timeoutMs, connectMs: CONNECT_MS }));
  const wait = headerWait(answer.headers, serverNow(answer.headers, clock.wall()));
  return heard(answer.status, wait?.ms ?? null, answer.bytes.toString('utf8'));
}

function unheard(fault: string): PostAnswer {
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
