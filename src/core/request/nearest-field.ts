/** The known field a misspelt one was probably meant to be. */

/** More than this is no slip of the finger. */
const MAX_EDITS = 4;

/** The closest of `known`, or null when none is close. Bounded work: long names are compared by their beginning. */
export function nearestField(name: string, known: Iterable<string>): string | null {
  const wanted = name.slice(0, 40).toLowerCase().replaceAll('-', '_');
  let best: string | null = null;
  let fewest = Math.min(MAX_EDITS, Math.ceil(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const edits = editsBetween(wanted, candidate);
    if (edits >= fewest) continue;
    best = candidate;
    fewest = edits;
  }
  return best;
}

/** Letters to insert, delete or replace to get from `a` to `b`. */
function editsBetween(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = above[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, above[column]! + 1, current[column - 1]! + 1));
    }
    above = current;
  }
  return above[b.length]!;
}
