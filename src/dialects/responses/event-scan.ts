/**
 * Reads what the gateway must know of one event in one pass over its bytes, validating it on the way. One scanner serves a
 * whole stream: its fields hold the last event scanned, nothing is allocated per event.
 */
import { OPEN_BRACE, QUOTE, skipSpace, skipValue, walkObject } from '../bytes/json-grammar.ts';
import { textOf } from '../bytes/text.ts';

const keyBytes = (name: string): readonly number[] => [...Buffer.from(`"${name}"`)];

const TYPE = keyBytes('type');
const DELTA = keyBytes('delta');
const ITEM = keyBytes('item');
const PART = keyBytes('part');
const ERROR = keyBytes('error');
const RESPONSE = keyBytes('response');
const SEQUENCE = keyBytes('sequence_number');
const OUTPUT_INDEX = keyBytes('output_index');
/** Where a `.done` event holds the whole of what its deltas brought. */
const WHOLES = ['text', 'refusal', 'arguments', 'input', 'code', 'command', 'transcript'].map(keyBytes);

const NO_BYTES = Buffer.alloc(0);

export class EventScan {
  /** Spans of values; −1 = absent. Strings with their quotes. */
  typeStart = -1;
  typeEnd = -1;
  deltaStart = -1;
  deltaEnd = -1;
  /** Of `item` or `part`. */
  innerStart = -1;
  innerEnd = -1;
  responseStart = -1;
  responseEnd = -1;
  /** Length of the longest string in which a `.done` repeats its content. */
  wholeLength = 0;
  /** `error` says something. */
  failed = false;
  /** −1 = none that counts. */
  sequence = -1;
  /** Which item it belongs to; −1 = it tells none. */
  outputIndex = -1;
  /** Of the event's `{` and of the byte past its `}`. */
  objectStart = 0;
  objectEnd = 0;
  #bytes: Uint8Array = NO_BYTES;
  #end = 0;

  /** Scans one whole object. Returns 0, or a negative error: `~offset` of the offending byte. */
  scan(bytes: Uint8Array, start: number, end: number): number {
    this.#bytes = bytes;
    this.#end = end;
    this.typeStart = this.deltaStart = this.innerStart = this.responseStart = this.sequence = this.outputIndex = -1;
    this.wholeLength = 0;
    this.failed = false;
    const at = skipSpace(bytes, start, end);
    if (at >= end || bytes[at] !== OPEN_BRACE) return ~at;
    const behind = walkObject(bytes, at, end, 0, this.#member);
    if (behind < 0) return behind;
    this.objectStart = at;
    this.objectEnd = behind;
    const rest = skipSpace(bytes, behind, end);
    return rest === end ? 0 : ~rest;
  }

  readonly #member = (keyStart: number, keyEnd: number, at: number): number => {
    const bytes = this.#bytes;
    const behind = skipValue(bytes, at, this.#end, 1);
    if (behind < 0) return behind;
    const length = keyEnd - keyStart;
    if (is(bytes, keyStart, length, TYPE)) {
      this.typeStart = at;
      this.typeEnd = behind;
    } else if (is(bytes, keyStart, length, DELTA)) {
      this.deltaStart = at;
      this.deltaEnd = behind;
    } else if (is(bytes, keyStart, length, SEQUENCE)) {
      this.sequence = wholeNumber(bytes, at, behind);
    } else if (is(bytes, keyStart, length, OUTPUT_INDEX)) {
      this.outputIndex = wholeNumber(bytes, at, behind);
    } else if (is(bytes, keyStart, length, RESPONSE)) {
      this.responseStart = bytes[at] === OPEN_BRACE ? at : -1;
      this.responseEnd = behind;
    } else if (is(bytes, keyStart, length, ITEM) || is(bytes, keyStart, length, PART)) {
      this.innerStart = bytes[at] === OPEN_BRACE ? at : -1;
      this.innerEnd = behind;
    } else if (is(bytes, keyStart, length, ERROR)) {
      this.failed = says(bytes, at, behind);
    } else if (bytes[at] === QUOTE && behind - at - 2 > this.wholeLength) {
      for (const name of WHOLES) if (is(bytes, keyStart, length, name)) this.wholeLength = behind - at - 2;
    }
    return behind;
  };
}

function is(bytes: Uint8Array, at: number, length: number, name: readonly number[]): boolean {
  if (length !== name.length) return false;
  for (let i = 1; i < length; i++) if (bytes[at + i] !== name[i]) return false;
  return true;
}

/** Neither null, false, 0 nor an empty string. */
function says(bytes: Uint8Array, at: number, behind: number): boolean {
  const first = bytes[at]!;
  if (first === QUOTE) return behind - at > 2;
  return first !== 0x6e && first !== 0x66 && first !== 0x30;
}

function wholeNumber(bytes: Uint8Array, at: number, behind: number): number {
  let value = 0;
  for (let i = at; i < behind; i++) {
    const digit = bytes[i]! - 0x30;
    if (digit < 0 || digit > 9) return otherNumber(textOf(bytes, at, behind));
    value = value * 10 + digit;
  }
  return value <= Number.MAX_SAFE_INTEGER ? value : -1;
}

function otherNumber(text: string): number {
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= 0 ? value : -1;
}
