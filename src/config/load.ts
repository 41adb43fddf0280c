/** From text to snapshot, or to everything that is wrong with it. */
import { readFile } from 'node:fs/promises';
import { type BuildOptions, buildSnapshot } from './build/build-snapshot.ts';
import { SIM_PLACEHOLDER } from './build/upstreams.ts';
import { formatProblem, type Problem, sortProblems } from './problem.ts';
import { checkRules } from './rules/check-rules.ts';
import type { Config } from './schema/config-schema.ts';
import { checkShape } from './shape-problems.ts';
import type { Snapshot } from './snapshot.ts';
import { readDocument, type SourceDocument } from './source/document.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadOptions extends Partial<BuildOptions> {
  readonly env: Environment;
}

export type LoadResult =
  | { readonly ok: true; readonly snapshot: Snapshot }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** A configuration that holds by itself: as written, with its places, and validated. */
export interface SoundConfig {
  readonly document: SourceDocument;
  readonly config: Config;
}

export type ReadResult = ({ readonly ok: true } & SoundConfig) | Extract<LoadResult, { readonly ok: false }>;

/** Reads and checks a configuration's YAML text. Never throws for what the text says. */
export function readConfig(text: string, env: Environment): ReadResult {
  const document = readDocument(text, env);
  const refuse = (problems: readonly Problem[]): ReadResult => {
    const told = problems.map((problem) => ({
      ...problem,
      path: document.mask(problem.path),
      message: document.mask(problem.message),
    }));
    return { ok: false, problems: sortProblems(told) };
  };
  if (document.root === null || document.root === undefined) {
    const message = 'the configuration is empty; it needs at least `version: 1`';
    const empty: Problem = { code: 'missing_key', path: '', message, suggestion: null, line: 1, column: 1 };
    return refuse(document.problems.length > 0 ? document.problems : [empty]);
  }
  // What YAML could not make sense of hides or moves the rest: complaints about that would lead astray.
  if (document.problems.some(({ code, path }) => code === 'syntax' && path === '')) return refuse(document.problems);
  const shape = checkShape(document);
  const problems = withoutEchoes([...document.problems, ...shape.problems, ...checkRules(document)]);
  if (problems.length > 0 || shape.config === null) return refuse(problems);
  return { ok: true, document, config: shape.config };
}

/** Loads a configuration from its YAML text. `file` names it in messages. */
export function loadConfig(source: { readonly text: string; readonly file: string } & LoadOptions): LoadResult {
  const { text, file: _file, env, version = 1, ...options } = source;
  const read = readConfig(text, env);
  return read.ok ? { ok: true, snapshot: buildSnapshot(read.config, { version, ...options }) } : read;
}

/** A value that is wrong by itself is not also one of a later version; a key that is misspelt is not also missing. */
function withoutEchoes(problems: readonly Problem[]): Problem[] {
  const wrong = new Set(problems.filter((problem) => problem.code === 'invalid_value').map((problem) => problem.path));
  const meant = new Set(problems.map(meantPath));
  return problems.filter(({ code, path }) => {
    if (code === 'missing_key') return !meant.has(path);
    return code !== 'not_available' || !wrong.has(path);
  });
}

/** The path a misspelt key was meant to have; null for every other problem. */
function meantPath({ code, path, suggestion }: Problem): string | null {
  if (code !== 'unknown_key' || suggestion === null) return null;
  const parent = path.replace(/(?:^|\.)[\w-]+$|\["(?:[^"\\]|\\.)*"\]$/, '');
  return parent === '' ? suggestion : `${parent}.${suggestion}`;
}

/** Larger files are no configuration; reading one by mistake must not fill the memory. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The same from a file; an unreadable one is a problem like any other. */
export async function loadConfigFile(path: string, options: LoadOptions): Promise<LoadResult> {
  const read = await readConfigText(path);
  return read.ok ? loadConfig({ text: read.text, file: path, ...options }) : read;
}

/** The text of a configuration file. */
export async function readConfigText(
  path: string,
): Promise<{ readonly ok: true; readonly text: string } | Extract<LoadResult, { readonly ok: false }>> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_BYTES) return unreadable(`is larger than ${MAX_BYTES} bytes`);
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    return unreadable(reason(error));
  }
}

function unreadable(why: string): Extract<LoadResult, { readonly ok: false }> {
  const message = `the file cannot be read: ${why}`;
  return { ok: false, problems: [{ code: 'unreadable', path: '', message, suggestion: null, line: 1, column: 1 }] };
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'it is not UTF-8';
  return error instanceof Error ? error.message : String(error);
}

/** All problems, one a line. */
export function formatProblems(problems: readonly Problem[], file: string): string {
  return problems.map((problem) => formatProblem(problem, file)).join('\n');
}

/** Some provider is the simulator in the process: the assembly starts it and loads again with `simUrl`. */
export function needsSimulator(snapshot: Snapshot): boolean {
  const listed = snapshot.channels.some((channel) => channel.provider.baseUrl === SIM_PLACEHOLDER);
  return (
    listed ||
    [...(snapshot.wildcards?.byProvider.values() ?? [])].some((entry) => entry.provider.baseUrl === SIM_PLACEHOLDER)
  );
}
