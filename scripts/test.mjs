/**
 * `npm test`: installs what is missing, then runs every suite and prints each one's time and the totals.
 * Options: `--only NAME[,NAME]`, `--skip NAME[,NAME]`, `--list`.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { buildConsole, ensureBuilt } from './build.mjs';
import { describeFailure, nothing, oneCheck, tapOutcome, vitestOutcome } from './reports.mjs';
import { ensureServices } from './services.mjs';
import { compareVersions, ensureInstalled, fail, root, run } from './setup.mjs';

/** The client libraries' newest majors need it; the packages of test/sdk/newest bring one. */
const NEWER_NODE = '22.12.0';
const newest = path.join(root, 'test', 'sdk', 'newest');
const consoleFolder = path.join(root, 'console');
const reports = path.join(root, '.cache', 'test');
const tool = (...parts) => path.join(root, 'node_modules', ...parts);

const skip = (why) => {
  process.stdout.write(`skipped: ${why}\n`);
  return { counts: { ...nothing, skipped: 1 }, failures: [] };
};

/** The Node of test/sdk/newest that fits this machine, null where npm has none for it. */
function bundledNode() {
  const modules = path.join(newest, 'node_modules');
  if (!existsSync(modules)) return null;
  const onWindows = process.platform === 'win32';
  for (const name of readdirSync(modules)) {
    const binary = path.join(modules, name, 'bin', onWindows ? 'node.exe' : 'node');
    if (/^node-(bin-)?(linux|darwin|win)-/.test(name) && existsSync(binary)) return binary;
  }
  return null;
}

function newerNode() {
  if (compareVersions(process.versions.node, NEWER_NODE) >= 0) return process.execPath;
  return bundledNode();
}

async function script(args, node = process.execPath, env = {}) {
  return run(node, args, { env: { ...process.env, ...env } });
}

async function vitestOnce(name, args, node) {
  const report = path.join(reports, `${name}.json`);
  rmSync(report, { force: true });
  const output = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return vitestOutcome(report, await script([tool('vitest', 'vitest.mjs'), 'run', ...output, ...args], node));
}

/** More files than these are no accident. */
const MOST_RUN_AGAIN = 3;

/**
 * Runs Vitest. A few files with failures are run once more, each alone: real processes under load are no proof against a
 * machine that stands still for a while. What passes then is unsteady, and named as such; what fails twice has failed.
 */
async function vitest(name, args, node = process.execPath) {
  const first = await vitestOnce(name, args, node);
  const files = [...new Set(first.failures.map(({ file }) => file))];
  const runnable = files.every((file) => existsSync(path.join(root, file)));
  if (files.length === 0 || files.length > MOST_RUN_AGAIN || !runnable) return first;
  process.stdout.write(`\n── ${name}, once more: ${files.join(', ')} ──\n`);
  const second = await vitestOnce(`${name}-again`, [...files, '--maxWorkers=1'], node);
  const counts = { ...first.counts, failed: second.counts.failed };
  counts.passed += Math.max(0, first.counts.failed - second.counts.failed);
  const again = new Set(second.failures.map(({ file, test }) => `${file} ${test}`));
  const unsteady = first.failures.filter(({ file, test }) => !again.has(`${file} ${test}`));
  return { counts, failures: second.failures, unsteady };
}

