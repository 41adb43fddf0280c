/** `npm run dev`: gateway and simulator as in the demonstration, and the console with reload beside them. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, root, run } from './setup.mjs';

await ensureBuilt();
const folder = path.join(root, 'console');
await ensureInstalled(folder);
const vite = spawn(process.execPath, [path.join(folder, 'node_modules', 'vite', 'bin', 'vite.js')], {
  cwd: folder,
  stdio: 'inherit',
});
process.stdout.write('The console with reload: http://127.0.0.1:4020/console/ (the gateway below has the built one)\n');
const demo = [path.join(root, 'bin', 'understudy'), 'demo', '--port', '4000', ...process.argv.slice(2)];
process.exitCode = await run(process.execPath, demo);
vite.kill();
