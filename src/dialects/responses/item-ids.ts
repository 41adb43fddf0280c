/**
 * Ids of the items in answers that no upstream of this dialect made. They carry the mark of wrapped state, so that one
 * search tells whether a request holds any: no upstream knows them.
 */
import { MARK } from '../cross/opaque-marks.ts';

/** What an item is, as its id says it. */
export type ItemPrefix = 'rs' | 'msg' | 'fc' | 'ctc' | 'ig';

/** `answerId`: visible ASCII. */
export function ownItemId(prefix: ItemPrefix, answerId: string, index: number): string {
  return `${prefix}_${MARK}_${answerId}_${index}`;
}

export function isOwnItemId(id: string): boolean {
  const at = id.indexOf('_');
  return at !== -1 && id.startsWith(MARK, at + 1);
}

/** Of a thought: nobody can look it up, and nothing is lost that could be said. */
export function isOwnThoughtId(id: string): boolean {
  return id.startsWith('rs_') && isOwnItemId(id);
}
