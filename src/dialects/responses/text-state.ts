/**
 * State that stands on a text: this dialect has no room beside a text, so it is told as sealed reasoning behind it,
 * and put back when the client returns it.
 */
import type { Opaque, Part } from '../canonical.ts';

const TEXT_STATE = 'text:';

export function stateOfText(opaque: Opaque): Opaque {
  return { ...opaque, id: TEXT_STATE };
}

/** Gives the texts of a turn their state back. */
export function stateToTexts(parts: readonly Part[]): readonly Part[] {
  if (!parts.some(isTextState)) return parts;
  const back: Part[] = [];
  for (const part of parts) {
    if (!isTextState(part)) {
      back.push(part);
      continue;
    }
    const at = back.findLastIndex(({ type }) => type === 'text');
    const text = back[at];
    if (text?.type === 'text') back[at] = { ...text, opaque: { ...part.opaque, id: null } };
  }
  return back;
}

function isTextState(part: Part): part is Part & { readonly opaque: Opaque } {
  return part.type === 'reasoning' && part.opaque?.id === TEXT_STATE;
}
