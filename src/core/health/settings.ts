/** Figures of H-1, all configurable. Lengths in ms. */
export interface HealthSettings {
  readonly rateLimit: { readonly baseMs: number; readonly capMs: number };
  readonly quotaMs: number;
  readonly quotaCapMs: number;
  readonly authMs: number;
  readonly modelNotFoundMs: number;
  readonly circuit: {
    readonly windowMs: number;
    readonly minCalls: number;
    readonly ratio: number;
    readonly consecutive: number;
    readonly openMs: number;
    readonly openCapMs: number;
  };
}

/** H-1's built-in figures. */
export const DEFAULT_HEALTH: HealthSettings = {
  rateLimit: { baseMs: 1000, capMs: 300_000 },
  quotaMs: 300_000,
  quotaCapMs: 3_600_000,
  authMs: 300_000,
  modelNotFoundMs: 600_000,
  circuit: { windowMs: 30_000, minCalls: 20, ratio: 0.5, consecutive: 5, openMs: 5000, openCapMs: 300_000 },
};
