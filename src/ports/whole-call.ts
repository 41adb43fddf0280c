/** A call whose answer is wanted whole, in time and short: not a model's, but a collector's, a receiver's, a file's. */
import type { Clock } from './clock.ts';
import type { Transport, TransportFault, UpstreamCall, UpstreamRequest } from './transport.ts';

export interface WholeCallParts {
  readonly transport: Transport;
  readonly clock: Pick<Clock, 'after'>;
}

export interface WholeCallLimits {
  /** From now on, ms. */
  readonly timeoutMs: number;
  /** More of the body is not waited for. */
  readonly mostBytes: number;
  /** The head alone says enough: the body is not waited for. Absent = it never does. */
  readonly isEnough?: (status: number, headers: Readonly<Record<string, string>>) => boolean;
}

export interface WholeAnswer {
  /** Null = no head came. */
  readonly status: number | null;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most `mostBytes`. */
  readonly bytes: Buffer;
  /** Why it is not whole; null = it is, or its head said enough. `late`, `long`: beyond its limits. */
  readonly fault: TransportFault['kind'] | 'late' | 'long' | null;
}

/** Never rejects. */
export function wholeCall(
  { transport, clock }: WholeCallParts,
  request: UpstreamRequest,
  { timeoutMs, mostBytes, isEnough }: WholeCallLimits,
): Promise<WholeAnswer> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let left = mostBytes;
    let status: number | null = null;
    let headers: Readonly<Record<string, string>> = {};
    let call: UpstreamCall | null = null;
    let isOver = false;
    const end = (fault: WholeAnswer['fault']): void => {
      if (isOver) return;
      isOver = true;
      cancel();
      call?.abort();
      resolve({ status, headers, bytes: Buffer.concat(chunks), fault });
    };
    const cancel = clock.after(timeoutMs, () => end('late'));
    call = transport.call(request, {
      onSent() {},
      onHead(answered, answeredHeaders) {
        status = answered;
        headers = answeredHeaders;
        if (isEnough?.(answered, answeredHeaders) === true) end(null);
      },
      onData(chunk) {
        chunks.push(chunk.length > left ? chunk.subarray(0, left) : chunk);
        left -= chunk.length;
        if (left < 0) end('long');
        return true;
      },
      onEnd: () => end(null),
      onFault: ({ kind }) => end(kind),
    });
    // It may have ended before there was anything to abort.
    if (isOver) call.abort();
  });
}

/** Why no answer came, in words for whoever runs the gateway. */
export function wordsOf(
  fault: WholeAnswer['fault'],
  { timeoutMs, connectMs }: { readonly timeoutMs: number; readonly connectMs: number },
): string {
  switch (fault) {
    case 'dns':
      return 'its host name could not be resolved';
    case 'refused':
      return 'it refused the connection';
    case 'tls':
      return 'the TLS handshake failed';
    case 'unreachable':
      return 'its host is unreachable';
    case 'forbidden':
      return 'its address is not a public one';
    case 'connect_timeout':
      return `no connection within ${connectMs / 1000} s`;
    case 'late':
      return `no answer within ${timeoutMs / 1000} s`;
    case 'garbled':
    case 'long':
      return 'its answer could not be read';
    case 'aborted':
      return 'the gateway stopped';
    default:
      return 'it closed the connection without an answer';
  }
}
