/** What a person types to start this program again. */
import path from 'node:path';

export interface Started {
  /** The script Node was given, absolute, links not followed. */
  readonly script: string;
  readonly cwd: string;
  /** The PATH variable. */
  readonly path: string;
  readonly windows: boolean;
}

/** `understudy` when the shell finds it, `npx understudy` in a project that has it installed, else the script's path. */
export function programName({ script, cwd, path: search, windows }: Started): string {
  const { delimiter, dirname, relative, sep } = windows ? path.win32 : path.posix;
  const folder = dirname(script);
  const installed = `${sep}node_modules${sep}.bin`;
  const found = search.split(delimiter).filter((entry) => !entry.endsWith(installed));
  if (found.includes(folder)) return 'understudy';
  // Windows starts the package's own file, not a link to it.
  if (folder.endsWith(installed) || script.includes(`${sep}node_modules${sep}understudy-gateway${sep}`)) {
    return 'npx understudy';
  }
  const way = relative(cwd, script);
  const near = way.startsWith('..') ? script : way;
  const shown = near.includes(' ') ? `"${near}"` : near;
  return windows ? `node ${shown}` : shown.includes(sep) ? shown : `.${sep}${shown}`;
}
