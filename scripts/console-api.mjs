// Writes the console's types of the admin API from the gateway's own description of it.
// Usage: node scripts/console-api.mjs [--check]
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { runnerImport } from 'vite';
import { ensureInstalled, root } from './setup.mjs';

const consoleFolder = path.join(root, 'console');
const file = path.join(consoleFolder, 'src', 'api', 'schema.d.ts');

const load = async (source) => (await runnerImport(path.join(root, source))).module;

/** The description, from the route tables alone: nothing is started. */
async function description() {
  const { openapiText } = await load('test/reference/openapi-text.ts');
  return JSON.parse(openapiText());
}

/** The types as text. */
export async function consoleApiText() {
  await ensureInstalled(consoleFolder);
  const from = createRequire(path.join(consoleFolder, 'package.json'));
  const { default: openapiTS, astToString } = from('openapi-typescript');
  const types = await openapiTS(await description(), { defaultNonNullable: false });
  return `/** Made by \`node scripts/console-api.mjs\` from the gateway's OpenAPI document; not to be edited. */\n${astToString(types)}`;
}

if (process.argv[1] && path.resolve(process.argv[1]) === path.join(root, 'scripts', 'console-api.mjs')) {
  const text = await consoleApiText();
  const old = await readFile(file, 'utf8').catch(() => null);
  if (old !== text && process.argv.includes('--check')) {
    console.error('console/src/api/schema.d.ts is out of date: run `node scripts/console-api.mjs`');
    process.exitCode = 1;
  } else if (old !== text) {
    await writeFile(file, text);
    console.log('wrote console/src/api/schema.d.ts');
  }
}
