/** What the schema says about a document, in plain words and with places. */
import type * as z from 'zod';
import { nearestName } from '../core/nearest-name.ts';
import { hint } from './hint.ts';
import { formatPath, type Path, type Problem } from './problem.ts';
import { type Config, configSchema } from './schema/config-schema.ts';
import { knownKeys } from './schema/known-keys.ts';
import type { SourceDocument } from './source/document.ts';

type Issue = z.core.$ZodIssue;

/** The value at `path`, undefined when there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

const SECRETIVE = /secret|token|proxy|headers/i;

/** What stands there now, for the end of a message; silent about secrets and about what came from the environment. */
function found(document: SourceDocument, path: Path): string {
  const origin = document.origin(path);
  if (origin !== null) return `; it comes from \${${origin.variables.join('}, ${')}}`;
  const value = valueAt(document.root, path);
  if (value === null) return ', got nothing';
  if (Array.isArray(value)) return ', got a list';
  if (typeof value === 'object') return ', got a mapping';
  if (path.some((step) => typeof step === 'string' && SECRETIVE.test(step))) return '';
  const shown = JSON.stringify(value);
  return `, got ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`;
}

function unknownKeys(document: SourceDocument, path: Path, keys: readonly string[]): Problem[] {
  const known = knownKeys(configSchema, path);
  return keys.map((key) => {
    const { text, suggestion } = hint(key, known);
    const full = [...path, key];
    return {
      code: 'unknown_key',
      path: formatPath(full),
      message: `unknown key${text}`,
      suggestion,
      ...document.place(full, 'key'),
    };
  });
}

function valueProblem(document: SourceDocument, path: Path, issue: Issue): Problem {
  const written = valueAt(document.root, path);
  if (written === undefined) {
    const message = `is required and missing; it ${issue.message}`;
    return { code: 'missing_key', path: formatPath(path), message, suggestion: null, ...document.place(path, 'key') };
  }
  const values = issue.code === 'invalid_value' ? issue.values.map(String) : [];
  const suggestion = typeof written === 'string' ? nearestName(written, values) : null;
  const advice = suggestion === null ? '' : `; did you mean \`${suggestion}\`?`;
  return {
    code: 'invalid_value',
    path: formatPath(path),
    message: issue.message + found(document, path) + advice,
    suggestion,
    ...document.place(path, 'value'),
  };
}

/** A string that came from the environment, where a number or a switch is wanted: read it as one. */
function coerce(document: SourceDocument, issue: Issue): boolean {
  if (issue.code !== 'invalid_type' || document.origin(issue.path as Path) === null) return false;
  const parent = valueAt(document.root, issue.path.slice(0, -1) as Path) as Record<string | number, unknown>;
  const last = issue.path.at(-1) as string | number;
  const written = parent[last];
  if (typeof written !== 'string') return false;
  const wanted: string = issue.expected;
  const trimmed = written.trim();
  if ((wanted === 'number' || wanted === 'int') && /^-?\d+(\.\d+)?$/.test(trimmed)) parent[last] = Number(trimmed);
  else if (wanted === 'boolean' && /^(true|false)$/.test(trimmed)) parent[last] = trimmed === 'true';
  else return false;
  return true;
}

/**
 * Validates the document against the schema. All problems at once; fields whose environment variable is missing have
 * been reported already and are passed over. `config` is null when anything was wrong.
 */
export function checkShape(document: SourceDocument): { config: Config | null; problems: Problem[] } {
  let result = configSchema.safeParse(document.root);
  if (!result.success && result.error.issues.filter((issue) => coerce(document, issue)).length > 0) {
    result = configSchema.safeParse(document.root);
  }
  if (result.success) return { config: result.data, problems: [] };
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const issue of result.error.issues) {
    const path = issue.path as Path;
    if (issue.code === 'unrecognized_keys') problems.push(...unknownKeys(document, path, issue.keys));
    else if (document.origin(path)?.broken !== true && !seen.has(formatPath(path))) {
      seen.add(formatPath(path));
      problems.push(valueProblem(document, path, issue));
    }
  }
  return { config: null, problems };
}
