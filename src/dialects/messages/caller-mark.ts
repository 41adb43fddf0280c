/** What a request says of its caller, for `affinity` (P-2). Read only where the routing asks. */
import { type BodyView, readString } from '../bytes/body-view.ts';
import { objectAt } from '../bytes/nested.ts';

/** Null = it says nothing. This dialect has one word for both: caches are kept by what was marked, not by a key. */
export function callerMark(view: BodyView): string | null {
  const metadata = objectAt(view, 'metadata');
  return metadata === null ? null : (readString(metadata, 'user_id') ?? null);
}
