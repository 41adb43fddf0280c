/** the served model in the event that opens a stream. */
import { isScanError, scanObject } from '../bytes/body-view.ts';
import { edit, setJson } from '../bytes/edit.ts';
import { objectAt } from '../bytes/nested.ts';

/** The event's JSON with the model exchanged; null = it holds no message. */
export function renamed(json: Uint8Array, servedModel: string): Uint8Array | null {
  const view = scanObject(json);
  const message = isScanError(view) ? null : objectAt(view, 'message');
  if (isScanError(view) || message === null) return null;
  return edit(view, [{ op: 'set', key: 'message', value: edit(message, [setJson('model', servedModel)]) }]);
}
