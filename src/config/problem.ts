/** What is wrong with a configuration, one entry per fault, each with its place in the file. */

/** Kinds of fault. `not_available`: valid, but not available in this version; never accepted silently. */
export type ProblemCode =
  | 'unreadable'
  | 'syntax'
  | 'missing_variable'
  | 'unknown_key'
  | 'missing_key'
  | 'invalid_value'
  | 'unknown_reference'
  | 'duplicate'
  | 'alias_loop'
  | 'not_available';

/** Steps from the root: mapping keys and list positions. */
export type Path = readonly (string | number)[];

/** From 1; column counts UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Problem extends Place {
  readonly code: ProblemCode;
  /** As people write it: `keys[0].limits.rpm`, `models["openai/gpt-5-nano"].price`. Empty for the file itself. */
  readonly path: string;
  /** What is wrong and what is allowed, without path and place. Never a secret (E-5). */
  readonly message: string;
  /** The nearest known name, where there is one. */
  readonly suggestion: string | null;
  /** There where the message tells names that not everybody may know (G-8). */
  readonly names?: NamedInProblem;
}

/** What of a message is names: `toldTo` says it to somebody who may know only some of them. */
export interface NamedInProblem {
  /** The message without them. */
  readonly plain: string;
  readonly kind: 'model' | 'channel' | 'provider' | 'workspace';
  /** What was written. */
  readonly written: string;
  /** All that exist, as they are written there; with `before` in front they are whole. */
  readonly known: readonly string[];
  readonly before: string;
}

/** `["keys", 0, "limits"]` → `keys[0].limits`; names that are no plain words are quoted in brackets. */
export function formatPath(path: Path): string {
  let out = '';
  for (const step of path) {
    if (typeof step === 'number') out += `[${step}]`;
    else if (/^[A-Za-z0-9_-]+$/.test(step)) out += out === '' ? step : `.${step}`;
    else out += `[${JSON.stringify(step)}]`;
  }
  return out;
}

/** One line for a terminal: `FILE:LINE:COLUMN: PATH: MESSAGE`. */
export function formatProblem(problem: Problem, file: string): string {
  const where = problem.path === '' ? '' : `${problem.path}: `;
  return `${file}:${problem.line}:${problem.column}: ${where}${problem.message}`;
}

/** By place, then by path: the order in which somebody would fix them. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return [...problems].sort(
    (a, b) => a.line - b.line || a.column - b.column || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
  );
}
