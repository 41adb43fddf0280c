/**
 * R-5 where client and upstream both speak this dialect: what another vendor made was wrapped for the client and goes no
 * further; what this one made for a client of ours is unwrapped; all else passes as it came, unless nothing may go.
 */
import { type BodyView, isScanError, member, readString, scanObject } from '../bytes/body-view.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { OPEN_BRACKET, skipValue, walkArray } from '../bytes/json-grammar.ts';
import { bufferOf, utf8 } from '../bytes/text.ts';
import type { UpstreamWrite } from '../contract.ts';
import { indexOfMark, MARK, mayGo, REASONING_DROPPED, unwrapOpaque } from '../cross/opaque-marks.ts';
import { isOwnItemId, isOwnThoughtId } from './item-ids.ts';

export interface ReasoningEdits {
  readonly edits: readonly Edit[];
  readonly changes: readonly string[];
  /** Reasoning goes along that not every account may know. */
  readonly opaque: boolean;
}

const NOTHING: ReasoningEdits = { edits: [], changes: [], opaque: false };
const THOUGHT = utf8('"reasoning"');

export function reasoningEdits(view: BodyView, write: UpstreamWrite): ReasoningEdits {
  const input = member(view, 'input');
  if (input === null || view.bytes[input.valueStart] !== OPEN_BRACKET) return NOTHING;
  const bytes = bufferOf(view.bytes);
  // A thought without its seal is known by its id, and only where it was thought.
  const holdsThoughts = bytes.subarray(input.valueStart, input.valueEnd).includes(THOUGHT);
  const touched = indexOfMark(bytes) !== -1 || (holdsThoughts && write.bare === true);
  if (!touched) return holdsThoughts ? { ...NOTHING, opaque: true } : NOTHING;
  return anew(view, input.valueStart, input.valueEnd, write);
}

function anew(view: BodyView, start: number, end: number, write: UpstreamWrite): ReasoningEdits {
  const items: Uint8Array[] = [];
  let dropped = 0;
  let opaque = false;
  walkArray(view.bytes, start, end, 1, (at) => {
    const behind = skipValue(view.bytes, at, end, 2);
    if (behind < 0) return behind;
    const item = scanObject(view.bytes, { start: at, end: behind });
    const kept = isScanError(item) ? view.bytes.subarray(at, behind) : keptItem(item, write, dropped > 0);
    if (kept === null) dropped++;
    else items.push(kept);
    if (kept !== null && bufferOf(kept).includes(THOUGHT)) opaque = true;
    return behind;
  });
  const pieces = items.flatMap((item, at) => (at === 0 ? [item] : [COMMA, item]));
  const value = Buffer.concat([utf8('['), ...pieces, utf8(']')]);
  const changes = dropped === 0 ? [] : [REASONING_DROPPED];
  return { edits: [{ op: 'set', key: 'input', value }], changes, opaque };
}

const COMMA = utf8(',');

/** Null = it stays behind. */
function keptItem(item: BodyView, write: UpstreamWrite, droppedBefore: boolean): Uint8Array | null {
  const whole = item.bytes.subarray(item.start, item.end);
  const id = readString(item, 'id') ?? '';
  const type = readString(item, 'type') ?? null;
  const isOwn = isOwnItemId(id);
  if (type !== 'reasoning') {
    if (isOwnThoughtId(id)) return null;
    // An upstream that stored an item asks for the thought that led to it, unless it is told no id.
    const nameless = isOwn || (write.bare === true && droppedBefore);
    return nameless ? edit(item, [{ op: 'remove', key: 'id' }]) : whole;
  }
  const sealed = readString(item, 'encrypted_content') ?? null;
  // A thought that another dialect's upstream told in plain words: no id of it means anything anywhere.
  if (sealed === null && isOwn) return null;
  if (sealed === null || !sealed.startsWith(MARK)) return write.bare === true ? null : whole;
  const opaque = unwrapOpaque(sealed);
  if (opaque === null || !mayGo(opaque, write)) return null;
  const renamed: Edit = opaque.id === null ? { op: 'remove', key: 'id' } : setJson('id', opaque.id);
  return edit(item, [setJson('encrypted_content', opaque.data), renamed]);
}
