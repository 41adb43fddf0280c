/** Earlier answers of a workspace, to be given again when everything failed (E-4). A convenience: losing them is no fault. */

/** Whose answer to which request. */
export interface KeptRef {
  readonly scope: string;
  /** Of the request (I-5). */
  readonly fingerprint: string;
}

export interface KeptAnswer {
  /** A whole answer as the upstream gave it, or the bytes of a whole stream as a client got them. */
  readonly body: Uint8Array;
  readonly stream: boolean;
  readonly servedModel: string;
  /** What already kept it from being the answer asked for to the letter. */
  readonly degradedReasons: readonly string[];
  readonly requestId: string;
  /** Wall ms. */
  readonly at: number;
}

export interface NewKeptAnswer extends KeptAnswer {
  readonly ref: KeptRef;
  readonly workspace: string;
  /** Wall ms. */
  readonly expiresAt: number;
  /** Most bytes of this workspace's answers: the oldest make room. */
  readonly maxBytes: number;
}

export interface KeptAnswers {
  /** Kept soon after, encrypted; given up without a word when there is no room or no disk. Never throws. */
  keep(answer: NewKeptAnswer): void;
  /** The newest of `ref` that is no older than `since` (wall ms) and has not expired at `wall`; null = none. May reject. */
  newest(ref: KeptRef, since: number, wall: number): Promise<KeptAnswer | null>;
  /** Deletes what has expired, and everything of workspaces that keep nothing any more. */
  forget(wall: number, keeping: ReadonlySet<string>): Promise<number>;
  /** Ids of the keys they were sealed with, for a rotation. */
  sealKeys(): Promise<readonly string[]>;
  /** Writes what waits. Never rejects. */
  close(): Promise<void>;
}
