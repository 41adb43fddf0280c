/**
 * The idempotency ledger (section 8): one row per key, one stored success at most. A store is the truth: what it has
 * answered survives the process. Decisions are those of `core/idempotency`; a store adds durability and exclusion.
 *
 * Rejections: `StateStoreUnavailable` when nothing can be read or written now (H-5: 503 `store_unavailable`), and where
 * said `RoundLost`. Orders are carried out in the order in which they were given.
 */
import type { Claim } from '../core/idempotency/claim.ts';
import type { KeyRef, StoredFailure } from '../core/idempotency/key-row.ts';
import type { StoredKey } from '../core/idempotency/stored-key.ts';
import type { AttemptResult } from '../core/record.ts';
import type { RemoteJoins } from './remote-joins.ts';

export type { Claim } from '../core/idempotency/claim.ts';
export type { KeyRef, KeyRow, KeyState, StoredFailure } from '../core/idempotency/key-row.ts';
export type { StoredAttempt, StoredKey } from '../core/idempotency/stored-key.ts';

/** The bytes and headers of a success, as its first client got them (I-4). */
export interface StoredAnswer {
  readonly status: number;
  /** Content headers and R-1's, lower-case names, without `x-request-id`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body; of a stream everything that was sent, terminator included. */
  readonly body: Uint8Array;
  readonly stream: boolean;
  /** Wall ms. */
  readonly at: number;
  readonly servedModel: string | null;
  /** SHA-256 of the body, hex. */
  readonly digest: string;
}

/** A success to store. `body` null = larger than the cap (32 MiB): its digest alone is kept. */
export type NewAnswer = Omit<StoredAnswer, 'body'> & { readonly body: Uint8Array | null };

export type ClaimAnswer =
  /** The round is this caller's and durable: it must end in `succeed` or `fail`. */
  | { readonly kind: 'owner'; readonly round: number; readonly attemptsBefore: number }
  /** Somebody runs it: join or 409. `at` = when its round began, wall ms. */
  | { readonly kind: 'running'; readonly round: number; readonly requestId: string; readonly at: number }
  /** `answer` null = its bytes are not kept, or can't be opened any more: 409 `result_not_stored`. */
  | {
      readonly kind: 'succeeded';
      readonly round: number;
      readonly requestId: string;
      readonly answer: StoredAnswer | null;
    }
  | { readonly kind: 'reused' }
  | { readonly kind: 'exhausted'; readonly failure: StoredFailure };

export interface AttemptStart {
  readonly ref: KeyRef;
  readonly round: number;
  /** Within the key's life, from 1: `attemptsBefore` + the round's own number. */
  readonly no: number;
  /** Never used before. */
  readonly attemptId: string;
  /** `MODEL#CHANNEL@CREDENTIAL`, for people. */
  readonly target: string;
  readonly at: number;
}

export interface AttemptEnd {
  readonly ref: KeyRef;
  readonly attemptId: string;
  readonly result: AttemptResult;
  readonly maybeExecuted: boolean;
  readonly at: number;
}

export interface RoundSuccess {
  readonly ref: KeyRef;
  readonly round: number;
  /** The request that claimed the round. */
  readonly requestId: string;
  /** Null = no attempt made it: an earlier or a configured answer (E-4). */
  readonly attemptId: string | null;
  readonly answer: NewAnswer;
}

export interface RoundFailure {
  readonly ref: KeyRef;
  readonly round: number;
  readonly state: 'failed' | 'failed_retry_exhausted';
  readonly failure: StoredFailure;
  /** The caller's own fault (I-5). The store still binds the key where an attempt may have been executed. */
  readonly release: boolean;
}

export interface LateSuccess {
  readonly ref: KeyRef;
  readonly attemptId: string;
  readonly at: number;
}

/** The round is not this process's any more, or the key's attempts are spent: nothing may be sent for it. */
export class RoundLost extends Error {}

export interface IdempotencyStore {
  /** Durable when it resolves. When it rejects the caller owns nothing, and no key stays held because of it. */
  claim(claim: Claim): Promise<ClaimAnswer>;
  /** Durable before it resolves (I-2). Rejects with `RoundLost` or `StateStoreUnavailable`: then send nothing. */
  startAttempt(start: AttemptStart): Promise<void>;
  /**
   * Queued; written again until it is durable. `served` is what `succeed` makes of an attempt: told of one whose round
   * has no success, it counts as interrupted.
   */
  endAttempt(end: AttemptEnd): void;
  /** An open attempt of which nothing was sent, and nothing will be: it does not count. Queued like `endAttempt`. */
  dropAttempt(ref: KeyRef, attemptId: string): void;
  /**
   * I-3: `stored` = durable, the answer may end as a success. `lost` = it must not: the round is not the running one.
   * The attempt is then recorded as `late_success`. After a rejection the round still runs: call it again, or `fail`.
   */
  succeed(success: RoundSuccess): Promise<'stored' | 'lost'>;
  /**
   * Ends the round without success; without effect when it has ended. Written again until it is durable, and seen by
   * every later claim of this process at once. Resolves when it is durable or the store can't be written now; never
   * rejects.
   */
  fail(failure: RoundFailure): Promise<void>;
  /** A success that came after its round had ended: for the audit alone. Queued. */
  late(success: LateSuccess): void;
  /** The success reached its first client whole; needed under derived keys only (I-10). Queued. */
  delivered(ref: KeyRef, round: number): void;
  /**
   * I-8: closes rounds whose process is gone: all that are held when the store is one process's, else those with an
   * expired lease. Never this process's own. At start, and with leases from time to time.
   */
  recover(wall: number): Promise<{ readonly closed: number }>;
  /** Renews the leases of this process's rounds; every 10 s. Resolves with those it has lost. Without leases: none. */
  renew(wall: number): Promise<readonly { readonly ref: KeyRef; readonly round: number }[]>;
  /** Forgets keys that expired, in small steps; resolves with how many. */
  expire(wall: number): Promise<number>;
  /** Every key, in the order of their hashes, a page at a time. */
  keys(): AsyncIterable<StoredKey>;
  /** Waits until what was queued is durable, or can't be written now. Never rejects. */
  close(): Promise<void>;
}

/** A round as somebody sees it who waits for it. */
export type RoundView =
  /** `lost`: the process that runs it is gone; `recover` will close it. */
  | { readonly kind: 'running'; readonly lost: boolean }
  /** `answer` null = its bytes are not kept, or can't be opened any more. */
  | { readonly kind: 'succeeded'; readonly digest: string; readonly answer: StoredAnswer | null }
  /** `sent`: some attempt of this round has begun. */
  | { readonly kind: 'failed'; readonly failure: StoredFailure; readonly sent: boolean }
  /** The key is free, or has come to another round or life. */
  | { readonly kind: 'gone' };

/** A ledger that other processes may use as well. */
export interface SharedIdempotency extends IdempotencyStore {
  /**
   * What became of a round that `claim` told of; claims nothing, changes nothing. `requestId`: whose round it was, as
   * `claim` told; another life of the key may have a round of the same number. Rejects with `StateStoreUnavailable`.
   */
  look(ref: KeyRef, round: number, requestId: string): Promise<RoundView>;
  /** Null = one process has the ledger alone. */
  readonly joins: RemoteJoins | null;
  /** Ids of the keys that stored answers were sealed with: a rotation keeps those. Sees what was ordered before. */
  sealKeys(): Promise<readonly string[]>;
}
