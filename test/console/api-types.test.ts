/** The console's types of the admin API are those of this gateway (O-5). */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('O-5: the types the console calls the admin API with are made from its description as it is now', async () => {
  const run = promisify(execFile)(process.execPath, ['scripts/console-api.mjs', '--check'], { cwd: root });
  await expect(run).resolves.toMatchObject({ stderr: '' });
});
