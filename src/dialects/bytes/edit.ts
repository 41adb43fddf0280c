/** Edits of one object's top level, written as slices: what is not named stays byte for byte. */
import type { BodyView, Member } from './body-view.ts';
import { ByteWriter } from './byte-writer.ts';
import { jsonBytes, utf8 } from './text.ts';

/** One change of one key. A key has at most one edit. */
export type Edit =
  /** Replaces the value wherever the key stands, else appends the member. */
  | { readonly op: 'set'; readonly key: string; readonly value: Uint8Array }
  /** Replaces the value if the key is there. */
  | { readonly op: 'replace'; readonly key: string; readonly value: Uint8Array }
  | { readonly op: 'remove'; readonly key: string };

const COMMA = utf8(',');

/**
 * The object with its edits. What surrounds it in its bytes is left out. Value bytes must be one JSON value each.
 */
export function edit(view: BodyView, edits: readonly Edit[]): Uint8Array {
  const out = new ByteWriter();
  out.reserve(view.end - view.start + 64);
  const { bytes, members } = view;
  // Everything before `from` is written or cut; a removed member takes the comma before it along, the first ones the
  // comma behind.
  let from = view.start;
  let kept = false;
  const changeOf = lookUp(edits);
  members.forEach((one, at) => {
    const change = changeOf(one.key);
    if (change?.op === 'remove') {
      out.write(bytes, from, kept ? members[at - 1]!.valueEnd : one.keyStart);
      from = kept ? one.valueEnd : (members[at + 1]?.keyStart ?? one.valueEnd);
      return;
    }
    kept = true;
    if (change === null) return;
    out.write(bytes, from, one.valueStart);
    out.write(change.value);
    from = one.valueEnd;
  });
  const absent = edits.filter((change) => change.op === 'set' && !has(members, change.key));
  const lastEnd = members.at(-1)?.valueEnd ?? view.start + 1;
  if (absent.length > 0) {
    if (from < lastEnd) out.write(bytes, from, lastEnd);
    from = Math.max(from, lastEnd);
    for (const change of absent) {
      if (change.op !== 'set') continue;
      if (kept) out.write(COMMA);
      kept = true;
      out.write(utf8(`${JSON.stringify(change.key)}:`));
      out.write(change.value);
    }
  }
  out.write(bytes, from, view.end);
  return out.take();
}

/** A `set` of a value that is turned into JSON. */
export function setJson(key: string, value: unknown): Edit {
  return { op: 'set', key, value: jsonBytes(value) };
}

/** Up to so many edits comparing each is cheaper than a table; an object's keys are for others to choose. */
const FEW_EDITS = 16;

function lookUp(edits: readonly Edit[]): (key: string) => Edit | null {
  if (edits.length <= FEW_EDITS) return (key) => edits.find((change) => change.key === key) ?? null;
  const byKey = new Map(edits.map((change) => [change.key, change]));
  return (key) => byKey.get(key) ?? null;
}

function has(members: readonly Member[], key: string): boolean {
  return members.some((one) => one.key === key);
}
