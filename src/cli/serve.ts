/** `understudy serve`: the gateway as a process, from its first line to the end of its drain. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { providersInEnvironment } from '../config/defaults.ts';
import { formatProblems, loadConfigFile } from '../config/load.ts';
import type { Snapshot } from '../config/snapshot.ts';
import { CommandFailure, listenForStop, type RunningGateway, type Shell, untilStopped } from './shell.ts';
import { explainStart } from './start-failure.ts';

/** Taken without `--config` when it is there. */
export const DEFAULT_CONFIG = 'understudy.yaml';
const DEFAULT_DATA = './data';
const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 4000;

export interface ServeOptions {
  readonly config?: string;
  readonly host?: string;
  readonly port?: number;
  readonly data?: string;
  /** Milliseconds. */
  readonly drainTimeout?: number;
}

interface Chosen {
  /** Null: the environment's defaults. */
  readonly file: string | null;
  readonly snapshot: Snapshot | null;
}

function chosenFile(options: ServeOptions): string | null {
  return options.config ?? (existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : null);
}

/** The file's snapshot, or null without a file. Problems are told here, before anything is started. */
async function readConfiguration(shell: Shell, file: string | null): Promise<Snapshot | null> {
  if (file === null) return null;
  const result = await loadConfigFile(file, { env: shell.env });
  if (result.ok) return result.snapshot;
  shell.complain(formatProblems(result.problems, file));
  throw new CommandFailure(`nothing was started: fix ${file} (\`understudy check ${file}\` looks again)`);
}

function sourceLine(shell: Shell, file: string | null): string {
  if (file !== null) return resolve(file);
  const found = providersInEnvironment(shell.env);
  const used = found.filter((provider) => provider.available);
  if (used.length === 0) return 'none: the simulator answers as sim/ok, sim/fail-503, …';
  return `none: ${used.map((provider) => `${provider.type}/* (${provider.variable})`).join(', ')}`;
}

/** What the configuration leaves to the gateway: a client key, an admin token. */
function generatedFor(shell: Shell, snapshot: Snapshot | null): { clientKey: boolean; adminToken: boolean } {
  if (snapshot === null) return { clientKey: true, adminToken: (shell.env['UNDERSTUDY_ADMIN_TOKEN'] ?? '') === '' };
  return { clientKey: snapshot.keys.size === 0, adminToken: snapshot.adminTokenHash === null };
}

function announce(shell: Shell, gateway: RunningGateway, chosen: Chosen, dataDir: string): void {
  const { paint } = shell;
  const row = (name: string, value: string): void => shell.print(`  ${paint.dim(name.padEnd(13))}${value}`);
  shell.print(paint.bold('Understudy is ready'));
  row('address', gateway.url);
  row('configuration', sourceLine(shell, chosen.file));
  row('data', resolve(dataDir));
  const wanted = generatedFor(shell, chosen.snapshot);
  if (gateway.firstRun !== null && (wanted.clientKey || wanted.adminToken)) {
    if (wanted.clientKey) row('client key', paint.good(gateway.firstRun.clientKey));
    if (wanted.adminToken) row('admin token', paint.good(gateway.firstRun.adminToken));
    shell.print(paint.note('  Shown this once: keep it now.'));
  }
  for (const provider of chosen.file === null ? providersInEnvironment(shell.env) : []) {
    if (provider.available) continue;
    shell.complain(
      `${provider.variable} is set, but provider type ${provider.type} is not carried out by this version`,
    );
  }
}

/** SIGHUP, one reload after the other: a bad file never stops a running gateway. */
function reloadOnHangup(shell: Shell, gateway: RunningGateway, file: string | null): () => void {
  let running: Promise<void> = Promise.resolve();
  const reload = async (): Promise<void> => {
    if (file === null) {
      shell.complain('SIGHUP: there is no configuration file to load again');
      return;
    }
    const result = await gateway.reload();
    if (!result.ok) {
      shell.complain(formatProblems(result.problems, file));
      shell.complain('the configuration was not changed: the gateway goes on with the last good one');
      return;
    }
    shell.print(`configuration loaded again from ${file}`);
    for (const note of result.notes) shell.print(`  ${note}`);
  };
  return shell.onSignal('SIGHUP', () => {
    running = running.then(reload).catch((error: unknown) => {
      shell.complain(`reload failed: ${error instanceof Error ? error.message : String(error)}`);
    });
  });
}

/** Drains until done, until the timeout, or until a second signal. */
async function stop(shell: Shell, gateway: RunningGateway, timeoutMs: number | undefined): Promise<void> {
  const signal = await untilStopped(shell);
  shell.print(`${signal}: no new requests; running ones may finish (once more to stop at once)`);
  const again = listenForStop(shell);
  await Promise.race([gateway.drain(timeoutMs), again.signal]).finally(() => again.off());
  await gateway.close();
  shell.print('stopped');
}

export async function serve(shell: Shell, options: ServeOptions): Promise<void> {
  const file = chosenFile(options);
  const snapshot = await readConfiguration(shell, file);
  const dataDir = options.data ?? (snapshot === null ? DEFAULT_DATA : dirname(snapshot.storePath));
  const host = options.host ?? snapshot?.server.host ?? DEFAULT_HOST;
  const port = options.port ?? snapshot?.server.port ?? DEFAULT_PORT;
  let gateway: RunningGateway;
  try {
    const source = file === null ? {} : { configFile: file };
    gateway = await shell.startGateway({ ...source, host, port, dataDir, env: shell.env });
  } catch (error) {
    throw explainStart(error, { host, port, dataDir });
  }
  const stopReloading = reloadOnHangup(shell, gateway, file);
  announce(shell, gateway, { file, snapshot }, dataDir);
  await stop(shell, gateway, options.drainTimeout);
  stopReloading();
}
