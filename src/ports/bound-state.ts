/** What lives at an upstream account, and whose it is (P-8): videos, stored answers. Found again by whoever made it. */

/** The account it lives at, by names of the configuration. */
export interface Home {
  /** Public id of the model that made it. */
  readonly model: string;
  /** Id of the channel within that model. */
  readonly channel: string;
  /** Null = the channel's provider is called without any. */
  readonly credential: string | null;
}

export interface BoundState extends Home {
  readonly workspace: string;
  /** As the upstream named it. */
  readonly id: string;
  /** Wall ms. */
  readonly at: number;
  /** Wall ms: nobody asks for it any more. */
  readonly expiresAt: number;
}

export interface BoundStates {
  /**
   * Resolves when it is durable; found from now on. Rejects with `StateStoreUnavailable`. `when`: `soon` waits a moment for
   * others to share a transaction with.
   */
  note(states: readonly BoundState[], when: 'now' | 'soon'): Promise<void>;
  /** Null = nothing of that name was made for this workspace, or it has expired. Rejects with `StateStoreUnavailable`. */
  find(workspace: string, id: string, wall: number): Promise<Home | null>;
  /** It has been deleted upstream. Never rejects. */
  forget(workspace: string, id: string): Promise<void>;
  /** Waits for what is being written. */
  close(): Promise<void>;
}
