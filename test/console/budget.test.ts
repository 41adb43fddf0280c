/** What a browser must load before the overview stands there. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = `${root}/dist/console`;
const MOST_BYTES = 300 * 1024;

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
  readonly imports?: readonly string[];
}

describe('the first load', () => {
  beforeAll(() => {
    execFileSync(process.execPath, ['scripts/build.mjs', '--console'], { cwd: root });
  });

  it('the overview with its charts comes in 300 KB, compressed', () => {
    const manifest = JSON.parse(readFileSync(`${built}/.vite/manifest.json`, 'utf8')) as Record<string, Chunk>;
    const files = new Set(['index.html', 'icon.svg']);
    const add = (name: string): void => {
      const chunk = manifest[name];
      if (chunk === undefined) throw new Error(`the build has no ${name}`);
      if (files.has(chunk.file)) return;
      for (const file of [chunk.file, ...(chunk.css ?? []), ...(chunk.assets ?? [])]) files.add(file);
      for (const imported of chunk.imports ?? []) add(imported);
    };
    add('index.html');
    add('src/pages/overview/page.tsx');
    add('src/parts/time-series-chart.tsx');
    const sizes = [...files].map((file) => ({ file, bytes: gzipSync(readFileSync(`${built}/${file}`)).length }));
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    const table = sizes.map(({ file, bytes }) => `${bytes} ${file}`).join('\n');
    expect(total, table).toBeLessThanOrEqual(MOST_BYTES);
    process.stdout.write(`first load of the overview: ${Math.round(total / 1024)} KB of ${MOST_BYTES / 1024} KB\n`);
  });

  it('nothing in it comes from elsewhere', () => {
    const page = readFileSync(`${built}/index.html`, 'utf8');
    const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address ?? '');
    expect(addresses.length).toBeGreaterThan(2);
    expect(addresses.filter((address) => !address.startsWith('/console/'))).toEqual([]);
  });
});
