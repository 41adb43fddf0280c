/** The console's words: both languages say everything, with the same values in it, and nothing is said by nobody. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../console/src', import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: 'utf8' });

/** Where a table of words lies, and whose sources use it. */
const tables = files
  .filter((file) => /(^|\/)(words|shared)\.en\.ts$/.test(file))
  .map((file) => ({ file, folder: file.startsWith('words/') ? '' : dirname(file) }));

const valuesIn = (text: string): string[] => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? '').sort();

/** What is left when the plural's ending is taken away. */
const stem = (key: string): string => key.replace(/_(zero|one|two|few|many|other)$/, '');

describe('words', () => {
  it('every page has its words in both languages', () => {
    expect(tables.length).toBeGreaterThan(0);
    const alone = tables.filter(({ file }) => !existsSync(join(source, file.replace('.en.ts', '.zh.ts'))));
    expect(alone).toEqual([]);
  });

  it.each(tables)('$file: both languages say everything, with the same values', async ({ file }) => {
    const { en } = (await import(join(source, file))) as { en: Record<string, string> };
    const { zh } = (await import(join(source, file.replace('.en.ts', '.zh.ts')))) as { zh: Record<string, string> };
    expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
    const different = Object.keys(en).filter(
      (key) => !key.endsWith('_one') && valuesIn(en[key] ?? '').join() !== valuesIn(zh[key] ?? '').join(),
    );
    expect(different).toEqual([]);
    expect(Object.entries({ ...en, ...zh }).filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it.each(tables)('$file: every word is said by somebody', async ({ file, folder }) => {
    const { en } = (await import(join(source, file))) as { en: Record<string, string> };
    const text = files
      .filter((other) => other.startsWith(folder) && /\.tsx?$/.test(other) && !/\.(en|zh)\.ts$/.test(other))
      .map((other) => readFileSync(join(source, other), 'utf8'))
      .join('\n');
    // A key is written out, or made from a prefix that ends in a dot or an underscore: `role.${…}`.
    const made = [...text.matchAll(/`([\w.-]+[._])\$\{/g)].map(([, prefix]) => prefix ?? '');
    const unsaid = [...new Set(Object.keys(en).map(stem))].filter(
      (key) =>
        !['`', "'", '"'].some((quote) => text.includes(`${quote}${key}${quote}`)) &&
        !made.some((p) => key.startsWith(p)),
    );
    expect(unsaid).toEqual([]);
  });
});
