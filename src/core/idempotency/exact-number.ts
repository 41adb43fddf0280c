/** A JSON number's exact decimal value as text: equal texts are equal values. No rounding. */

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE][+]?(-?\d+))?$/;
/** So long an exponent is counted exactly by a JavaScript number, whatever number of digits comes before it. */
const LONGEST_EXPONENT = 14;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * `1`, `1.0`, `10e-1` are `1e0`; `-0` is `0`. Neither 9007199254740993 nor 1e999999999999 meets another number. A number
 * whose exponent nobody could write out stands for itself alone: adding to a million digits would hold up everybody
 * else. `text` must be a number of JSON's grammar.
 */
export function exactNumber(text: string): string {
  if (isShortInteger(text)) return text === '0' ? text : scientific('', text, 0);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return '0';
  if (exponent.length > LONGEST_EXPONENT) return text;
  return scientific(sign, digits, Number(exponent) - fraction.length);
}

/** Most numbers are; no pattern is needed to see it. */
function isShortInteger(text: string): boolean {
  if (text.length > 15) return false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}

/** `digits` begin with another than 0. Trailing zeros by hand: a pattern would look at every run of them again from each of its positions. */
function scientific(sign: string, digits: string, power: number): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return `${sign}${digits.slice(0, end)}e${power + digits.length - end}`;
}
