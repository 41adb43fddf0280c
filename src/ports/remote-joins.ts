/**
 * Requests that wait here for a round that another process runs (I-6): who waits, and the bytes of a stream on their way
 * to them. Everything may be lost but the stored answer itself; whoever waits also looks at the key by itself.
 */
import type { KeyRef } from '../core/idempotency/key-row.ts';

/** What a leader's spool holds, in the order in which it came. */
export type SpoolPart =
  /** `headers`: as a flat list of names and values. `models`: those the round may be served by, where known (G-3). */
  | {
      readonly kind: 'head';
      readonly status: number;
      readonly headers: readonly string[];
      readonly models?: readonly string[];
    }
  /** At most 64 KiB; never a stream's terminator. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** A round as all processes name it: another life of the key may have one of the same number. */
export interface RemoteRound {
  readonly ref: KeyRef;
  readonly round: number;
  /** The request that claimed it. */
  readonly requestId: string;
}

/** One process's interest in a round that another one runs. */
export interface RemoteJoin {
  readonly ref: KeyRef;
  readonly round: number;
  /** The process, and which of its interests. */
  readonly joiner: string;
  /** It is a stream: parts are wanted while it runs. */
  readonly wantsBytes: boolean;
}

/** The joiner's side of a join. */
export interface JoinHandle {
  /** What there is from the given part on, without waiting; may be empty. Rejects with `StateStoreUnavailable`. */
  parts(from: number): Promise<readonly SpoolPart[]>;
  /** Resolves when something may have happened to the round, after `ms` at the latest. Never rejects. */
  woken(ms: number): Promise<void>;
  /** Nobody here waits any more. Never throws. */
  leave(): void;
}

export interface RemoteJoins {
  /** Joiner: tells the leader's process at once, and that it is still there from time to time. */
  wait(round: RemoteRound, wantsBytes: boolean): JoinHandle;
  /** Leader: of rounds that this process runs. The same join may be told more than once. The result ends it. */
  onJoin(hear: (join: RemoteJoin) => void): () => void;
  /** Leader: it went away, or has not been heard of for too long. The result ends it. */
  onLeave(hear: (join: Omit<RemoteJoin, 'wantsBytes'>) => void): () => void;
  /** Leader: sealed and in order, `seq` from 0. Resolves when it may go on; after a rejection joiners wait for the end instead. */
  push(round: RemoteRound, seq: number, part: SpoolPart): Promise<void>;
  /** Leader: it is over, and nobody reads its parts for long any more. Those who wait look. */
  ended(round: RemoteRound): void;
}
