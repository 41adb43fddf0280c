/** Names in a note. */

/** Longer lists are counted, not printed. */
const MAX_NAMED = 5;

export function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
