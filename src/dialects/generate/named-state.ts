/** State that lives at one upstream account and that a request names by its id (P-8). */
import type { BodyView } from '../bytes/body-view.ts';
import type { NamedState } from '../contract.ts';
import { valueGiven } from './fields.ts';
import { eachFile, isStored } from './file-places.ts';

const FIELDS = ['cachedContent', 'continuationToken'] as const;

/** Where the request names such state, the first place of several; null = nowhere. */
export function namedState(view: BodyView): NamedState | null {
  for (const name of FIELDS) {
    const value = valueGiven(view, name);
    if (value !== undefined && value !== '') return { param: name, id: typeof value === 'string' ? value : null };
  }
  const stored: NamedState[] = [];
  eachFile(view, (id, param) => {
    if (stored.length === 0 && isStored(id)) stored.push({ param, id });
  });
  return stored[0] ?? null;
}
