/**
 * Shows credentials that are more than a header: signs the call, or gets it a token first. All of it happens behind the
 * call's handle, before anything is sent; nothing is ever sent twice.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Transport, UpstreamCall, UpstreamHandler, UpstreamRequest } from '../../ports/transport.ts';
import type { SigningOrder } from '../../providers/auth.ts';
import type { AccessTokens } from '../access-tokens/access-tokens.ts';
import { TokenRefused } from '../access-tokens/token-refused.ts';
import { Sigv4 } from './sigv4.ts';

export function authorizedTransport(inner: Transport, tokens: AccessTokens, clock: Clock): Transport {
  const sigv4 = new Sigv4();

  async function headersFor(request: UpstreamRequest, order: SigningOrder): Promise<string[]> {
    if (order.kind === 'service-account') return ['authorization', `Bearer ${await tokens.tokenFor(order, request)}`];
    const { body } = request;
    if (!(body instanceof Uint8Array)) throw new Error('only bodies in memory are signed');
    return await sigv4.headers(request.url, body, order, clock.wall());
  }

  return {
    call(request, handler) {
      const { sign, ...unsigned } = request;
      if (sign === undefined) return inner.call(request, handler);
      const call = new CallInWaiting(inner, unsigned, handler);
      headersFor(unsigned, sign).then(
        (headers) => call.go(headers),
        (error: unknown) => call.fail(error),
      );
      return call;
    },
    close: () => inner.close(),
  };
}

/** The handle of a call that is not made yet. */
class CallInWaiting implements UpstreamCall {
  readonly #inner: Transport;
  readonly #request: UpstreamRequest;
  readonly #handler: UpstreamHandler;
  #call: UpstreamCall | null = null;
  #aborted = false;
  /** The end of an answer of our own waits for the reader. */
  #ending: (() => void) | null = null;

  constructor(inner: Transport, request: UpstreamRequest, handler: UpstreamHandler) {
    this.#inner = inner;
    this.#request = request;
    this.#handler = handler;
  }

  get sent(): boolean {
    return this.#call?.sent ?? false;
  }

  abort(): void {
    this.#aborted = true;
    this.#ending = null;
    this.#call?.abort();
  }

  resume(): void {
    const ending = this.#ending;
    this.#ending = null;
    if (ending !== null) ending();
    else this.#call?.resume();
  }

  go(headers: readonly string[]): void {
    if (this.#aborted) return;
    const request = { ...this.#request, headers: [...this.#request.headers, ...headers] };
    this.#call = this.#inner.call(request, this.#handler);
  }

  /** A token that was refused reads like an upstream's own 401; else nobody was reached, and nothing was sent. */
  fail(error: unknown): void {
    if (this.#aborted) return;
    if (!(error instanceof TokenRefused)) {
      this.#handler.onFault({ kind: 'refused' });
      return;
    }
    this.#handler.onHead(401, { 'content-type': 'application/json' });
    if (this.#aborted) return;
    const goesOn = this.#handler.onData(error.body());
    if (this.#aborted) return;
    if (goesOn) this.#handler.onEnd();
    else this.#ending = () => this.#handler.onEnd();
  }
}
