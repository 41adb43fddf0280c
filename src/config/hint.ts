/** What is said of a name that is not known. */
import { nearestName } from '../core/nearest-name.ts';

/** ` (did you mean X?)`, or what is known when nothing is near and the list is short enough to read. */
export function hint(name: string, known: readonly string[]): { text: string; suggestion: string | null } {
  const suggestion = nearestName(name, known);
  if (suggestion !== null) return { text: `; did you mean \`${suggestion}\`?`, suggestion };
  if (known.length === 0) return { text: '; none is known here', suggestion: null };
  const shown = known.slice(0, 24).join(', ');
  return { text: `; known: ${shown}${known.length > 24 ? ', …' : ''}`, suggestion: null };
}
