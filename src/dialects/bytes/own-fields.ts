/** The gateway's own fields of a request: taken out before an upstream sees the body. */
import type { BodyView } from './body-view.ts';

export const OWN_FIELDS = ['models', 'fallback_models', 'redundancy'] as const;

const NAMES: ReadonlySet<string> = new Set(OWN_FIELDS);

/** Bytes that no upstream gets: each field with its key and a comma. */
export function ownFieldBytes({ members }: BodyView): number {
  let sum = 0;
  for (const { key, keyStart, valueEnd } of members) if (NAMES.has(key)) sum += valueEnd - keyStart + 1;
  return sum;
}
