/** Which targets stand and fall together when a server is at fault (D-2). */
import type { PlannedTarget } from './plan-types.ts';

/**
 * Two targets at one server: the same channel, unless a workspace's credential brings an address of its own. That one's
 * faults say nothing about the provider's server, nor the other way round.
 */
export function sameEndpoint(a: PlannedTarget, b: PlannedTarget): boolean {
  if (a.target.channel !== b.target.channel) return false;
  const apart = a.ownAddress === true || b.ownAddress === true;
  return !apart || a.target.credential === b.target.credential;
}
