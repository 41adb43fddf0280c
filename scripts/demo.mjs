/** `npm run demo`: installs and compiles what is missing, then shows a request surviving an outage. */
import path from 'node:path';
import process from 'node:process';
import { ensureBuilt } from './build.mjs';
import { root, run } from './setup.mjs';

await ensureBuilt();
process.exitCode = await run(process.execPath, [
  path.join(root, 'bin', 'understudy'),
  'demo',
  ...process.argv.slice(2),
]);
