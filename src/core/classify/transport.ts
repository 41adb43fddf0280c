/** Failures without an answer: the connection's and the clock's (F-2, F-4, F-6). */
import type { Failure, FailureClass, Phase } from '../failure.ts';
import { makeFailure } from '../failure.ts';

/** Why the connection or the body failed, before classification. */
export type TransportFault =
  | { readonly kind: 'dns' | 'refused' | 'tls' | 'connect_timeout' | 'unreachable' }
  /** The address is not public, and the operator does not allow it (G-9): no connection was made. */
  | { readonly kind: 'forbidden' }
  /** Reset or closed. `sent`: the request had gone out completely; `reused`: on a kept-alive connection before any answer. */
  | { readonly kind: 'reset'; readonly sent: boolean; readonly reused: boolean }
  /** The answer's framing or content-encoding is broken. */
  | { readonly kind: 'garbled'; readonly detail: string }
  | { readonly kind: 'aborted' };

/** A timer of the gateway ran out (T-3). */
export type TimeoutFault = {
  readonly kind: 'first_token_timeout' | 'total_timeout' | 'idle_timeout' | 'stall_timeout' | 'connect_timeout';
};

/** What the answer had said by then, if it had begun. */
export interface BrokenAnswer {
  readonly status: number | null;
  readonly requestId?: string | null;
}

const MESSAGES: Readonly<Record<TransportFault['kind'] | TimeoutFault['kind'], string>> = {
  dns: 'the upstream host name could not be resolved',
  refused: 'the upstream refused the connection',
  tls: 'the TLS handshake with the upstream failed',
  unreachable: 'the upstream host is unreachable',
  forbidden: 'the upstream address is not a public one',
  connect_timeout: 'no connection to the upstream within the connect timeout',
  reset: 'the upstream closed the connection',
  garbled: 'the upstream answer could not be decoded',
  aborted: 'the call was aborted by the gateway',
  first_token_timeout: 'no content from the upstream within the first-token timeout',
  total_timeout: 'the upstream did not finish within the timeout',
  idle_timeout: 'the upstream sent nothing within the idle timeout',
  stall_timeout: 'the upstream sent no content within the stall timeout',
};

interface Verdict {
  readonly class: FailureClass;
  readonly maybeExecuted: boolean;
  readonly connectionLost: boolean;
}

/** Only an answer that had begun, or a request that was sent in full, can have been executed. */
function wasSent(phase: Phase): boolean {
  return phase !== 'unsent';
}

function resetVerdict(sent: boolean, reused: boolean, phase: Phase): Verdict {
  const answered = phase === 'headers' || phase === 'body' || phase === 'committed';
  if (answered) return { class: 'server_error', maybeExecuted: true, connectionLost: true };
  // A kept-alive connection that dies under the request: usually the peer's idle close, but it may have read us.
  if (reused) return { class: 'connection_error', maybeExecuted: true, connectionLost: true };
  if (sent) return { class: 'server_error', maybeExecuted: true, connectionLost: true };
  return { class: 'connection_error', maybeExecuted: false, connectionLost: true };
}

function verdictOf(fault: TransportFault | TimeoutFault, phase: Phase): Verdict {
  switch (fault.kind) {
    case 'dns':
    case 'refused':
    case 'tls':
    case 'unreachable':
    case 'forbidden':
      return { class: 'connection_error', maybeExecuted: false, connectionLost: false };
    case 'connect_timeout':
      return { class: 'timeout', maybeExecuted: false, connectionLost: false };
    case 'reset':
      return resetVerdict(fault.sent, fault.reused, phase);
    case 'garbled':
      return { class: 'malformed', maybeExecuted: wasSent(phase), connectionLost: false };
    case 'aborted':
      return { class: 'client_closed', maybeExecuted: wasSent(phase), connectionLost: false };
    case 'first_token_timeout':
    case 'total_timeout':
    case 'idle_timeout':
    case 'stall_timeout':
      return { class: 'timeout', maybeExecuted: wasSent(phase), connectionLost: false };
  }
}

/**
 * Classifies a failure that is no answer: nothing came, it broke off, or a timer ended it.
 * `phase` is how far the attempt had got; `answer` what its head had said, if there was one.
 */
export function classifyTransport(
  fault: TransportFault | TimeoutFault,
  phase: Phase,
  answer: BrokenAnswer | null = null,
): Failure {
  const verdict = verdictOf(fault, phase);
  return makeFailure({
    class: verdict.class,
    // The detail of a decoder is a library's own words about bytes: not shown, it may quote the answer.
    message: MESSAGES[fault.kind],
    maybeExecuted: verdict.maybeExecuted,
    connectionLost: verdict.connectionLost,
    connectTimeout: fault.kind === 'connect_timeout',
    phase: fault.kind === 'connect_timeout' ? 'unsent' : phase,
    status: answer?.status ?? null,
    requestId: answer?.requestId ?? null,
  });
}
