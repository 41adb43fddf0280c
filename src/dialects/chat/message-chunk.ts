/**
 * Chunks that clients would not read to the end, written so that they do: a whole `message` where a `delta` belongs, as
 * servers send it that cannot stream (F-5), and calls without the index by which fragments are put together (dialects §2).
 */
import { type BodyView, isScanError, scanObject } from '../bytes/body-view.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { objectAt, objectsIn } from '../bytes/nested.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import { objectOf } from '../failure/answer-faults.ts';
import { CHUNK_OBJECT, messageDelta } from './answer-stream.ts';
import type { CallScan } from './call-scan.ts';
import { messageRole } from './misplaced-words.ts';

const [OPEN, COMMA, CLOSE] = [utf8('['), utf8(','), utf8(']')];
/** The chunk as clients read it; null = as it stands. `told`: as above, by the choice's index. */
export function withDeltas(
  data: Uint8Array,
  start: number,
  end: number,
  told: (index: number) => boolean,
): Uint8Array | 'unreadable' | null {
  const view = scanObject(data, { start, end });
  if (isScanError(view)) return null;
  let changed = false;
  const choices: Uint8Array[] = [];
  for (const choice of objectsIn(view, 'choices')) {
    const fields = objectOf(JSON.parse(textOf(choice.bytes, choice.start, choice.end))) ?? {};
    const index = typeof fields['index'] === 'number' ? fields['index'] : 0;
    const role = messageRole(fields, told(index));
    if (role === 'unreadable') return role;
    changed ||= role === 'whole';
    choices.push(edit(choice, role === 'whole' ? deltaEdits(choice) : []));
  }
  if (!changed) return null;
  return edit(view, [CHUNK_OBJECT, choicesEdit(choices)]);
}

/** The chunk with an index in each of its calls, as `calls` has them. */
export function withIndexes(data: Uint8Array, start: number, end: number, calls: CallScan): Uint8Array {
  const view = scanObject(data, { start, end });
  if (isScanError(view)) throw new Error(`a scanned chunk can not be read: ${view.message}`);
  const choices = objectsIn(view, 'choices').map((choice, place) => {
    const delta = objectAt(choice, 'delta');
    const indexes = calls.indexes.filter((_, i) => i < calls.count && calls.places[i] === place && !calls.legacy[i]!);
    return edit(choice, delta === null ? [] : [{ op: 'set', key: 'delta', value: messageDelta(delta, [], indexes) }]);
  });
  return edit(view, [choicesEdit(choices)]);
}

function choicesEdit(choices: readonly Uint8Array[]): Edit {
  const list = choices.flatMap((choice, at) => (at === 0 ? [choice] : [COMMA, choice]));
  return { op: 'set', key: 'choices', value: Buffer.concat([OPEN, ...list, CLOSE]) };
}

function deltaEdits(choice: BodyView): Edit[] {
  const message = objectAt(choice, 'message');
  const delta = message === null ? utf8('{}') : messageDelta(message, []);
  return [
    { op: 'remove', key: 'message' },
    { op: 'set', key: 'delta', value: delta },
  ];
}
