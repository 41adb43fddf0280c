/**
 * The event that nearly all of a stream is made of, recognised in its bytes as its vendor writes it:
 * `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"…"}}`. Spelt any other way it is read
 * like all others.
 */
import { skipString } from '../bytes/json-grammar.ts';
import { utf8 } from '../bytes/text.ts';

const OPENING = utf8('{"type":"content_block_delta","index":');
const DELTA = utf8(',"delta":{"type":"text_delta","text":');
const QUOTE = 0x22;
const CLOSE = 0x7d;

/** Bytes of the text of such an event for block `index`; −1 = it is another one, or spelt otherwise. */
export function readTextDelta(data: Uint8Array, start: number, end: number, index: number): number {
  let at = behind(data, start, end, OPENING);
  if (at === -1) return -1;
  let value = 0;
  const digits = at;
  while (at < end && data[at]! >= 0x30 && data[at]! <= 0x39) value = value * 10 + data[at++]! - 0x30;
  if (at === digits || (at > digits + 1 && data[digits] === 0x30) || value !== index) return -1;
  at = behind(data, at, end, DELTA);
  if (at === -1 || data[at] !== QUOTE) return -1;
  const close = skipString(data, at, end);
  if (close < 0 || close + 2 !== end || data[close] !== CLOSE || data[close + 1] !== CLOSE) return -1;
  return close - at - 2;
}

function behind(data: Uint8Array, at: number, end: number, text: Uint8Array): number {
  if (at + text.length > end) return -1;
  for (let i = 0; i < text.length; i++) if (data[at + i] !== text[i]) return -1;
  return at + text.length;
}
