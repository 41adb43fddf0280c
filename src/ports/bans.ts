/** Bans of client keys outlive the process (G-6). Written behind: nobody waits for it, and it is tried until it is done. */

export interface Ban {
  readonly key: string;
  /** Wall ms. */
  readonly since: number;
}

export interface BanBook {
  ban(key: string, since: number): void;
  lift(key: string): void;
}
