/**
 * Brings a checkout to the state the other scripts need: a Node that is new enough, and the packages of a lock file.
 * Uses Node's own modules only, because nothing may be installed yet. Run alone: `node scripts/setup.mjs`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** The oldest Node the gateway runs on (package.json "engines"). */
export const OLDEST_NODE = '20.19.0';

/** Ends the process with a plain message: what is wrong, then what to do. */
export function fail(message, exitCode = 1) {
  process.stderr.write(`\n${message}\n`);
  process.exit(exitCode);
}

/** Negative when version `a` is older than `b`. Both like `20.19.0`, with or without `v`. */
export function compareVersions(a, b) {
  const parts = (version) => version.replace(/^v/, '').split('.').map(Number);
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < 3; i += 1) {
    const difference = (left[i] || 0) - (right[i] || 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function requireNode(version = process.versions.node) {
  if (compareVersions(version, OLDEST_NODE) >= 0) return;
  fail(`Understudy needs Node ${OLDEST_NODE} or newer; this is ${version}.
Install a newer one (https://nodejs.org, or \`nvm install\` in this folder) and run the same command again.`);
}

/** How often a script looks whether the npm that started it is still there. */
const PARENT_POLL_MS = 500;

/**
 * Calls back when the process that started this one has ended. Started by npm, a script stands behind a shell that dies
 * of SIGTERM without handing it on: a gateway left behind would hold its port.
 */
function onParentGone(callback) {
  if (process.env.npm_lifecycle_event === undefined) return () => {};
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) callback();
  }, PARENT_POLL_MS);
  return () => clearInterval(timer);
}

/**
 * Runs a program with the terminal's own input and output and waits for it. Ctrl-C reaches both; the child decides.
 * @returns {Promise<number>} its exit code; 128 + signal number when a signal ended it; 127 when it can't be started.
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', cwd: root, ...options });
    const forward = { SIGTERM: () => child.kill('SIGTERM'), SIGHUP: () => child.kill('SIGHUP'), SIGINT: () => {} };
    for (const [signal, handler] of Object.entries(forward)) process.on(signal, handler);
    const forget = onParentGone(forward.SIGTERM);
    const finish = (code) => {
      forget();
      for (const [signal, handler] of Object.entries(forward)) process.off(signal, handler);
      resolve(code);
    };
    child.on('error', () => finish(127));
    child.on('exit', (code, signal) => finish(code ?? 128 + (signal === 'SIGINT' ? 2 : 15)));
  });
}

/** How to start npm: the one that runs this script, else the one on the PATH. */
function npmCommand() {
  const running = process.env.npm_execpath;
  if (running && path.basename(running).startsWith('npm') && existsSync(running)) {
    return { command: process.execPath, prefix: [running], shell: false };
  }
  const onWindows = process.platform === 'win32';
  return { command: onWindows ? 'npm.cmd' : 'npm', prefix: [], shell: onWindows };
}

function npm(args, options) {
  const { command, prefix, shell } = npmCommand();
  return run(command, [...prefix, ...args], { shell, ...options });
}

function quietNpm(args, cwd) {
  const { command, prefix, shell } = npmCommand();
  return spawnSync(command, [...prefix, ...args], { cwd, shell, stdio: 'ignore', timeout: 20_000 });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? null;
  } catch {
    return null;
  }
}

/**
 * Whether `node_modules` lacks what `package-lock.json` asks for. Compares versions rather than times: a fresh clone,
 * a pulled lock and an interrupted install are all seen, a touched file is not.
 * @returns {string | null} the reason in words, null when everything is there.
 */
export function missingPackages(folder) {
  const wanted = readPackages(path.join(folder, 'package-lock.json'));
  if (wanted === null) return 'package-lock.json cannot be read';
  const installed = readPackages(path.join(folder, 'node_modules', '.package-lock.json'));
  if (installed === null) return 'nothing is installed yet';
  for (const [place, entry] of Object.entries(wanted)) {
    if (place === '' || entry.optional || entry.devOptional || entry.peer) continue;
    const found = installed[place];
    if (found === undefined || !existsSync(path.join(folder, place))) return `${place} is missing`;
    if (found.version !== entry.version) return `${place} is ${found.version}, the lock says ${entry.version}`;
  }
  return null;
}

/** Installs a folder's packages from its lock when they are missing or other ones. */
export async function ensureInstalled(folder = root) {
  requireNode();
  const reason = missingPackages(folder);
  if (reason === null) return;
  const name = path.relative(root, folder) || 'understudy';
  process.stdout.write(`Installing the packages of ${name} (${reason}): npm ci\n`);
  // --include=dev: NODE_ENV=production would leave out the compiler. No install script is needed by any package.
  const code = await npm(['ci', '--no-audit', '--no-fund', '--include=dev', '--ignore-scripts'], { cwd: folder });
  if (code === 0) return;
  if (code === 127)
    fail('npm was not found. It comes with Node: install Node from https://nodejs.org, then run again.');
  const online = quietNpm(['ping'], folder).status === 0;
  fail(
    online
      ? `npm ci failed (exit ${code}); its own message is above. Remove ${path.join(name, 'node_modules')} and run again.`
      : 'npm ci failed: the npm registry could not be reached. Check the network (or `npm config get registry`, and the proxy settings) and run again.',
  );
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) await ensureInstalled();
