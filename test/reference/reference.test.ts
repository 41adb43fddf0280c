import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { loadConfig, loadConfigFile } from '../../src/config/load.ts';
import { configSchema } from '../../src/config/schema/config-schema.ts';
import { type JsonSchema, jsonSchemaText } from './json-schema.ts';
import { referenceText } from './markdown.ts';

const root = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string): Promise<string> => readFile(root(path), 'utf8');
const ENV = {
  OPENAI_API_KEY: 'sk-1',
  OPENAI_API_KEY_2: 'sk-2',
  OPENROUTER_API_KEY: 'sk-3',
  TEAM_KEY: 'team-key',
  UNDERSTUDY_ADMIN_TOKEN: 'admin-token',
  UNDERSTUDY_CLIENT_KEY: 'client-key',
};

describe('generated files', () => {
  it('X-5: schema/understudy.schema.json is current (node scripts/schema.mjs)', async () => {
    expect(await read('schema/understudy.schema.json')).toBe(jsonSchemaText());
  });

  it('X-5: docs/configuration.md is current (node scripts/schema.mjs)', async () => {
    expect(await read('docs/configuration.md')).toBe(referenceText());
  });

  it('X-5: the reference names every key of the file and links only to headings it has', () => {
    const text = referenceText();
    for (const key of Object.keys(configSchema.shape)) expect(text).toContain(`\n- \`${key}\`: `);
    const headings = new Set(
      [...text.matchAll(/^#+ `?([^`\n]+)`?$/gm)].map((match) =>
        match[1]!
          .toLowerCase()
          .replace(/[^a-z0-9_ -]/g, '')
          .replaceAll(' ', '-'),
      ),
    );
    const links = [...text.matchAll(/\(#([^)]+)\)/g)].map((match) => match[1]!);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => !headings.has(link))).toEqual([]);
  });
});

describe('configurations in pages', () => {
  it.each(['README.md', 'CONTRIBUTING.md'])('X-5: those of %s are valid', async (page) => {
    const blocks = [...(await read(page)).matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1]!);
    expect(blocks.length).toBeGreaterThan(0);
    const env = { ...ENV, DEEPSEEK_API_KEY: 'sk-4', CLIENT_KEY: 'ck', NEWCOMER_API_KEY: 'nk' };
    for (const block of blocks) {
      const text = block.includes('version:') ? block : `version: 1\n${block}`;
      expect(loadConfig({ text, file: page, env })).toMatchObject({ ok: true });
    }
  });
});

describe('examples/config', async () => {
  const files = (await readdir(root('examples/config'))).filter((name) => name.endsWith('.yaml'));
  it('X-5: there are some', () => expect(files.length).toBeGreaterThanOrEqual(3));

  it.each(files)('X-5: %s is valid', async (file) => {
    const result = await loadConfigFile(root(`examples/config/${file}`), { env: ENV });
    expect(result).toMatchObject({ ok: true });
  });

  it.each(files)('X-5: %s pleases the JSON Schema that editors use', async (file) => {
    const schema = z.fromJSONSchema(JSON.parse(jsonSchemaText()) as JsonSchema);
    const text = await read(`examples/config/${file}`);
    expect(schema.safeParse(parse(text)).error?.issues ?? []).toEqual([]);
    expect(schema.safeParse({ ...(parse(text) as object), servre: {} }).success).toBe(false);
  });
});
