/** State that lives at one upstream account and that a request names by its id (P-8): uploaded files, voices, videos. */
import { type BodyView, decodeString } from '../bytes/body-view.ts';
import { bufferOf } from '../bytes/text.ts';
import { walkStrings } from '../bytes/walk-strings.ts';
import type { NamedState } from '../contract.ts';

/** By the member that holds the id, the one around it; null = any. */
const NAMES: ReadonlyMap<string, ReadonlySet<string> | null> = new Map<string, ReadonlySet<string> | null>([
  ['file_id', null],
  ['id', new Set(['voice', 'video', 'characters'])],
]);

export function plainNamedState({ bytes, start, end }: BodyView): NamedState | null {
  const text = bufferOf(bytes);
  if (!text.includes('_id') && !text.includes('"id"') && !text.includes('\\u')) return null;
  let found: NamedState | null = null;
  walkStrings(bytes, start, end, (place, from, to) => {
    if (found !== null) return;
    const around = NAMES.get(place.innerKey ?? '');
    const outer = place.key(0) ?? '';
    if (around === undefined || (around !== null && !around.has(outer))) return;
    const id = decodeString(bytes, from, to);
    if (id !== '') found = { param: outer, id };
  });
  return found;
}
