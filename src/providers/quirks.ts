/**
 * What single models are known not to do, by patterns of their names at the provider. Data, dated: a newer model that
 * behaves otherwise gets a line of its own. Unknown models lack nothing.
 */

export interface Quirk {
  readonly pattern: RegExp;
  readonly lacks: readonly string[];
  /** When it was true, `YYYY-MM-DD`. */
  readonly asOf: string;
}

const QUIRKS: readonly Quirk[] = [];

const NOTHING: ReadonlySet<string> = new Set();

/** What a model lacks, in the words of `TargetFacts.lacks`. */
export function lacksOf(upstreamModel: string): ReadonlySet<string> {
  const lacks = QUIRKS.filter(({ pattern }) => pattern.test(upstreamModel)).flatMap((quirk) => quirk.lacks);
  return lacks.length === 0 ? NOTHING : new Set(lacks);
}
