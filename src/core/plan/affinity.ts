/**
 * Which channel a caller stays on (P-2's affinity): its first healthy one, for ten minutes, so that what the provider
 * has cached for it is found again. Then it is chosen anew.
 */

import { RecentMap } from './recent-map.ts';

/** What a plan asks and tells. `caller`: workspace, model and what the caller is known by. */
export interface AffinityMemory {
  /** The channel (`MODEL#ID`) the caller is kept on; null = none. */
  channelOf(caller: string, now: number): string | null;
  keep(caller: string, channel: string, now: number): void;
}

export const KEPT_MS = 600_000;
/** Callers remembered at least; of more, those that were not seen for longest are chosen anew. */
const CALLERS = 5000;
/** Longer marks than any API allows are no marks: they come from clients and are kept in memory. */
export const MAX_MARK = 512;

interface Kept {
  readonly channel: string;
  /** Monotonic ms. */
  readonly until: number;
}

export class Affinity implements AffinityMemory {
  readonly #callers = new RecentMap<Kept>(CALLERS);

  channelOf(caller: string, now: number): string | null {
    const kept = this.#callers.get(caller);
    if (kept === undefined || kept.until > now) return kept?.channel ?? null;
    this.#callers.delete(caller);
    return null;
  }

  /** The ten minutes count from the first time: a busy caller is chosen anew as well. */
  keep(caller: string, channel: string, now: number): void {
    if (this.#callers.peek(caller)?.channel === channel) return;
    this.#callers.set(caller, { channel, until: now + KEPT_MS });
  }

  /** What is known, without learning anything. */
  standing(): AffinityMemory {
    return {
      channelOf: (caller, now) => {
        const kept = this.#callers.peek(caller);
        return kept === undefined || kept.until <= now ? null : kept.channel;
      },
      keep: () => undefined,
    };
  }
}
