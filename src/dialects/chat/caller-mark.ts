/** What a request says of its caller, for `affinity` (P-2). Read only where the routing asks. */
import { type BodyView, readString } from '../bytes/body-view.ts';

/** Null = it says nothing, or nothing that is a text. `user` is the older name of `safety_identifier`. */
export function callerMark(view: BodyView, by: 'prompt_cache_key' | 'user'): string | null {
  if (by === 'prompt_cache_key') return readString(view, by) ?? null;
  return readString(view, 'safety_identifier') ?? readString(view, 'user') ?? null;
}
