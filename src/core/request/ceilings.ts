/** A workspace's and a key's bounds on what a request may ask (C-3, C-4): numbers are clamped, policies refused. */
import { POLICY_NAMES, type PolicyName } from '../failover/policy.ts';
import type { Ceilings } from './redundancy-types.ts';

/** The numbers a ceiling bounds, by their names on the wire. */
export const BOUNDED = [
  'max_attempts',
  'retries',
  'deadline_ms',
  'timeout_ms',
  'max_wait_ms',
  'max_cost_usd',
  'max_held_bytes',
] as const;
export type BoundedField = (typeof BOUNDED)[number];

/** One number the ceilings changed, as the record shows it. */
export interface Clamp {
  readonly field: string;
  readonly asked: number;
  readonly given: number;
}

/** The bounds of several owners at once: of each the strictest. */
export interface Bounds {
  readonly numbers: Readonly<Partial<Record<BoundedField, number>>>;
  /** Policies that every owner allows; null = no owner restricts them. */
  readonly policies: ReadonlySet<PolicyName> | null;
}

export function strictest(owners: readonly Ceilings[]): Bounds {
  const numbers: Partial<Record<BoundedField, number>> = {};
  let policies: ReadonlySet<PolicyName> | null = null;
  for (const owner of owners) {
    for (const field of BOUNDED) {
      const limit = owner[field];
      if (limit !== undefined) numbers[field] = Math.min(limit, numbers[field] ?? limit);
    }
    if (owner.policies !== undefined) policies = allowedBy(owner.policies, policies);
  }
  return { numbers, policies };
}

function allowedBy(names: readonly string[], others: ReadonlySet<PolicyName> | null): ReadonlySet<PolicyName> {
  return new Set(POLICY_NAMES.filter((name) => names.includes(name) && (others === null || others.has(name))));
}

/** Most careful first: what a request gets when nobody asked and the default is not allowed. */
const CAREFUL_FIRST: readonly PolicyName[] = ['strict', 'standard', 'permissive'];

/** The default policy if the bounds allow it, else the most careful one they do. Owners who agree on none get strict. */
export function boundPolicy(wanted: PolicyName, { policies }: Bounds): PolicyName {
  if (policies === null || policies.has(wanted)) return wanted;
  return CAREFUL_FIRST.find((name) => policies.has(name)) ?? 'strict';
}

/** A number within its bound. */
export function bounded(field: BoundedField, value: number, { numbers }: Bounds): number {
  const limit = numbers[field];
  return limit === undefined ? value : Math.min(value, limit);
}
