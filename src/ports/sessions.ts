/** Sessions of the console: who has signed in with a browser (G-8). Found by the hash of an id that its cookie alone holds. */

export interface ConsoleSession {
  /** SHA-256 of the cookie's id, hex. Whoever reads the store can't sign in with it. */
  readonly idHash: string;
  /** `admin`, or `member NAME`. */
  readonly person: string;
  /** SHA-256 of the token it was opened with, hex: what that token may is what the session may, at every call anew. */
  readonly tokenHash: string;
  /** What every change must be sent with, beside the cookie. */
  readonly csrfToken: string;
  /** Wall ms of the store. */
  readonly openedAt: number;
  readonly usedAt: number;
  /** It ends then, if it is not used before. */
  readonly expiresAt: number;
}

/** All of it rejects with `StateStoreUnavailable`. */
export interface SessionStore {
  /** Durable when it resolves. Of this person's sessions the oldest beyond `most` end with it. */
  open(session: ConsoleSession, most: number): Promise<void>;
  /** One that has not expired; null = there is none. */
  find(idHash: string, wall: number): Promise<ConsoleSession | null>;
  /** It was used, and ends later. Nothing where it is gone or was used later than that. */
  touch(idHash: string, usedAt: number, expiresAt: number): Promise<void>;
  /** It ends, for every process on the store. False = there was none. */
  end(idHash: string): Promise<boolean>;
  /** Forgets those that had expired at this wall instant; resolves with how many. */
  prune(wall: number): Promise<number>;
}
