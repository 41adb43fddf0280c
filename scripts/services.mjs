/**
 * PostgreSQL, Redis and Chromium for the tests that start them. In CI what is missing is installed by apt; on a developer's machine
 * nothing is changed, and the tests that need what is missing say how to get it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { run } from './setup.mjs';

const onPath = (program) =>
  (process.env.PATH ?? '').split(path.delimiter).some((dir) => existsSync(path.join(dir, program)));

function hasPostgres() {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base) : [];
  return (
    process.env.UNDERSTUDY_TEST_POSTGRES !== undefined ||
    onPath('initdb') ||
    versions.some((v) => existsSync(path.join(base, v, 'bin', 'initdb')))
  );
}

function hasChromium() {
  return process.env.UNDERSTUDY_CHROMIUM !== undefined || onPath('chromium') || onPath('google-chrome');
}

/** Debian's packages that are missing. */
function missing() {
  return [
    ...(hasPostgres() ? [] : ['postgresql']),
    ...(onPath('redis-server') ? [] : ['redis-server']),
    // Without any font there is no text to look at.
    ...(hasChromium() ? [] : ['chromium', 'fonts-dejavu-core']),
  ];
}

/** Installs what is missing; without CI set it does nothing. Resolves to the packages that are missing still. */
export async function ensureServices() {
  const wanted = missing();
  if (wanted.length === 0 || !process.env.CI) return wanted;
  if (!onPath('apt-get')) return wanted;
  const root = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const [program, ...args] = [...root, 'apt-get', 'install', '-y', '--no-install-recommends', ...wanted];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  process.stdout.write(`installing ${wanted.join(', ')} for the tests\n`);
  if ((await run(program, args, { env })) !== 0) {
    const [update, ...updateArgs] = [...root, 'apt-get', 'update'];
    await run(update, updateArgs, { env });
    await run(program, args, { env });
  }
  stopSystemServers();
  return missing();
}

/** Packages of servers start one at once; the tests have their own. */
function stopSystemServers() {
  for (const name of ['redis-server', 'postgresql']) {
    try {
      execFileSync('service', [name, 'stop'], { stdio: 'ignore' });
    } catch {
      // No such service, or it never ran.
    }
  }
}
