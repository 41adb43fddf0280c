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

/** Ids come from our own, so that whatever tells of a request twice tells of the same span. */
export function traceIdOf(requestId: string): string {
  return hashed(`trace ${requestId}`, 32);
}

export function spanIdOf(id: string): string {
  return hashed(`span ${id}`, 16);
}

function hashed(text: string, digits: number): string {
  const hex = createHash('sha256').update(text).digest('hex').slice(0, digits);
  // All zeros are no id.
  return /^0+$/.test(hex) ? `${hex.slice(1)}1` : hex;
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
