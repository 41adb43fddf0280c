/** What the address filters the log by, and how the API is asked for it. Pure. */
import type { paths } from '../../api/schema.d.ts';

/** Names in the address. The workspace is the shell's. */
export const FILTER_NAMES = [
  'range',
  'from',
  'to',
  'key',
  'model',
  'status',
  'outcome',
  'failover',
  'degraded',
  'idempotency',
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];
export type FilterValues = Readonly<Record<FilterName, string>>;

/** Presets of the time range, with their lengths. */
export const RANGES = {
  '15m': 15 * 60_000,
  '1h': 60 * 60_000,
  '6h': 6 * 60 * 60_000,
  '24h': 24 * 60 * 60_000,
  '7d': 7 * 24 * 60 * 60_000,
  '30d': 30 * 24 * 60 * 60_000,
} as const;
export type Range = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as Range[];

/** Filters that lie behind „more“. */
export const RARER: readonly FilterName[] = ['status', 'failover', 'degraded', 'idempotency'];

export type ListQuery = NonNullable<paths['/admin/v1/requests']['get']['parameters']['query']>;

function isRange(name: string): name is Range {
  return Object.hasOwn(RANGES, name);
}

/** Whether a time was given exactly, or is about to be. */
export function isExact({ range, from, to }: FilterValues): boolean {
  return range === 'exact' || from !== '' || to !== '';
}

/** As the API takes it. What it cannot read it refuses by name, so everything goes along as it stands. */
export function queryOf(values: FilterValues, workspace: string | null, now: number): ListQuery {
  const { range, from, to } = values;
  const since = isRange(range) && !isExact(values) ? new Date(now - RANGES[range]).toISOString() : from;
  const given: Record<string, string> = {
    from: since,
    to,
    workspace: workspace ?? '',
    key: values.key,
    model: values.model,
    status: values.status,
    outcome: values.outcome,
    failover: values.failover,
    degraded: values.degraded,
    idempotency: values.idempotency,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')) as ListQuery;
}

/** An instant as a field for local times shows it: `2026-11-29T03:12:45`. */
export function localOf(iso: string): string {
  const at = Date.parse(iso);
  if (!Number.isFinite(at)) return '';
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** What such a field holds, as an instant; half-typed it is none. */
export function instantOf(local: string): string {
  const at = new Date(local).getTime();
  return local === '' || !Number.isFinite(at) ? '' : new Date(at).toISOString();
}

const HASH = /^[0-9a-f]{64}$/;

/** The SHA-256 by which the log knows an idempotency key; null = this page cannot hash. */
export async function hashOfKey(text: string): Promise<string | null> {
  const typed = text.trim();
  if (typed === '' || HASH.test(typed)) return typed;
  // The browser hashes on secure pages alone.
  if (!globalThis.isSecureContext) return null;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(typed));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
