/** `npm run bench`: installs and compiles what is missing, then measures. Options: `npm run bench -- --help`. */
import path from 'node:path';
import process from 'node:process';
import { ensureBuilt } from './build.mjs';
import { root, run } from './setup.mjs';

await ensureBuilt();
process.exitCode = await run(process.execPath, [path.join(root, 'dist', 'bench', 'main.js'), ...process.argv.slice(2)]);
