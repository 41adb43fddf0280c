/** What `redundancy` may ask: one table for requests, chain entries, keys and workspaces (C-4). */

/** From, to; both allowed. */
export type Range = readonly [number, number];

const KIB = 1024;

/** Lengths in ms, sizes in bytes. */
export const RANGES = {
  timeout_ms: [1000, 300_000],
  first_token_timeout_ms: [500, 60_000],
  idle_timeout_ms: [1000, 600_000],
  stall_timeout_ms: [1000, 3_600_000],
  retries: [0, 5],
  max_attempts: [1, 20],
  deadline_ms: [1000, 3_600_000],
  max_wait_ms: [0, 60_000],
  hedge_after_ms: [100, 60_000],
  max_held_bytes: [64 * KIB, 32 * KIB * KIB],
} as const satisfies Readonly<Record<string, Range>>;

/** Of a kept answer, in seconds (E-4). */
export const MAX_AGE_S: Range = [1, 86_400];

/** Privacy levels, least first (G-2). */
export const PRIVACY_LEVELS = ['public', 'internal', 'confidential', 'restricted'] as const;
export type PrivacyLevel = (typeof PRIVACY_LEVELS)[number];
