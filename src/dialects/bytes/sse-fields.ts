/** The fields of an event stream's lines, on bytes: which one a line is, and where its value begins (dialects §1.2). */

const COLON = 0x3a;
const SPACE = 0x20;

/** Field names as bytes. */
export const DATA = [0x64, 0x61, 0x74, 0x61] as const;
export const EVENT = [0x65, 0x76, 0x65, 0x6e, 0x74] as const;
export const ID = [0x69, 0x64] as const;
export const RETRY = [0x72, 0x65, 0x74, 0x72, 0x79] as const;

/** Whether the line from `start` to `end` is that field: its name alone, or with a colon behind it. */
export function isField(bytes: Uint8Array, start: number, end: number, name: readonly number[]): boolean {
  const after = start + name.length;
  if (after > end || (after < end && bytes[after] !== COLON)) return false;
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
  return true;
}

/** Behind the colon and its one optional space; `end` where the line has no value. */
export function valueStart(bytes: Uint8Array, afterName: number, end: number): number {
  if (afterName >= end) return end;
  return afterName + 1 < end && bytes[afterName + 1] === SPACE ? afterName + 2 : afterName + 1;
}

/** Behind a byte order mark, if the text begins with one. */
export function behindMark(bytes: Uint8Array, start: number, end: number): number {
  const marked = end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
  return marked ? start + 3 : start;
}
