/** Where the running configuration comes from: a file, what was applied, or the environment. */
import { createHash } from 'node:crypto';
import { DEFAULTS_NAME, environmentConfig } from '../config/defaults.ts';
import { type Environment, formatProblems, readConfig, readConfigText, type SoundConfig } from '../config/load.ts';
import type { Problem } from '../config/problem.ts';

/** Text beats file, both beat what was applied; with none of them the environment's defaults hold. */
export interface ConfigurationSource {
  readonly configText?: string;
  readonly configFile?: string;
  readonly env: Environment;
}

/** What is in force now. `appliedAt`: wall ms of the `apply` it came by; null = it was read at the start or a reload. */
export interface ConfigurationOrigin {
  readonly kind: 'file' | 'text' | 'applied' | 'environment';
  /** For messages: the file's name as it was given. */
  readonly name: string;
  readonly appliedAt: number | null;
}

/** A text that holds by itself, and where it came from. */
export interface FileConfig extends SoundConfig {
  readonly text: string;
  readonly origin: ConfigurationOrigin;
}

/** A text that was applied in an earlier life of the data folder. */
export interface AppliedText {
  readonly text: string;
  readonly at: number;
}

export type SourceResult =
  | { readonly ok: true; readonly file: FileConfig }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly name: string };

/** The configuration can't be used; `problems` says why, each with its place. */
export class ConfigRejected extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[], file: string) {
    super(formatProblems(problems, file));
    this.problems = problems;
  }
}

/** Reads the source of a start or a reload. `applied` is asked only when neither text nor file is given. */
export async function readSource(
  source: ConfigurationSource,
  applied: () => AppliedText | null,
): Promise<SourceResult> {
  const { configText, configFile, env } = source;
  if (configText !== undefined)
    return readText(configText, { kind: 'text', name: '(configuration)', appliedAt: null }, env);
  if (configFile !== undefined) {
    const read = await readConfigText(configFile);
    if (!read.ok) return { ...read, name: configFile };
    return readText(read.text, { kind: 'file', name: configFile, appliedAt: null }, env);
  }
  const known = applied();
  if (known !== null) {
    return readText(known.text, { kind: 'applied', name: '(applied configuration)', appliedAt: known.at }, env);
  }
  return readText(environmentConfig(env), { kind: 'environment', name: DEFAULTS_NAME, appliedAt: null }, env);
}

/** Checks a text as the configuration of `origin`. */
export function readText(text: string, origin: ConfigurationOrigin, env: Environment): SourceResult {
  const read = readConfig(text, env);
  if (!read.ok) return { ...read, name: origin.name };
  return { ok: true, file: { document: read.document, config: read.config, text, origin } };
}

/** Tells one text from another without showing it. */
export function textMark(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
