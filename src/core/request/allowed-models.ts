/** Which models a list of patterns covers (G-3, G-11): `*` stands for any characters, also none, also `/`. */

/** Compiled patterns: whether a model id belongs to them. */
export type ModelMatcher = (id: string) => boolean;

const everything: ModelMatcher = () => true;

/** Compiles patterns; an id belongs to them when one matches. Linear in the id, whatever the pattern. */
export function modelMatcher(patterns: readonly string[]): ModelMatcher {
  if (patterns.includes('*')) return everything;
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const wild = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'));
  return (id) => exact.has(id) || wild.some((pieces) => matches(pieces, id));
}

/** Whether one id is covered. For single questions; who asks often keeps a `modelMatcher`. */
export function mayCall(patterns: readonly string[], id: string): boolean {
  return modelMatcher(patterns)(id);
}

/** `pieces`: the literal text between the stars, at least two. The earliest place for each piece is the best one. */
function matches(pieces: readonly string[], id: string): boolean {
  const head = pieces[0]!;
  const tail = pieces.at(-1)!;
  if (id.length < head.length + tail.length || !id.startsWith(head) || !id.endsWith(tail)) return false;
  const end = id.length - tail.length;
  let from = head.length;
  for (const piece of pieces.slice(1, -1)) {
    const at = id.indexOf(piece, from);
    if (at === -1 || at + piece.length > end) return false;
    from = at + piece.length;
  }
  return true;
}
