/** E-4's ladder: what may answer when everything failed, in the order asked for. */
import { MAX_AGE_S } from '../request/ranges.ts';

export type Rung =
  /** The newest earlier success of the same scope and fingerprint, no older than this. */
  | { readonly kind: 'cache'; readonly maxAgeMs: number }
  /** A configured static answer, by name. */
  | { readonly kind: 'default'; readonly name: string }
  /** The request is carried out later; the client asks for the result. */
  | { readonly kind: 'queue'; readonly tries: number }
  | { readonly kind: 'busy' };

/** Nobody asked for a ladder: E-1 and E-2 hold. */
export const NO_RUNGS: readonly Rung[] = [];

/** Four kinds there are; a longer list says nothing more. */
export const MOST_RUNGS = 10;

/** D-9: tries of a queued request that does not say `retries`, and the most there are. */
const TRIES = 3;
const MOST_TRIES = 5;

/** What a list of rungs must be, for messages. */
export const RUNGS_EXPECTED = `an array of at most ${MOST_RUNGS}: "busy", "queue", {"default": NAME} or {"cache": {"max_age_s": ${MAX_AGE_S[0]} to ${MAX_AGE_S[1]}}}`;

/** The list as written in a request or the configuration; null = it is none. */
export function readRungs(value: unknown): readonly Rung[] | null {
  if (!Array.isArray(value) || value.length > MOST_RUNGS) return null;
  const rungs = value.map(readRung);
  return rungs.every((rung) => rung !== null) ? rungs : null;
}

function readRung(value: unknown): Rung | null {
  if (value === 'busy') return { kind: value };
  if (value === 'queue') return { kind: value, tries: TRIES };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const [[kind, said] = [], ...more] = Object.entries(value as Record<string, unknown>);
  if (more.length > 0) return null;
  switch (kind) {
    case 'busy':
      return saysNothing(said) ? { kind } : null;
    case 'queue':
      return saysNothing(said) ? { kind, tries: TRIES } : null;
    case 'default':
      return typeof said === 'string' && said !== '' ? { kind, name: said } : null;
    case 'cache':
      return readCache(said);
    default:
      return null;
  }
}

/** With as many tries of a queued request as it asked for: one at least, or it could as well not be queued. */
export function withTries(rungs: readonly Rung[], retries: number): readonly Rung[] {
  const tries = Math.min(Math.max(retries, 1), MOST_TRIES);
  return rungs.map((rung) => (rung.kind === 'queue' ? { kind: rung.kind, tries } : rung));
}

/** `{queue: {}}`, `{queue: null}` and `{queue: true}` are `queue`, as YAML and JSON writers put it. */
function saysNothing(value: unknown): boolean {
  if (value === null || value === true) return true;
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0;
}

function readCache(value: unknown): Rung | null {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return null;
  const age = (value as Record<string, unknown>)['max_age_s'];
  const [min, max] = MAX_AGE_S;
  if (!Number.isInteger(age) || (age as number) < min || (age as number) > max) return null;
  return { kind: 'cache', maxAgeMs: (age as number) * 1000 };
}
