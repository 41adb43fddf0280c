// Writes docs/compatibility.md from what the code makes of every feature at every upstream.
// Usage: node scripts/compatibility.mjs [--check]
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const { compatibilityText } = (await runnerImport(resolve(root, 'test/dialects/compatibility.ts'))).module;
const file = resolve(root, 'docs/compatibility.md');
const text = compatibilityText();
const old = await readFile(file, 'utf8').catch(() => null);
if (old === text) {
  console.log('docs/compatibility.md is up to date');
} else if (process.argv.includes('--check')) {
  console.error('docs/compatibility.md is out of date: run `node scripts/compatibility.mjs`');
  process.exitCode = 1;
} else {
  await writeFile(file, text);
  console.log('wrote docs/compatibility.md');
}
