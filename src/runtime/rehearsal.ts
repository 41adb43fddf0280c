/**
 * A failure made on purpose: what a transport would tell of an upstream that fails so, without a connection. The
 * attempt reads and classifies it like a real one; no byte of the request leaves the process.
 */
import type { Rehearsal, RehearsedFault, RehearsedStatus } from '../core/request/rehearsal.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { Transport, UpstreamCall, UpstreamHandler } from '../ports/transport.ts';

/** Calls nobody: every call fails as the rehearsal says. */
export function rehearsedTransport(rehearsal: Rehearsal, clock: Pick<Clock, 'after'>): Transport {
  return {
    call: (_request, handler) => new RehearsedCall(rehearsal, clock, handler),
    close: () => Promise.resolve(),
  };
}

class RehearsedCall implements UpstreamCall {
  /** As a real call would have it: decides what may have been executed (F-2). */
  readonly sent: boolean;
  readonly #cancel: Cancel;

  constructor({ failure, delayMs }: Rehearsal, clock: Pick<Clock, 'after'>, handler: UpstreamHandler) {
    this.sent = failure !== 'refused' && failure !== 'connect_timeout';
    this.#cancel = failure === 'timeout' ? () => undefined : clock.after(delayMs, () => play(failure, handler));
  }

  abort(): void {
    this.#cancel();
  }

  resume(): void {}
}

function play(failure: RehearsedStatus | Exclude<RehearsedFault, 'timeout'>, handler: UpstreamHandler): void {
  switch (failure) {
    case 'refused':
    case 'connect_timeout':
      handler.onFault({ kind: failure });
      return;
    case 'reset':
      handler.onFault({ kind: 'reset', sent: true, reused: false });
      return;
    case 'malformed':
      answer(handler, 200, { 'content-type': 'text/html' }, '<!doctype html><title>Rehearsed</title>');
      return;
    default:
      answer(handler, failure.status, headersOf(failure), JSON.stringify(errorOf(failure)));
  }
}

function headersOf({ retryAfterS }: RehearsedStatus): Record<string, string> {
  const type = { 'content-type': 'application/json' };
  return retryAfterS === null ? type : { ...type, 'retry-after': String(retryAfterS) };
}

/** The client may see these words: they say that nothing is wrong. */
function errorOf({ code }: RehearsedStatus): object {
  return { error: { message: 'rehearsed by X-Understudy-Rehearse', type: 'rehearsed', param: null, code } };
}

function answer(handler: UpstreamHandler, status: number, headers: Record<string, string>, body: string): void {
  handler.onHead(status, headers);
  handler.onData(Buffer.from(body));
  handler.onEnd();
}
