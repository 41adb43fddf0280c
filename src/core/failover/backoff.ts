/** How long to wait before the same target is asked again (D-3). */
import type { Failure } from '../failure.ts';

export interface BackoffSettings {
  readonly baseMs: number;
  readonly capMs: number;
}

/** A stated wait is stretched by up to this share, so that everyone told the same instant does not come back in it. */
const HINT_JITTER = 0.2;

/** Uniform in [½, 1] × min(base · 2ⁿ, cap), n = repeats already made of this target. `random` in [0, 1). */
export function backoffMs(settings: BackoffSettings, repeatsMade: number, random: number): number {
  const ceiling = Math.min(settings.baseMs * 2 ** repeatsMade, settings.capMs);
  return ceiling * (0.5 + random / 2);
}

/** The stated wait plus 0–20 %, never beyond `maxWaitMs`, which the wait itself fits. */
export function hintedMs(hintMs: number, maxWaitMs: number, random: number): number {
  return Math.min(hintMs * (1 + HINT_JITTER * random), maxWaitMs);
}

/** A wait the provider stated; 0 says nothing about when, so the own backoff applies. */
export function statedWait(failure: Failure): number | null {
  return failure.hint !== null && failure.hint.ms > 0 ? failure.hint.ms : null;
}

/** The wait before a repeat; null = the provider's wait does not fit `maxWaitMs`, the target is left. */
export function repeatWait(
  failure: Failure,
  settings: BackoffSettings,
  limits: { readonly maxWaitMs: number; readonly repeatsMade: number; readonly random: number },
): number | null {
  const stated = statedWait(failure);
  if (stated === null) return backoffMs(settings, limits.repeatsMade, limits.random);
  return stated <= limits.maxWaitMs ? hintedMs(stated, limits.maxWaitMs, limits.random) : null;
}
