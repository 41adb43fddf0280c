/**
 * Reading a document that may be wrong in other places: rules look at what is well-formed and pass over the rest, so
 * that one run reports everything.
 */
import { hint } from '../hint.ts';
import { formatPath, type NamedInProblem, type Path, type Problem, type ProblemCode } from '../problem.ts';
import { valueAt } from '../shape-problems.ts';
import type { SourceDocument } from '../source/document.ts';

export type Mapping = Readonly<Record<string, unknown>>;

export function mappingOf(value: unknown): Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mapping) : {};
}
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
export function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A document with a notebook for what is wrong in it. */
export interface Review {
  readonly document: SourceDocument;
  readonly problems: Problem[];
}

export function mappingAt(review: Review, ...path: Path): Mapping {
  return mappingOf(valueAt(review.document.root, path));
}
export function listAt(review: Review, ...path: Path): readonly unknown[] {
  return listOf(valueAt(review.document.root, path));
}

/** A string that is there and whole; null for anything else, a missing environment variable included. */
export function textAt(review: Review, ...path: Path): string | null {
  if (review.document.origin(path)?.broken === true) return null;
  return stringOf(valueAt(review.document.root, path));
}

export function report(
  review: Review,
  code: ProblemCode,
  path: Path,
  message: string,
  what: 'key' | 'value' = 'value',
  suggestion: string | null = null,
): void {
  review.problems.push({ code, path: formatPath(path), message, suggestion, ...review.document.place(path, what) });
}

type NamedKind = NamedInProblem['kind'];

/** A message that tells names: `message` to the operator, `plain` and those of `known` he may know to anybody else. */
export function reportNames(
  review: Review,
  code: ProblemCode,
  path: Path,
  said: { readonly message: string; readonly suggestion: string | null } & NamedInProblem,
): void {
  const { message, suggestion, ...names } = said;
  const place = review.document.place(path, 'value');
  review.problems.push({ code, path: formatPath(path), message, suggestion, names, ...place });
}

/**
 * Reports `name` at `path` as unknown, with the nearest of `known`. `before`: what makes them whole names (`MODEL#`).
 * Static answers are everybody's to name.
 */
export function reportUnknown(
  review: Review,
  path: Path,
  kind: NamedKind | 'entry under `answers` called',
  name: string,
  known: readonly string[],
  before = '',
): void {
  const { text, suggestion } = hint(name, known);
  const plain = `there is no ${kind} \`${name}\``;
  const message = `${plain}${text}`;
  if (kind === 'entry under `answers` called') report(review, 'unknown_reference', path, message, 'value', suggestion);
  else {
    reportNames(review, 'unknown_reference', path, { message, suggestion, plain, kind, written: name, known, before });
  }
}
