/** What a request says of its caller, for `affinity` (P-2). Read only where the routing asks. */
import { type BodyView, readString } from '../bytes/body-view.ts';
import { objectGiven } from './fields.ts';

/** Only labels have room for it, by the names other dialects use; there is no key for a prompt's cache. */
export function callerMark(view: BodyView, by: 'prompt_cache_key' | 'user'): string | null {
  const labels = objectGiven(view, 'labels');
  return labels === null ? null : (readString(labels, by) ?? null);
}
