/** `understudy serve`: the gateway as a process, from its first line to the end of its drain. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { markWarning } from '../assemble/move-marks.ts';
import { DataDirError, type StartOptions } from '../assemble.ts';
import { providersInEnvironment } from '../config/defaults.ts';
import { FIRST_RUN_FILE, type Halves, knownHalves, withdrawFirstRun } from '../config/first-run.ts';
import { formatProblems, loadConfigFile } from '../config/load.ts';
import type { Snapshot } from '../config/snapshot.ts';
import { chatCurl } from './chat-curl.ts';
import { CommandFailure, listenForStop, type RunningGateway, type Shell, untilStopped } from './shell.ts';
import { explainStart } from './start-failure.ts';
import { packageVersion } from './version.ts';

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

function sourceLine(shell: Shell, gateway: RunningGateway, file: string | null): string {
  if (file !== null) return resolve(file);
  const { kind, appliedAt } = gateway.origin();
  if (kind === 'applied') return `as applied on ${new Date(appliedAt ?? 0).toISOString()} (--config FILE beats it)`;
  const used = providersInEnvironment(shell.env);
  if (used.length === 0) return 'none, and no provider key: a simulated provider answers as sim/ok, sim/fail-503, …';
  return `none: models ${used.map((provider) => `${provider.type}/* (${provider.variable})`).join(', ')}`;
}

const HALVES = [
  ['client key', 'clientKey'],
  ['admin token', 'adminToken'],
] as const;

/** Shows what was made at this start and is needed; what is not needed is taken back, to be shown when it is. */
async function announceFirstRun(shell: Shell, gateway: RunningGateway, needed: Halves, dataDir: string): Promise<void> {
  const fresh = gateway.firstRun ?? { clientKey: '', adminToken: '' };
  let shown = false;
  let known = false;
  for (const [name, half] of HALVES) {
    if (!needed[half]) continue;
    if (fresh[half] === '') known = true;
    else shown = true;
    row(shell, name, fresh[half] === '' ? 'as shown at the first start' : shell.paint.good(fresh[half]));
  }
  if (shown) shell.print(shell.paint.note('  Shown this once: keep it now.'));
  if (known) shell.print(shell.paint.dim(`  Lost? ${adviceFor(gateway, dataDir)}`));
  if (gateway.firstRun === null) return;
  await withdrawFirstRun(dataDir, {
    clientKey: fresh.clientKey !== '' && !needed.clientKey,
    adminToken: fresh.adminToken !== '' && !needed.adminToken,
  });
}

/** A folder is one gateway's to change; a shared store is not. */
function adviceFor({ sharesStore }: RunningGateway, dataDir: string): string {
  if (sharesStore === true) return 'Set admin.token in the configuration, and make keys with it.';
  return `Stop, delete ${join(dataDir, FIRST_RUN_FILE)}, start: new ones are made.`;
}

function row(shell: Shell, name: string, value: string): void {
  shell.print(`  ${shell.paint.dim(name.padEnd(15))}${value}`);
}

/** Addresses that mean all of them. */
const EVERYWHERE = new Set(['0.0.0.0', '::']);

async function announce(
  shell: Shell,
  gateway: RunningGateway,
  { file, dataDir }: { readonly file: string | null; readonly dataDir: string },
): Promise<void> {
  shell.print(shell.paint.bold('Understudy is ready'));
  row(shell, 'address', gateway.url);
  row(shell, 'for clients', `${gateway.url}/v1`);
  row(shell, 'console', `${gateway.url}/console/ ${shell.paint.dim('(its password: the admin token)')}`);
  if (EVERYWHERE.has(gateway.host))
    shell.print(shell.paint.note('  Open to the network on every address of this machine: put TLS in front.'));
  row(shell, 'configuration', sourceLine(shell, gateway, file));
  row(shell, 'data', resolve(dataDir));
  const moved = markWarning(resolve(dataDir));
  if (moved !== null) shell.print(shell.paint.note(`  ${moved}`));
  await announceFirstRun(shell, gateway, gateway.generated(), dataDir);
  if (gateway.origin().kind !== 'environment') return;
  suggestTry(shell, gateway);
}

/** Whoever starts without file and account has a key and knows no model yet. */
function suggestTry(shell: Shell, { url, firstRun }: RunningGateway): void {
  if (firstRun === null || firstRun.clientKey === '') return;
  if (providersInEnvironment(shell.env).length > 0) return;
  shell.print('Try it:');
  shell.print(`  ${chatCurl(url, firstRun.clientKey)}`);
}

/** Starts; when that fails, a key and a token made on the way, which nobody has seen, are taken back. */
async function start(shell: Shell, options: StartOptions, read: Snapshot | null): Promise<RunningGateway> {
  const { dataDir } = options;
  const before = await knownHalves(dataDir).catch(() => ({ clientKey: true, adminToken: true }));
  try {
    return await shell.startGateway(options);
  } catch (error) {
    const unseen = { clientKey: !before.clientKey, adminToken: !before.adminToken };
    // A folder that another process holds is that process's to change.
    if (!(error instanceof DataDirError)) await withdrawFirstRun(dataDir, unseen).catch(() => undefined);
    const { host = read?.server.host ?? DEFAULT_HOST, port = read?.server.port ?? DEFAULT_PORT } = options;
    throw explainStart(error, { host, port, dataDir });
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
  shell.print(`${signal}: stopping; requests that run may finish (once more to stop at once)`);
  const again = listenForStop(shell);
  await Promise.race([gateway.drain(timeoutMs), again.signal]).finally(() => again.off());
  await gateway.close();
  shell.print('stopped');
}

export async function serve(shell: Shell, options: ServeOptions): Promise<void> {
  const file = chosenFile(options);
  const snapshot = await readConfiguration(shell, file);
  const dataDir = options.data ?? (snapshot === null ? DEFAULT_DATA : dirname(snapshot.storePath));
  const given = {
    ...(file === null ? {} : { configFile: file }),
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.port === undefined ? {} : { port: options.port }),
  };
  const gateway = await start(shell, { ...given, dataDir, env: shell.env, version: packageVersion() }, snapshot);
  const stopReloading = reloadOnHangup(shell, gateway, file);
  await announce(shell, gateway, { file, dataDir });
  await stop(shell, gateway, options.drainTimeout);
  stopReloading();
}
