/** Tokens of one answer (dialects §11). Null = the upstream did not say. `input` includes cached tokens. */
export interface Usage {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly reasoning: number | null;
  readonly audioInput: number | null;
  readonly audioOutput: number | null;
  readonly total: number | null;
  /** Counted by us from what was received, not stated by the upstream. */
  readonly estimated: boolean;
}

/** Money is a whole number of nano-dollars. */
export type NanoUsd = bigint;
