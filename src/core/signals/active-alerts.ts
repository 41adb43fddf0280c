/** Alerts are told once when they begin and once when they are over, not with every look (O-4). */
import type { Finding } from './evaluate.ts';

export interface ActiveAlert extends Finding {
  /** Wall ms at which it began, and at which it was last seen. */
  readonly since: number;
  readonly lastSeen: number;
}

export interface AlertChange {
  readonly active: readonly ActiveAlert[];
  readonly raised: readonly ActiveAlert[];
  readonly resolved: readonly ActiveAlert[];
}

/**
 * The alerts that are on after one more look.
 * @param quietMs how long each must not have been seen before it is over
 */
export function afterLook(
  before: readonly ActiveAlert[],
  findings: readonly Finding[],
  now: number,
  quietMs: (alert: ActiveAlert) => number,
): AlertChange {
  const known = new Map(before.map((alert) => [keyOf(alert), alert]));
  const raised: ActiveAlert[] = [];
  const active: ActiveAlert[] = [];
  for (const finding of findings) {
    const key = keyOf(finding);
    const old = known.get(key);
    known.delete(key);
    const alert = { ...finding, since: old?.since ?? now, lastSeen: now };
    active.push(alert);
    if (old === undefined) raised.push(alert);
  }
  const resolved: ActiveAlert[] = [];
  for (const alert of known.values()) (now - alert.lastSeen >= quietMs(alert) ? resolved : active).push(alert);
  return { active, raised, resolved };
}

/** Two alerts of one key are the same alert. */
export function keyOf({ name, subject }: Pick<Finding, 'name' | 'subject'>): string {
  return `${name} ${subject ?? ''}`;
}
