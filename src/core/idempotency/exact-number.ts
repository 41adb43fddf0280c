/** A JSON number's exact decimal value as text: equal values are equal texts however they are written. No rounding. */

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * `1`, `1.0`, `10e-1` are `1e0`; `-0` is `0`. Exponents are counted exactly at any length, so that neither
 * 9007199254740993 nor 1e999999999999 meets another number. `text` must be a number of JSON's grammar.
 */
export function exactNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}

/** By hand: a pattern would look at every run of zeros again from each of its positions. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
