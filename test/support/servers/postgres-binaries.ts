/** Where PostgreSQL's programs are on this machine, and as whom they run: `initdb` and `postgres` refuse root. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const INSTALLED = '/usr/lib/postgresql';
/** The one line that brings what is missing. */
export const APT_LINE = 'apt-get install -y --no-install-recommends postgresql-15';

/** The folder of `initdb` and `postgres`, null where there is none. The newest of those installed. */
export function findBinaries(env: Readonly<Record<string, string | undefined>> = process.env): string | null {
  const named = env['UNDERSTUDY_TEST_POSTGRES'];
  const installed = existsSync(INSTALLED) ? readdirSync(INSTALLED) : [];
  const newestFirst = [...installed].sort((a, b) => Number(b) - Number(a)).map((v) => path.join(INSTALLED, v, 'bin'));
  const folders = named === undefined || named === '' ? newestFirst : [named];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(path.join(folder, name)))) ?? null;
}

/** Null = PostgreSQL can be started here, else what to do about it. */
export function missingPostgres(): string | null {
  if (findBinaries() !== null) return null;
  return `no PostgreSQL here: ${APT_LINE}, or name the folder of initdb and postgres in UNDERSTUDY_TEST_POSTGRES`;
}

/**
 * Whether tests that need PostgreSQL run: in CI always, so that a missing server fails; elsewhere not without one, which
 * is said once.
 */
export function hasPostgres(): boolean {
  const missing = missingPostgres();
  if (missing === null) return true;
  if (process.env['CI']) throw new Error(missing);
  process.stderr.write(`left out: ${missing}\n`);
  return false;
}

/** As whom a server runs that this process starts: itself, or somebody without rights where it is root. */
export function serverUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL refuses root, and neither `postgres` nor `nobody` is in /etc/passwd');
}