/** The newest client libraries under Node's own test runner; the gateway they call runs on this Node, from dist/. */
async function newestClients() {
  await ensureInstalled(newest);
  const node = newerNode();
  if (node === null) return skip('no newer Node for this machine; run npm test with Node 22 or newer');
  const types = oneCheck('test/sdk/newest: types', await script([tool('typescript', 'bin', 'tsc'), '-p', newest]));
  const report = path.join(reports, 'newest.tap');
  rmSync(report, { force: true });
  const files = readdirSync(newest).filter((name) => name.endsWith('.test.ts'));
  const output = ['spec:stdout', `tap:${report}`].flatMap((entry) => {
    const [reporter, destination] = entry.split(/:(.*)/s);
    return [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`];
  });
  const paths = files.map((name) => path.join(newest, name));
  // One file at a time: each starts a gateway of its own, and two cores must do.
  const args = ['--test', '--test-concurrency=1', ...output, ...paths];
  const code = await script(args, node, { UNDERSTUDY_GATEWAY_NODE: process.execPath });
  const tests = tapOutcome(report, code);
  const counts = { ...tests.counts };
  for (const key of Object.keys(counts)) counts[key] += types.counts[key];
  return { counts, failures: [...types.failures, ...tests.failures] };
}

/** The unit suite once more, on the current long-term-support line of Node. */
async function unitOnCurrentLts() {
  await ensureInstalled(newest);
  const node = bundledNode();
  return node === null ? skip('npm has no current Node for this machine') : vitest('lts', UNIT, node);
}

/** Of the gateway, of the console, and of the tests that run inside its pages. */
async function allTypes() {
  let failed = 0;
  for (const project of ['tsconfig.json', 'console', 'test/console']) {
    failed += await script([tool('typescript', 'bin', 'tsc'), '-p', project, '--noEmit']);
  }
  return oneCheck('types', failed);
}

/** The console in a real browser, one file at a time: each has a gateway and a Chromium. */
async function consolePages() {
  if ((await buildConsole()) !== 0) return oneCheck('the console builds', 1);
  return vitest('console', ['test/console/', '--maxWorkers=1']);
}

/** Suites of their own: what they measure or kill must not share the machine with others. */
const APART = ['test/sdk', 'test/crash', 'test/scale', 'test/console'];
const UNIT = ['--exclude', 'test/**'];
const SUITES = {
  typecheck: allTypes,
  lint: async () => oneCheck('lint', await script([tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '.'])),
  build: async () => oneCheck('build', await ensureBuilt({ exit: false })),
  unit: () => vitest('unit', UNIT),
  integration: () => vitest('integration', ['test/', ...APART.flatMap((folder) => ['--exclude', `${folder}/**`])]),
  scale: () => vitest('scale', ['test/scale/', '--maxWorkers=1']),
  crash: () => vitest('crash', ['test/crash/']),
  console: consolePages,
  sdk: () => vitest('sdk', ['test/sdk/']),
  newest: newestClients,
  lts: unitOnCurrentLts,
};
/** Only where asked for, and in CI: the same tests a second time. */
const EXTRA = new Set(['lts']);

function chooseSuites() {
  const usage = `Usage: npm test -- [--only NAME,…] [--skip NAME,…] [--list]\nSuites: ${Object.keys(SUITES).join(', ')}`;
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        skip: { type: 'string' },
        list: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
    if (values.list || values.help) {
      process.stdout.write(`${usage}\n`);
      process.exit(0);
    }
    const names = (list) => (list ?? '').split(',').filter((name) => name !== '');
    const [only, without] = [names(values.only), names(values.skip)];
    const unknown = [...only, ...without].filter((name) => !(name in SUITES));
    if (unknown.length > 0) throw new Error(`Unknown suite: ${unknown.join(', ')}`);
    const usual = Object.keys(SUITES).filter((name) => !EXTRA.has(name) || process.env.CI);
    return (only.length > 0 ? only : usual).filter((name) => !without.includes(name));
  } catch (error) {
    return fail(`${error.message}\n${usage}`, 2);
  }
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`.padStart(9);

const chosen = chooseSuites();
await ensureInstalled();
await ensureInstalled(consoleFolder);
const lacking = await ensureServices();
if (lacking.length > 0) {
  const how = `apt-get install --no-install-recommends ${lacking.join(' ')}`;
  process.stdout.write(
    `Without ${lacking.join(' and ')} the tests that start them ${process.env.CI ? 'fail' : 'are skipped'}; get it by: ${how}\n`,
  );
}
mkdirSync(reports, { recursive: true });
const lines = [];
const total = { ...nothing };
const failures = [];
const unsteady = [];
const startedAt = performance.now();
for (const name of chosen) {
  process.stdout.write(`\n── ${name} ──\n`);
  const suiteStartedAt = performance.now();
  const outcome = await SUITES[name]();
  const { counts } = outcome;
  failures.push(...outcome.failures);
  unsteady.push(...(outcome.unsteady ?? []));
  for (const key of Object.keys(total)) total[key] += counts[key];
  const { passed, failed, skipped } = counts;
  lines.push(
    `${name.padEnd(12)}${seconds(performance.now() - suiteStartedAt)}   ${passed} passed, ${failed} failed, ${skipped} skipped`,
  );
}
process.stdout.write(`\n${lines.join('\n')}\n${'total'.padEnd(12)}${seconds(performance.now() - startedAt)}\n\n`);
/** Last of all, where whoever sees only the end of a log finds it. */
const list = (title, found) => {
  if (found.length > 0) process.stdout.write(`${title}:\n${found.map(describeFailure).join('\n')}\n\n`);
};
list('Unsteady (failed, then passed alone; find out why)', unsteady);
list('Failed', failures);
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
