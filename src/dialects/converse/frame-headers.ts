/** The headers of one frame: each a name, the type of its value, the value. Only those that say what it is are read. */
import { textOf } from '../bytes/text.ts';

/** What a frame is. */
export interface FrameHead {
  /** `:message-type`: `event`, `exception` or `error`; '' = not told. */
  kind: string;
  /** What it is an event or exception of: `:event-type`, `:exception-type` or `:error-code`; '' = not told. */
  name: string;
  /** `:error-message`; '' = none. */
  message: string;
}

const STRING = 7;
const BYTES = 6;
/** Value bytes by type; strings and bytes bring their own length. */
const VALUE_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

/** Null = they are broken. */
export function readHeaders(bytes: Uint8Array, start: number, end: number): FrameHead | null {
  const told: FrameHead = { kind: '', name: '', message: '' };
  let at = start;
  while (at < end) {
    const nameEnd = at + 1 + bytes[at]!;
    if (nameEnd >= end) return null;
    const type = bytes[nameEnd]!;
    let valueStart = nameEnd + 1;
    let length = VALUE_BYTES[type];
    if (type === STRING || type === BYTES) {
      length = valueStart + 2 <= end ? (bytes[valueStart]! << 8) | bytes[valueStart + 1]! : Number.POSITIVE_INFINITY;
      valueStart += 2;
    }
    if (length === undefined || valueStart + length > end) return null;
    if (type === STRING) note(told, textOf(bytes, at + 1, nameEnd), bytes, valueStart, valueStart + length);
    at = valueStart + length;
  }
  return told;
}

function note(told: FrameHead, header: string, bytes: Uint8Array, start: number, end: number): void {
  switch (header) {
    case ':message-type':
      told.kind = textOf(bytes, start, end);
      break;
    case ':event-type':
    case ':exception-type':
    case ':error-code':
      told.name = textOf(bytes, start, end);
      break;
    case ':error-message':
      told.message = textOf(bytes, start, end);
      break;
  }
}
