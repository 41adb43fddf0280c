/** Headers the client gets: R-1's, content's and nothing of the upstream's (G-10). */
import type { ClientDialectName } from '../core/wire-names.ts';
import type { HeaderList } from './delivery.ts';

/** What R-1 names. */
export interface Identity {
  readonly requestId: string;
  /** A valid id the client sent, echoed. */
  readonly clientRequestId: string | null;
  /** The header in which the dialect's own clients look for the id, beside `x-request-id`. */
  readonly idHeader?: string | null;
  /** The client's header as it came: its trace is gone on with, here and nowhere upstream (O-3, G-10). */
  readonly traceparent?: string | null;
  /** `x-ratelimit-*` of a caller with limits, once it is known (G-11). */
  rateLimit?: HeaderList;
}

/** The served answer's R-1 headers. */
export interface ServedFacts {
  readonly servedModel: string;
  readonly attempts: number;
  readonly degraded: boolean;
}

/** on every answer, good or bad. A list of its own, to be added to. */
export function identityHeaders(identity: Identity): HeaderList {
  const list = ['x-request-id', identity.requestId];
  if (identity.idHeader != null) list.push(identity.idHeader, identity.requestId);
  if (identity.clientRequestId !== null) list.push('x-client-request-id', identity.clientRequestId);
  if (identity.rateLimit !== undefined) list.push(...identity.rateLimit);
  return list;
}

/** on an answer that a model gave. */
export function servedHeaders(identity: Identity, facts: ServedFacts): HeaderList {
  const list = identityHeaders(identity);
  list.push(
    'x-understudy-served-model',
    headerSafe(facts.servedModel),
    'x-understudy-attempts',
    String(facts.attempts),
    'x-understudy-degraded',
    facts.degraded ? 'true' : 'false',
  );
  return list;
}

/** What a stream is unless its dialect says otherwise. */
export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** Appends what makes a response a stream that no proxy on the way buffers. */
export function withStreamHeaders(list: HeaderList, type: string): HeaderList {
  list.push('content-type', type, 'cache-control', 'no-cache', 'x-accel-buffering', 'no');
  return list;
}

/** Appends type and length (bytes) of a whole body; gives the same list. */
export function withBodyHeaders(list: HeaderList, type: string, length: number): HeaderList {
  list.push('content-type', type, 'content-length', String(length));
  return list;
}

/** Appends type and length (bytes) of a JSON body; gives the same list. */
export function withJsonHeaders(list: HeaderList, length: number): HeaderList {
  return withBodyHeaders(list, 'application/json', length);
}

/** where clients of this dialect look for the id beside `x-request-id`; null = nowhere. */
export function idHeaderOf(dialect: ClientDialectName): string | null {
  return dialect === 'anthropic' ? 'request-id' : null;
}

/** A model id may hold any text; a header may not. Anything but visible ASCII is percent-encoded. */
export function headerSafe(value: string): string {
  return /^[\x21-\x7e]*$/.test(value) ? value : encodeURIComponent(value);
}

/** a client's own id is echoed when it is at most 128 visible ASCII characters. */
export function validClientRequestId(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && value.length > 0 && value.length <= 128 && /^[\x21-\x7e]+$/.test(value)
    ? value
    : null;
}

/** Errors name the attempts made, so that a client sees how hard was tried without reading the body. */
export function errorHeaders(
  identity: Identity,
  rendered: Readonly<Record<string, string>>,
  attempts: number,
): HeaderList {
  const list = identityHeaders(identity);
  for (const [name, value] of Object.entries(rendered)) if (name !== identity.idHeader) list.push(name, value);
  list.push('x-understudy-attempts', String(attempts), 'x-understudy-degraded', 'false');
  return list;
}
