/** Sends one webhook message once, over the transport that upstream calls use: nothing there resends or follows redirects. */
import { headerWait, serverNow } from '../../core/classify/waits.ts';
import { TRY_TIMEOUT_MS } from '../../core/signals/delivery-plan.ts';
import type { Clock } from '../../ports/clock.ts';
import type { WebhookAnswer, WebhookMessage, WebhookSender } from '../../ports/events.ts';
import type { Transport, UpstreamRequest } from '../../ports/transport.ts';
import { wholeCall, wordsOf } from '../../ports/whole-call.ts';
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

async function send({ transport, clock }: SenderParts, message: WebhookMessage): Promise<WebhookAnswer> {
  if (!URL.canParse(message.url)) {
    return { status: null, answer: 'its address cannot be read', retryAfterMs: null, tookMs: 0 };
  }
  const began = clock.now();
  const wall = clock.wall();
  // What it says beyond is not waited for: its status is what counts.
  const limits = { timeoutMs: TRY_TIMEOUT_MS, mostBytes: SHOWN_BYTES, isEnough: isRedirect };
  const { status, headers, bytes, fault } = await wholeCall({ transport, clock }, requestFor(message, wall), limits);
  const tookMs = Math.round(clock.now() - began);
  if (status === null) {
    const answer = wordsOf(fault, { timeoutMs: TRY_TIMEOUT_MS, connectMs: CONNECT_MS });
    return { status, answer, retryAfterMs: null, tookMs };
  }
  const retryAfterMs = headerWait(headers, serverNow(headers, clock.wall()))?.ms ?? null;
  const answer = isRedirect(status) ? 'it redirects elsewhere; redirects are not followed' : textOf(bytes);
  return { status, answer, retryAfterMs, tookMs };
}

function isRedirect(status: number): boolean {
  return status >= 300 && status <= 399;
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

function textOf(bytes: Buffer): string | null {
  const shown = bytes
    .toString('utf8')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ')
    .trim();
  return shown === '' ? null : shown;
}
