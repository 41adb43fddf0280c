/**
 * Compiles src/, sim/ and bench/ to dist/, and builds the console to dist/console, when a source changed since the last build.
 * Run alone: `node scripts/build.mjs` (`--force` builds in any case, `--console` the console alone).
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, fail, root, run } from './setup.mjs';

const SOURCES = ['src', 'sim', 'bench'];
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
const dist = path.join(root, 'dist');
/** Holds the fingerprint of the sources that dist/ was compiled from. */
const stamp = path.join(dist, '.built-from');

const consoleFolder = path.join(root, 'console');
const builtConsole = path.join(dist, 'console');
/** The same for the console: either is built without the other. */
const consoleStamp = path.join(dist, '.console-built-from');
/** What the console is made of, inside its folder. */
const CONSOLE_SOURCES = ['src', 'public'];
const CONSOLE_SETTINGS = [
  'index.html',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'licences.ts',
  'two-languages.ts',
  'vite.config.ts',
];

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Changes with every edited, added, renamed or removed source. Names, sizes and times, not contents: it runs often. */
function fingerprint(base, folders, settings) {
  const hash = createHash('sha256');
  const files = [
    ...folders.flatMap((folder) => filesUnder(path.join(base, folder))),
    ...settings.map((name) => path.join(base, name)),
  ];
  for (const file of files.sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${path.relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function lastBuild(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Modules the compiler leaves alone: worker entries are plain JavaScript, so that they run from src/ and from dist/. */
function copyPlainModules() {
  for (const file of SOURCES.flatMap((folder) => filesUnder(path.join(root, folder)))) {
    if (!file.endsWith('.mjs')) continue;
    const target = path.join(dist, path.relative(root, file));
    mkdirSync(path.dirname(target), { recursive: true });
    copyFileSync(file, target);
  }
}

/** Takes away output whose source is gone: a stale module must not be found by an import. */
function removeOrphans() {
  for (const file of filesUnder(dist)) {
    if (file.startsWith(builtConsole + path.sep)) continue;
    const source = path.relative(dist, file).replace(/\.js(\.map)?$/, '.ts');
    if (source.endsWith('.ts') && !existsSync(path.join(root, source))) rmSync(file);
  }
}

/**
 * Compiles when needed. When the sources don't compile, the compiler's messages are shown and the process ends
 * (`exit: false`: the compiler's exit code is returned instead).
 */
export async function ensureBuilt({ force = false, exit = true } = {}) {
  await ensureInstalled();
  const code = (await compile(force)) || (await buildConsole(force));
  if (code !== 0 && exit) fail('The sources do not compile; the messages are above.');
  return code;
}

async function compile(force) {
  const wanted = fingerprint(root, SOURCES, SETTINGS);
  if (!force && lastBuild(stamp) === wanted) return 0;
  process.stdout.write('Compiling to dist/ …\n');
  rmSync(stamp, { force: true });
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const code = await run(process.execPath, [compiler, '-p', 'tsconfig.build.json']);
  if (code !== 0) return code;
  removeOrphans();
  copyPlainModules();
  mkdirSync(dist, { recursive: true });
  writeFileSync(stamp, wanted);
  return 0;
}

/** The console has packages of its own, none of which the gateway runs on: they are installed when it must be built. */
export async function buildConsole(force = false) {
  const wanted = fingerprint(consoleFolder, CONSOLE_SOURCES, CONSOLE_SETTINGS);
  if (!force && lastBuild(consoleStamp) === wanted) return 0;
  await ensureInstalled(consoleFolder);
  process.stdout.write('Building the console to dist/console …\n');
  rmSync(consoleStamp, { force: true });
  // Beside its place, then put there as a whole: a gateway that starts meanwhile reads the one or the other.
  const fresh = path.join(dist, `.console-${process.pid}`);
  const vite = path.join(consoleFolder, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', '--logLevel', 'warn', '--outDir', fresh, '--emptyOutDir'];
  // Whatever this process is told: a test's NODE_ENV would bring React's slow and talkative half along.
  const env = { ...process.env, NODE_ENV: 'production' };
  const code = await run(process.execPath, args, { cwd: consoleFolder, env });
  if (code === 0) {
    rmSync(builtConsole, { recursive: true, force: true });
    renameSync(fresh, builtConsole);
    writeFileSync(consoleStamp, wanted);
  }
  rmSync(fresh, { recursive: true, force: true });
  return code;
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const force = process.argv.includes('--force');
  if (process.argv.includes('--console')) process.exitCode = await buildConsole(force);
  else await ensureBuilt({ force });
}
