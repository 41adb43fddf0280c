/** Sends one webhook message once, over the transport that upstream calls use: nothing there resends or follows redirects. */
import { TRY_TIMEOUT_MS } from '../../core/signals/delivery-plan.ts';
import type { Clock } from '../../ports/clock.ts';
import type { WebhookAnswer, WebhookMessage, WebhookSender } from '../../ports/events.ts';
import type { Transport, TransportFault, UpstreamCall, UpstreamRequest } from '../../ports/transport.ts';
import { signedHeaders } from './signer.ts';

const CONNECT_MS = 5000;
/** Kept of what the receiver says. */
const SHOWN_BYTES = 1024;

export interface SenderParts {
  readonly transport: Transport;
  readonly clock: Clock;
}

export function webhookSender(parts: SenderParts): WebhookSender {
  return { send: (message) => send(parts, message) };
}

function send({ transport, clock }: SenderParts, message: WebhookMessage): Promise<WebhookAnswer> {
  if (!URL.canParse(message.url)) {
    const answer = 'its address cannot be read';
    return Promise.resolve({ status: null, answer, retryAfterMs: null, tookMs: 0 });
  }
  const began = clock.now();
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    let status: number | null = null;
    let retryAfterMs: number | null = null;
    let call: UpstreamCall | null = null;
    let over = false;
    const end = (why: string | null): void => {
      if (over) return;
      over = true;
      cancel();
      call?.abort();
      resolve({ status, answer: why ?? textOf(chunks), retryAfterMs, tookMs: Math.round(clock.now() - began) });
    };
    // A status without its whole answer still is one, here as after a fault.
    const cancel = clock.after(TRY_TIMEOUT_MS, () =>
      end(status === null ? `no answer within ${TRY_TIMEOUT_MS / 1000} s` : null),
    );
    call = transport.call(requestFor(message, clock.wall()), {
      onSent() {},
      onHead(answered, headers) {
        status = answered;
        retryAfterMs = retryAfter(headers['retry-after'], clock.wall());
        if (answered >= 300 && answered <= 399) end('it redirects elsewhere; redirects are not followed');
      },
      onData(chunk) {
        if (length < SHOWN_BYTES) chunks.push(chunk.slice(0, SHOWN_BYTES - length));
        length += chunk.length;
        // What it says beyond is not waited for: its status is what counts.
        if (length >= SHOWN_BYTES) end(null);
        return true;
      },
      onEnd: () => end(null),
      onFault({ kind }) {
        end(status === null ? WORDS[kind] : null);
      },
    });
    if (over) call.abort();
  });
}

function requestFor({ url, secrets, id, body, guard }: WebhookMessage, wall: number): UpstreamRequest {
  const signed = Object.entries(signedHeaders({ id, body }, secrets, wall)).flat();
  return {
    url: withoutFragment(url),
    headers: ['content-type', 'application/json', 'user-agent', 'understudy/0.1', ...signed, ...credentialsOf(url)],
    body: Buffer.from(body, 'utf8'),
    connectTimeoutMs: CONNECT_MS,
    proxy: null,
    guard,
  };
}

function withoutFragment(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search}`;
}

function credentialsOf(url: string): string[] {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return [];
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return ['authorization', `Basic ${Buffer.from(pair).toString('base64')}`];
}

function textOf(chunks: readonly Uint8Array[]): string | null {
  const text = Buffer.concat(chunks).toString('utf8');
  const shown = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ').trim();
  return shown === '' ? null : shown;
}

/** Seconds or a date; null = none, or none that can be read. */
function retryAfter(header: string | undefined, wall: number): number | null {
  if (header === undefined) return null;
  const ms = /^\s*\d{1,9}\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - wall;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

const WORDS: Readonly<Record<TransportFault['kind'], string>> = {
  dns: 'its host name could not be resolved',
  refused: 'it refused the connection',
  tls: 'the TLS handshake failed',
  unreachable: 'its host is unreachable',
  forbidden: 'its address is not a public one',
  connect_timeout: `no connection within ${CONNECT_MS / 1000} s`,
  reset: 'it closed the connection without an answer',
  garbled: 'its answer could not be read',
  aborted: 'the gateway stopped',
};
