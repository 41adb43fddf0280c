/** Where the running configuration comes from, and its exchange by a reload: a bad file never stops a running gateway. */
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { withModels } from '../config/build/with-model.ts';
import { DEFAULTS_NAME, environmentConfig } from '../config/defaults.ts';
import { type FirstRun, openFirstRun } from '../config/first-run.ts';
import {
  type Environment,
  formatProblems,
  type LoadResult,
  loadConfig,
  loadConfigFile,
  needsSimulator,
} from '../config/load.ts';
import type { Problem } from '../config/problem.ts';
import type { Snapshot } from '../config/snapshot.ts';

/** Text beats file; with neither the environment's defaults hold. */
export interface ConfigurationSource {
  readonly configText?: string;
  readonly configFile?: string;
  readonly env: Environment;
}

/** The configuration can't be used; `problems` says why, each with its place. */
export class ConfigRejected extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[], file: string) {
    super(formatProblems(problems, file));
    this.problems = problems;
  }
}

export type ReloadResult =
  | { readonly ok: true; readonly version: number; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export class Configuration {
  readonly firstRun: FirstRun;
  readonly #source: ConfigurationSource;
  #current: Snapshot;
  #simulator: Simulator | null;

  private constructor(source: ConfigurationSource, firstRun: FirstRun, loaded: Loaded) {
    this.#source = source;
    this.firstRun = firstRun;
    this.#current = loaded.snapshot;
    this.#simulator = loaded.simulator;
  }

  /**
   * Rejects with ConfigRejected. `version`: the first snapshot's; the start's wall ms, so that no two processes' lives
   * give the same version to different names (records refer to them).
   */
  static async open(source: ConfigurationSource, dataDir: string, version: number): Promise<Configuration> {
    const firstRun = await openFirstRun(dataDir);
    const loaded = await load(source, firstRun, version, null);
    if (!loaded.ok) throw new ConfigRejected(loaded.problems, nameOf(source));
    return new Configuration(source, firstRun, loaded);
  }

  snapshot(): Snapshot {
    return this.#current;
  }

  /** The snapshot with these names made from wildcards; remembered, so that each name is made once. */
  snapshotFor(names: readonly string[], onNew: (snapshot: Snapshot) => void): Snapshot {
    if (this.#current.wildcards === undefined) return this.#current;
    const made = withModels(this.#current, names);
    if (made === this.#current) return made;
    this.#current = made;
    onNew(made);
    return made;
  }

  async reload(): Promise<ReloadResult> {
    const before = this.#current;
    const loaded = await load(this.#source, this.firstRun, this.#current.version + 1, this.#simulator);
    if (!loaded.ok) return { ok: false, problems: loaded.problems };
    // Names made from wildcards while the file was read took versions of their own.
    const version = Math.max(loaded.snapshot.version, this.#current.version + 1);
    this.#current = { ...loaded.snapshot, version };
    this.#simulator = loaded.simulator;
    return { ok: true, version, notes: fixedSettings(before, this.#current) };
  }

  async close(): Promise<void> {
    await this.#simulator?.close();
  }
}

interface Loaded {
  readonly snapshot: Snapshot;
  readonly simulator: Simulator | null;
}

/** Starts the simulator in the process when a provider asks for one, then loads again with its address. */
async function load(
  source: ConfigurationSource,
  firstRun: FirstRun,
  version: number,
  running: Simulator | null,
): Promise<({ readonly ok: true } & Loaded) | { readonly ok: false; readonly problems: readonly Problem[] }> {
  const options = { env: source.env, version, generated: firstRun.hashes };
  const known = running === null ? options : { ...options, simUrl: `${running.url}/v1` };
  const first = await read(source, known);
  if (!first.ok) return first;
  if (!needsSimulator(first.snapshot)) return { ok: true, snapshot: first.snapshot, simulator: running };
  const simulator = await startSimulator();
  const second = await read(source, { ...options, simUrl: `${simulator.url}/v1` });
  if (!second.ok) {
    await simulator.close();
    return second;
  }
  return { ok: true, snapshot: second.snapshot, simulator };
}

function read(
  source: ConfigurationSource,
  options: Omit<Parameters<typeof loadConfig>[0], 'text' | 'file'>,
): Promise<LoadResult> {
  if (source.configText !== undefined) {
    return Promise.resolve(loadConfig({ ...options, text: source.configText, file: nameOf(source) }));
  }
  if (source.configFile !== undefined) return loadConfigFile(source.configFile, options);
  return Promise.resolve(loadConfig({ ...options, text: environmentConfig(source.env), file: DEFAULTS_NAME }));
}

function nameOf(source: ConfigurationSource): string {
  return source.configFile ?? (source.configText === undefined ? DEFAULTS_NAME : '(configuration)');
}

/** Names of credentials that have another secret than before. */
export function renewedCredentials(before: Snapshot, after: Snapshot): string[] {
  const old = new Map(before.credentials.map(({ name, secret }) => [name, secret.reveal()]));
  return after.credentials
    .filter(({ name, secret }) => old.has(name) && old.get(name) !== secret.reveal())
    .map(({ name }) => name);
}

/** What a running process can not change: said, so that nobody waits for it. */
function fixedSettings(before: Snapshot, after: Snapshot): string[] {
  const notes: string[] = [];
  if (before.server.host !== after.server.host || before.server.port !== after.server.port) {
    notes.push('server.host and server.port take effect at the next start');
  }
  if (before.storePath !== after.storePath) notes.push('store takes effect at the next start');
  if (before.server.logQueue !== after.server.logQueue) notes.push('server.log_queue takes effect at the next start');
  return notes;
}
