/** The name a misspelt one was probably meant to be: in a configuration, in a request. */

/** Longer names are compared by their beginning: they come from outside, and the work is their length's square. */
const MAX_LENGTH = 200;

/** Edit distance with neighbouring letters swapped as one edit (`base_ulr` → `base_url` is 1). */
export function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  const rows: number[][] = [Array.from({ length: width }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j < width; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, rows[i - 2]![j - 2]! + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

/** The known name closest to `name`, or null when none is close enough to be what was meant. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  const wanted = name.slice(0, MAX_LENGTH).toLowerCase();
  let best: string | null = null;
  let bestDistance = (wanted.length <= 3 ? 1 : Math.max(2, Math.floor(wanted.length * 0.4))) + 1;
  for (const candidate of known) {
    // `timeout` means `timeout_ms`, however long the unit.
    const unfinished = wanted !== '' && candidate.startsWith(`${wanted}_`);
    if (!unfinished && Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = unfinished ? 1 : editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
