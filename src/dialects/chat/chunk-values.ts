/** Judgments of single values in a chunk, by their bytes. Each value's span was validated before. */
import { OPEN_BRACE, OPEN_BRACKET, QUOTE, skipSpace } from '../bytes/json-grammar.ts';
import { textOf } from '../bytes/text.ts';

const ERROR_WORD = [0x22, 0x65, 0x72, 0x72, 0x6f, 0x72, 0x22];
const NO = [0x6e, 0x66]; // The first letters of null and false.

/** Neither null, false, nor an empty string, array or object. */
export function isFilled(bytes: Uint8Array, at: number, behind: number): boolean {
  const first = bytes[at]!;
  if (first === QUOTE) return behind - at > 2;
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipSpace(bytes, at + 1, behind) !== behind - 1;
  return !NO.includes(first);
}

/** As JavaScript's clients judge an `error` member. */
export function isTruthy(bytes: Uint8Array, at: number, behind: number): boolean {
  const first = bytes[at]!;
  if (first === QUOTE) return behind - at > 2;
  if (first === OPEN_BRACE || first === OPEN_BRACKET || first === 0x74) return true;
  return !NO.includes(first) && Number(textOf(bytes, at, behind)) !== 0;
}

export function isErrorWord(bytes: Uint8Array, at: number, behind: number): boolean {
  return behind - at === ERROR_WORD.length && ERROR_WORD.every((byte, i) => bytes[at + i] === byte);
}

/** A choice's index; what is no index counts as the first choice. */
export function choiceIndex(bytes: Uint8Array, at: number, behind: number): number {
  if (behind - at === 1 && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) return bytes[at]! - 0x30;
  const value = Number(textOf(bytes, at, behind));
  return Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
