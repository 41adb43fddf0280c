/** The data of one stream event, where it is no plain chunk. */
import { isWholeJson, OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import { textOf, utf8 } from '../bytes/text.ts';

const LF = 0x0a;
const SPACE = 0x20;
const DONE_WORD = utf8('[DONE]');

/** The bytes outlive the read they came in. */
export function copyOf(data: Uint8Array, start: number, end: number): Buffer {
  return Buffer.from(data.subarray(start, end));
}

/** JSON that came in several lines, on one: between tokens a line's end is white space, inside a string it stays an error. */
export function oneLine(data: Uint8Array, start: number, end: number): Buffer {
  const line = copyOf(data, start, end);
  if (!isWholeJson(line, 0, line.length)) return line;
  for (let i = 0; i < line.length; i++) if (line[i] === LF) line[i] = SPACE;
  return line;
}

export function isDone(data: Uint8Array, start: number, end: number): boolean {
  const from = skipSpace(data, start, end);
  for (let i = 0; i < DONE_WORD.length; i++) {
    if (from + i >= end || data[from + i] !== DONE_WORD[i]) return false;
  }
  return skipSpace(data, from + DONE_WORD.length, end) === end;
}

/** A list whose first entry holds an error: how some upstreams wrap theirs. */
export function isErrorList(data: Uint8Array, start: number, end: number): boolean {
  if (data[skipSpace(data, start, end)] !== OPEN_BRACKET || !isWholeJson(data, start, end)) return false;
  const first = (JSON.parse(textOf(data, start, end)) as unknown[])[0];
  return typeof first === 'object' && first !== null && Boolean((first as { error?: unknown }).error);
}
