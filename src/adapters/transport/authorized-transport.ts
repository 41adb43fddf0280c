/**
 * Does what has to be done between a request and its sending: waits for what its body needs, signs the call or gets it a
 * token, and says of its last bytes what only they can tell (G-5). All of it happens behind the call's handle, before
 * anything is sent; nothing is ever sent twice.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import type {
  Transport,
  UnsentAnswer,
  UploadBody,
  UpstreamCall,
  UpstreamHandler,
  UpstreamRequest,
} from '../../ports/transport.ts';
import type { SigningOrder } from '../../providers/auth.ts';
import type { AccessTokens } from '../access-tokens/access-tokens.ts';
import { TokenRefused } from '../access-tokens/token-refused.ts';
import { Sigv4 } from './sigv4.ts';

export function authorizedTransport(inner: Transport, tokens: AccessTokens, clock: Clock): Transport {
  const sigv4 = new Sigv4();

  async function prepared(request: UpstreamRequest, isWanted: () => boolean): Promise<UpstreamRequest | UnsentAnswer> {
    const { before, sign, entitle, ...plain } = request;
    const body = before === undefined ? plain.body : await before();
    if ('status' in body) return body;
    const ready = { ...plain, body };
    const signed = sign === undefined ? NOTHING : await headersFor(ready, sign);
    // Last of all: what it says of the time is to be true when the call is sent.
    const entitled = entitle === undefined ? NOTHING : entitle(await bodySha256(body, isWanted));
    return { ...ready, headers: [...plain.headers, ...signed, ...entitled] };
  }

  async function headersFor(request: UpstreamRequest, order: SigningOrder): Promise<string[]> {
    if (order.kind === 'service-account') return ['authorization', `Bearer ${await tokens.tokenFor(order, request)}`];
    const { body } = request;
    if (!(body instanceof Uint8Array)) throw new Error('only bodies in memory are signed');
    return await sigv4.headers(request.url, body, order, clock.wall());
  }

  return {
    call(request, handler) {
      const { sign, before, entitle } = request;
      if (sign === undefined && before === undefined && entitle === undefined) return inner.call(request, handler);
      const call = new CallInWaiting(inner, handler);
      prepared(request, () => !call.isAborted).then(
        (ready) => ('status' in ready ? call.answer(ready) : call.go(ready)),
        (error: unknown) => call.fail(error),
      );
      return call;
    },
    close: () => inner.close(),
  };
}

const NOTHING: readonly string[] = [];

/** Of all bytes that will be sent; an upload is read once for it. Rejects when nobody wants it any more. */
async function bodySha256(body: Uint8Array | UploadBody, isWanted: () => boolean): Promise<string> {
  const hash = createHash('sha256');
  if (body instanceof Uint8Array) return hash.update(body).digest('hex');
  for await (const bytes of body.open()) {
    if (!isWanted()) throw new Error('the call was broken off');
    hash.update(bytes);
  }
  return hash.digest('hex');
}

/** The handle of a call that is not made yet. */
class CallInWaiting implements UpstreamCall {
  readonly #inner: Transport;
  readonly #handler: UpstreamHandler;
  #call: UpstreamCall | null = null;
  #aborted = false;
  /** The end of an answer of our own waits for the reader. */
  #ending: (() => void) | null = null;

  constructor(inner: Transport, handler: UpstreamHandler) {
    this.#inner = inner;
    this.#handler = handler;
  }

  get sent(): boolean {
    return this.#call?.sent ?? false;
  }

  get isAborted(): boolean {
    return this.#aborted;
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

  go(request: UpstreamRequest): void {
    if (!this.#aborted) this.#call = this.#inner.call(request, this.#handler);
  }

  /** A token that was refused reads like an upstream's own 401; else nobody was reached, and nothing was sent. */
  fail(error: unknown): void {
    if (this.#aborted) return;
    if (error instanceof TokenRefused) this.answer({ status: 401, body: error.body() });
    else this.#handler.onFault({ kind: 'refused' });
  }

  answer({ status, body }: UnsentAnswer): void {
    if (this.#aborted) return;
    this.#handler.onHead(status, { 'content-type': 'application/json' });
    if (this.#aborted) return;
    const goesOn = this.#handler.onData(body);
    if (this.#aborted) return;
    if (goesOn) this.#handler.onEnd();
    else this.#ending = () => this.#handler.onEnd();
  }
}
