/**
 * What the interface knows and this version does not carry out. A table of places and the values that ask for nothing;
 * anything else there is an error, because an option that is silently ignored is worse than one that is refused.
 */
import type { Path } from '../problem.ts';
import { valueAt } from '../shape-problems.ts';
import { type Review, report } from './loose.ts';

/** `*` in a place stands for every key or position. `harmless` are the values that change nothing. */
interface Later {
  readonly place: readonly string[];
  readonly harmless: (value: unknown) => boolean;
  /** What is accepted, for the message. */
  readonly accepted: string;
}

/** None at present. */
const LATER: readonly Later[] = [];

/** Every path in `root` that matches `place`. */
function* matches(root: unknown, place: readonly string[], done: Path = []): Generator<Path> {
  const [step, ...rest] = place;
  if (step === undefined) {
    yield done;
    return;
  }
  if (typeof root !== 'object' || root === null) return;
  const keys: readonly (string | number)[] = Array.isArray(root) ? root.map((_, index) => index) : Object.keys(root);
  for (const key of keys) {
    if (step !== '*' && step !== key) continue;
    yield* matches((root as Record<string | number, unknown>)[key], rest, [...done, key]);
  }
}

/** Reports every option that this version would have to ignore. */
export function checkAvailability(review: Review): void {
  for (const { place, harmless, accepted } of LATER) {
    for (const path of matches(review.document.root, place)) {
      if (harmless(valueAt(review.document.root, path)) || review.document.origin(path)?.broken === true) continue;
      report(
        review,
        'not_available',
        path,
        `valid, but not available in this version (${accepted}${accepted.endsWith('is') ? ' accepted' : ''})`,
        'key',
      );
    }
  }
}
