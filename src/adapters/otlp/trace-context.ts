/** W3C trace context: the trace a request belongs to, and whether it is recorded. */
import { createHash } from 'node:crypto';

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const HEADER = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Null for none, and for one that breaks the rules: it counts as if it had not come. */
export function readTraceParent(header: string | null): TraceParent | null {
  const [, version, traceId, spanId, flags, more] = HEADER.exec(header?.trim() ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId!) || /^0+$/.test(spanId!)) return null;
  return { traceId: traceId!, spanId: spanId!, isSampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

/**
 * Ids follow from ours, so that whatever tells of a request twice tells of the same span, and a trace is found by its
 * request. Of `req_` and 32 hex digits, the last 20 of them random, they are a part; of another id a hash.
 */
export function traceIdOf(requestId: string): string {
  return digitsOf(requestId);
}

/** @param no of the attempt; 0 = the request's own span */
export function spanIdOf(requestId: string, no: number): string {
  return digitsOf(requestId).slice(-14) + (no % 256).toString(16).padStart(2, '0');
}

const OWN_ID = /^req_([0-9a-f]{32})$/;

function digitsOf(requestId: string): string {
  return OWN_ID.exec(requestId)?.[1] ?? createHash('sha256').update(requestId).digest('hex').slice(0, 32);
}

/** Whether the spans of a request are sent. */
export type Sampler = (traceId: () => string, parent: TraceParent | null) => boolean;

/** @param share of all traces, 0 to 1 */
export function ratioSampler(share: number): Sampler {
  const bound = share * 2 ** 32;
  return (traceId) => share >= 1 || (share > 0 && Number.parseInt(traceId().slice(-8), 16) < bound);
}

/** What the caller decided holds; `root` decides where there is none. */
export function parentBased(root: Sampler): Sampler {
  return (traceId, parent) => (parent === null ? root(traceId, parent) : parent.isSampled);
}
