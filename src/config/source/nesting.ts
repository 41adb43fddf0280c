/**
 * How deep a text nests, before any parser reads it: one of some ten thousand levels drove the YAML library to the end of
 * the stack and from there, now and then, to the end of all memory.
 */

/** No configuration comes near it (the tree's own bound is 40), and every parser can do it. */
export const MOST_LEVELS = 1000;

/** `[`, `{` opened and not closed, indicators (`- - -`) and columns of indentation in a row: more than the levels there are. */
const STEPS: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 };

/** Offset of the character that goes too deep; null = the text may be parsed. */
export function tooDeep(text: string): number | null {
  let open = 0;
  let lead = 0;
  let leading = true;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\n' || char === '\r') {
      lead = 0;
      leading = true;
      continue;
    }
    open = Math.max(0, open + (STEPS[char] ?? 0));
    leading &&= char === ' ' || char === '-' || char === '?' || char === ':';
    if (leading) lead++;
    if (open > MOST_LEVELS || lead > 2 * MOST_LEVELS) return at;
  }
  return null;
}
