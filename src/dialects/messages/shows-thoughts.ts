/** Whether a client of this dialect reads thoughts: only who switches thinking on is ready for blocks of it. */
import { type BodyView, readString } from '../bytes/body-view.ts';
import { objectAt } from '../bytes/nested.ts';

/** `omitted`: they come without their words, for their state alone. */
export function showsThoughts(view: BodyView): 'yes' | 'omitted' | 'no' {
  const thinking = objectAt(view, 'thinking');
  const type = thinking === null ? null : readString(thinking, 'type');
  if (thinking === null || typeof type !== 'string' || type === 'disabled') return 'no';
  return readString(thinking, 'display') === 'omitted' ? 'omitted' : 'yes';
}
