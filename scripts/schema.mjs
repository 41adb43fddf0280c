// Writes what is generated from the configuration's definition: the JSON Schema and the reference.
// Usage: node scripts/schema.mjs [--check]
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const load = async (path) => (await runnerImport(resolve(root, path))).module;

const { jsonSchemaText } = await load('test/reference/json-schema.ts');
const { referenceText } = await load('test/reference/markdown.ts');
const targets = [
  ['schema/understudy.schema.json', jsonSchemaText()],
  ['docs/configuration.md', referenceText()],
];

let stale = 0;
for (const [path, text] of targets) {
  const file = resolve(root, path);
  const old = await readFile(file, 'utf8').catch(() => null);
  if (old === text) continue;
  stale += 1;
  if (process.argv.includes('--check')) {
    console.error(`${path} is out of date: run \`node scripts/schema.mjs\``);
    continue;
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  console.log(`wrote ${path}`);
}
process.exitCode = process.argv.includes('--check') && stale > 0 ? 1 : 0;
