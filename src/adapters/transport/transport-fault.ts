/** From Node's and undici's errors to the port's faults: the one place that knows their codes. */
import type { TransportFault } from '../../ports/transport.ts';

/** What the socket knew when it broke. */
export interface SocketFacts {
  /** Bytes ever came back on the connection: before any answer to this call it means it was kept alive (F-2). */
  readonly answered: boolean;
  /** Bytes of the request still in our own buffer. */
  readonly unsent: boolean;
}

/** Filled by the connector, read here; weak, so that an error nobody keeps costs nothing. */
export const socketFacts = new WeakMap<object, SocketFacts>();

const KINDS: Readonly<Record<string, 'dns' | 'refused' | 'connect_timeout' | 'unreachable' | 'forbidden'>> = {
  FORBIDDEN_ADDRESS: 'forbidden',
  TUNNEL_REFUSED: 'unreachable',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  ENODATA: 'dns',
  ECONNREFUSED: 'refused',
  EACCES: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EMFILE: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  // A proxy that never answered CONNECT: for answers of upstreams undici has no limit of its own.
  UND_ERR_HEADERS_TIMEOUT: 'connect_timeout',
  ERR_INVALID_URL: 'unreachable',
  UND_ERR_INVALID_ARG: 'unreachable',
};

/**
 * @param sent the request's bytes were handed to the socket
 * @param headed the answer's head had arrived
 */
export function transportFault(error: unknown, sent: boolean, headed: boolean): TransportFault {
  const first = firstOf(error);
  const code = codeOf(first);
  const kind = KINDS[code];
  if (kind !== undefined && !headed) return { kind };
  if (isTls(code, first) && !sent) return { kind: 'tls' };
  if (isNotHttp(code, first)) return { kind: 'garbled', detail: 'the answer is not HTTP' };
  const facts = typeof first === 'object' && first !== null ? socketFacts.get(first) : undefined;
  return {
    kind: 'reset',
    sent: sent && !(facts?.unsent ?? false),
    reused: !headed && sent && (facts?.answered ?? undiciAnswered(first)),
  };
}

/** Codes of answers whose framing undici refuses: the connection did not break, it was closed because of them. */
const NOT_HTTP: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);
/** Said of a 100 or 101 that nobody asked for. */
const NOT_AN_ANSWER = /^bad (?:response|upgrade)$/;

function isNotHttp(code: string, error: unknown): boolean {
  if (code.startsWith('HPE_') || NOT_HTTP.has(code)) return true;
  if (!(error instanceof Error)) return false;
  return error.name === 'HTTPParserError' || (code === 'UND_ERR_SOCKET' && NOT_AN_ANSWER.test(error.message));
}

/** Happy eyeballs reports an AggregateError: its first member tells. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? (error.errors[0] as unknown) : error;
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

function isTls(code: string, error: unknown): boolean {
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code.startsWith('CERT_')) return true;
  if (code === 'EPROTO' || code.includes('SELF_SIGNED') || code.startsWith('UNABLE_TO_')) return true;
  if (code === 'DEPTH_ZERO_SELF_SIGNED_CERT' || code.includes('CERT')) return true;
  return code === 'ECONNRESET' && error instanceof Error && error.message.includes('before secure TLS');
}

/** A peer that closed cleanly has no socket error; undici's own then carries the socket's figures. */
function undiciAnswered(error: unknown): boolean {
  const socket = (error as { socket?: { bytesRead?: unknown } } | null)?.socket;
  return typeof socket?.bytesRead === 'number' && socket.bytesRead > 0;
}
