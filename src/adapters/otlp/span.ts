/** Spans as OTLP has them in JSON (protocol buffers' JSON mapping; ids in hex, 64-bit numbers as text). */

export type AttributeValue = string | number | boolean;

/** `kind`: 2 = a server's, 3 = a client's. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 1 | 2 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status: { readonly code: 0 | 1 | 2; readonly message?: string };
  readonly flags: number;
}

export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: number }
  | { readonly doubleValue: number };

export const INTERNAL = 1;
export const SERVER = 2;
export const CLIENT = 3;

export const UNSET = 0;
export const FAILED = 2;

/** Longest text of an attribute; what an upstream wrote can be long. */
const MAX_TEXT = 1024;

/** Null and undefined are left out. */
export function attributesOf(values: Readonly<Record<string, AttributeValue | null | undefined>>): KeyValue[] {
  const list: KeyValue[] = [];
  for (const [key, value] of Object.entries(values)) if (value != null) list.push({ key, value: anyValue(value) });
  return list;
}

function anyValue(value: AttributeValue): AnyValue {
  if (typeof value === 'string') return { stringValue: value.slice(0, MAX_TEXT) };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
}

/** A figure that is a fraction by its nature, whole or not. */
export function fraction(key: string, value: number | null): KeyValue[] {
  return value === null ? [] : [{ key, value: { doubleValue: value } }];
}

/** Wall ms → nanoseconds as text. A microsecond is as exact as a number of that size is. */
export function nanos(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}

/** The body of one export. */
export function exportBody(resource: readonly KeyValue[], spans: readonly Span[]): string {
  const scope = { name: 'understudy' };
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope, spans }] }] });
}
