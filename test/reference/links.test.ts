/** Every relative link in every page leads to a file that is there, and to a heading it has. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NOT_OURS = new Set(['node_modules', 'dist', 'data', 'coverage']);

async function pagesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const below = entries.filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.') && !NOT_OURS.has(entry.name),
  );
  const here = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.md'));
  const deeper = await Promise.all(below.map(({ name }) => pagesUnder(join(folder, name))));
  return [...here.map(({ name }) => join(folder, name)), ...deeper.flat()];
}

/** A page without code blocks and code in lines, where brackets are no links. */
function prose(page: string): string {
  return page.replace(/^ *(`{3,})[\s\S]*?^ *\1 *$/gm, '').replace(/`[^`\n]*`/g, 'code');
}

/** Targets of `[text](target)` and `[text]: target` that name no other place. */
function linksOf(page: string): string[] {
  const text = prose(page);
  const found = [...text.matchAll(/\]\(\s*<?([^)\s>]+)/g), ...text.matchAll(/^\[[^\]]+\]:\s*<?([^\s>]+)/gm)];
  return found.map((match) => match[1]!).filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target));
}

/** Anchors as GitHub makes them of headings; a repeated one gets a number. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const match of page.replace(/^ *(`{3,})[\s\S]*?^ *\1 *$/gm, '').matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = match[1]!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase();
    const base = plain.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    let anchor = base;
    for (let no = 1; anchors.has(anchor); no += 1) anchor = `${base}-${no}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** What is wrong with a link of `file`; null = nothing. */
async function faultOf(file: string, link: string): Promise<string | null> {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : resolve(dirname(file), decodeURIComponent(path));
  if (relative(ROOT, target).startsWith('..')) return `${link} leads out of the project`;
  if (!existsSync(target)) return `${link}: no such file`;
  if (anchor === undefined || !target.endsWith('.md')) return null;
  return anchorsOf(await readFile(target, 'utf8')).has(anchor) ? null : `${link}: no such heading`;
}

describe('links between pages', async () => {
  const pages = await pagesUnder(ROOT);

  it('X-5: there are pages, and links in them', async () => {
    expect(pages.length).toBeGreaterThan(30);
    expect(linksOf(await readFile(join(ROOT, 'README.md'), 'utf8')).length).toBeGreaterThan(15);
  });

  it('X-5: a missing file, a missing heading and a way out are found; code is no link', async () => {
    const readme = join(ROOT, 'README.md');
    expect(linksOf('[a](b.md) `[c](d.md)` [e](https://e.test) [f](#g)\n```\n[h](i.md)\n```\n[j]: k.md\n')).toEqual([
      'b.md',
      '#g',
      'k.md',
    ]);
    expect(await faultOf(readme, 'docs/none.md')).toContain('no such file');
    expect(await faultOf(readme, 'docs/errors.md#none')).toContain('no such heading');
    expect(await faultOf(readme, '../x.md')).toContain('leads out');
    expect(await faultOf(readme, 'docs/errors.md#error-codes')).toBeNull();
  });

  it.each(pages.map((page) => relative(ROOT, page)))('X-5: those of %s', async (page) => {
    const file = join(ROOT, page);
    const faults = await Promise.all(linksOf(await readFile(file, 'utf8')).map((link) => faultOf(file, link)));
    expect(faults.filter((fault) => fault !== null)).toEqual([]);
  });
});
