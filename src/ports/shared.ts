/**
 * What replicas share without a promise (H-4): room in limits, cooldowns, circuits, who probes. Hints: losing them makes
 * the gateway less fair, never wrong. Every method is total: none throws or rejects. Nobody who serves a request waits for
 * an answer longer than `SHARED_MS`.
 */

import type { HealthNews } from '../core/health/news.ts';
import type { LimitScope } from '../core/limits/limits.ts';
import type { BlockAsk, BlockGrant } from '../core/limits/room.ts';

/** Beyond this a replica decides by what it knows: ms. */
export const SHARED_MS = 250;

/** One per process, only where it is configured. */
export interface Shared {
  /** False = out of reach: every replica goes by what it knows itself. */
  readonly up: boolean;
  readonly limits: SharedLimits;
  readonly news: NewsWire;
  readonly probes: SharedProbes;
  /** Called with each change of `up`. */
  onChange(hear: (up: boolean) => void): void;
  close(): Promise<void>;
}

export interface SharedLimits {
  /** One grant per ask, in their order; a late one is still good for what it says. Null = the shared state is away. */
  take(asks: readonly BlockAsk[]): Promise<readonly BlockGrant[] | null>;
  /** Nothing of it counts any more: its name has another owner. */
  forget(scope: Pick<LimitScope, 'kind' | 'id'>): void;
}

/** Something that has just happened at one replica and concerns the others. Lengths in ms from the moment it is told. */
export type News =
  | HealthNews
  /** A client key rests, or is banned since (wall ms), or may call again (G-6). */
  | { readonly kind: 'suspended'; readonly key: string; readonly forMs: number }
  | { readonly kind: 'banned'; readonly key: string; readonly since: number }
  | { readonly kind: 'lifted'; readonly key: string }
  /** A key of this name is a new one: nothing of its namesake is its own (G-8). */
  | { readonly kind: 'afresh'; readonly key: string }
  /** A request of this key failed, or its client left, after so many upstream calls (D-7). */
  | {
      readonly kind: 'unanswered';
      readonly key: string;
      readonly fingerprint: number;
      readonly calls: number;
      readonly failed: boolean;
    }
  /** The same request has succeeded since: its next repeat is a new wish. */
  | { readonly kind: 'answered'; readonly key: string; readonly fingerprint: number };

export interface NewsWire {
  /** While the shared state is away, what still holds then is told when it is back. */
  tell(news: News): void;
  /** Others’ news only. After every connection first all that holds at that moment. */
  hear(listener: (news: News) => void): void;
}

/** The one probe of a half-open circuit among all replicas (H-1). */
export interface SharedProbes {
  /** Whether this replica may make it, within `SHARED_MS`; null = nobody can say: yes, one per replica. */
  take(channel: string): Promise<boolean | null>;
  /** It is over, whatever it showed. */
  end(channel: string): void;
}
