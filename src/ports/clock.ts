/** Time. Wall for what people read, monotonic for every length; never mixed. */
export interface Clock {
  /** Milliseconds since the epoch. */
  wall(): number;
  /** Monotonic milliseconds, fractional. */
  now(): number;
  /** Calls back once after `ms`; the result cancels. */
  after(ms: number, callback: () => void): Cancel;
}
export type Cancel = () => void;

/** Chance, injected so that runs are reproducible. Uniform in [0, 1). */
export type Random = () => number;
