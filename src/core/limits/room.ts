/**
 * What replicas that share limits say to each other about one scope (H-4, P-4, G-11). A replica takes small blocks of
 * room ahead and decides in memory; what it has used it tells in absolute figures, so that a message lost or heard twice
 * changes nothing. Only lengths of time cross the wire, but for the starts of UTC periods.
 */
import type { NanoUsd } from '../usage/usage.ts';
import type { LimitReached, LimitScope } from './limits.ts';

/** Room in the minute’s limits and in concurrency: how many requests, tokens and requests at the same time. */
export interface Room {
  readonly requests: number;
  readonly tokens: number;
  readonly slots: number;
}

export const NO_ROOM: Room = { requests: 0, tokens: 0, slots: 0 };

/** What was used in the period that began at `start` (wall ms). */
export interface PeriodUse {
  readonly start: number;
  readonly requests: number;
  readonly tokens: number;
  readonly spend: NanoUsd;
}

/** All that one replica has of a scope at the moment it speaks. */
export interface OwnUse {
  /** Requests that run, and slots kept for the next ones. */
  readonly slots: number;
  /** Requests and tokens taken ahead and not told as used: they count in the minute and the day until then. */
  readonly idleRequests: number;
  readonly idleTokens: number;
  /** What running requests are expected to use. */
  readonly heldTokens: number;
  readonly heldSpend: NanoUsd;
  /** Settled by this process since its start, in the running periods. */
  readonly day: PeriodUse;
  readonly month: PeriodUse;
}

/** What was used in slice `slice` of the minute, or was told too much there (negative); slice 0 = now. */
export interface Correction {
  readonly slice: number;
  readonly requests: number;
  readonly tokens: number;
}

export interface BlockAsk {
  readonly scope: LimitScope;
  readonly own: OwnUse;
  /** What those who wait for it ask for together. */
  readonly need: Room;
  /** What is likely to be asked for soon: given as far as it leaves enough to the others. */
  readonly want: Room;
  /** Of the need what the first of those who wait must have; less is of no use to it. */
  readonly least: Room;
  /** Requests of the day at other replicas as far as the asking one knows. */
  readonly dayElsewhere: number;
  readonly corrections: readonly Correction[];
}

export interface BlockGrant {
  readonly got: Room;
  /** The slice of the minute that runs there. */
  readonly slice: number;
  /** What stands in the way of the least; then nothing was got. Null = nothing does. */
  readonly reached: LimitReached['limit'] | null;
  /** Ms until there may be room for it; null = nobody knows. */
  readonly freeInMs: number | null;
  /** False: the replica’s own figures were unknown there, as after a restart of the shared state. */
  readonly known: boolean;
  readonly fleet: FleetUse;
}

/** What all replicas have together, as far as the shared state knows. */
export interface FleetUse {
  /** Replicas that have spoken of the scope in the last seconds, the asking one included. */
  readonly peers: number;
  /** Of the last minute, and taken ahead. */
  readonly requests: number;
  readonly tokens: number;
  readonly slots: number;
  /** What the others have, the periods only as far as they are the asking one’s. */
  readonly others: Elsewhere;
}

/** Periods and expectations of other replicas. */
export interface Elsewhere {
  readonly heldTokens: number;
  readonly heldSpend: NanoUsd;
  readonly day: PeriodUse;
  readonly month: PeriodUse;
}
