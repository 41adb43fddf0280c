/** The figures of G-6, in one place. Lengths in ms. */
export interface KeyBreakerSettings {
  readonly windowMs: number;
  /** Requests within the window below which nothing is judged. */
  readonly minRequests: number;
  /** Share of failures from which on a key is suspended. */
  readonly ratio: number;
  /** The first suspension; each further one of the caller's own making is twice as long. */
  readonly suspendMs: number;
  /** How long suspensions are remembered. */
  readonly memoryMs: number;
  /** With so many suspensions remembered the next one is a ban. */
  readonly suspensionsBeforeBan: number;
}

/** As G-6 says. */
export const KEY_BREAKER: KeyBreakerSettings = {
  windowMs: 60_000,
  minRequests: 100,
  ratio: 0.9,
  suspendMs: 60_000,
  memoryMs: 86_400_000,
  suspensionsBeforeBan: 5,
};
