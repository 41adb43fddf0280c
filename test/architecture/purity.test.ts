import { describe, expect, it } from 'vitest';
import { impurities, PURE_FLOORS } from './purity.ts';
import { parseSource, readSources } from './source-tree.ts';

const pure = readSources('src').filter(
  (file) => !file.isTest && PURE_FLOORS.some((floor) => file.path.startsWith(floor)),
);

describe('purity', () => {
  it('core, dialects and providers reach no clock, chance, timer, environment, network or disk', () => {
    expect(pure.length).toBeGreaterThan(10);
    expect(pure.flatMap(impurities)).toEqual([]);
  });
});

describe('the rule itself, on samples', () => {
  const impure = [
    'const t = Date.now();',
    'const t = new Date();',
    'const t = new Date;',
    'const t = Date();',
    'const D = Date; const t = new D();',
    "const t = Date['now']();",
    'const t = performance.now();',
    'const r = Math.random();',
    'const { random } = Math;',
    'setTimeout(() => {}, 1);',
    'const later = setTimeout;',
    'const e = process.env.HOME;',
    'await fetch("http://x");',
    'const id = crypto.randomUUID();',
    'console.log(1);',
    "import { readFileSync } from 'node:fs';",
    "import fs from 'node:fs';",
    "import { randomBytes } from 'node:crypto';",
    "import crypto from 'node:crypto';",
    "import { request } from 'undici';",
    "const m = await import('./x.ts');",
    'const u = new URL("./x", import.meta.url);',
    'const g = globalThis;',
    'const s = new Date(5).toLocaleString();',
    'const h = new Date(5).getHours();',
    'const o = { now: performance.now };',
    'function f(now = Date.now()) { return now; }',
  ];
  it.each(impure)('found: %s', (text) => {
    expect(impurities(parseSource('src/core/x.ts', text))).not.toEqual([]);
  });

  const fine = [
    'const t = new Date(5).toISOString();',
    'const t = Date.parse("Wed, 21 Oct 2026 07:28:30 GMT");',
    'const t = Date.UTC(2026, 1);',
    'const o = { process: 1, fetch() { return 2; } }; o.process; o.fetch();',
    "import { createHash } from 'node:crypto';",
    "import type { Readable } from 'node:stream';",
    "import { Buffer } from 'node:buffer';",
    'const m = Math.min(1, 2);',
    'interface Clock { performance: number; process(): void }',
  ];
  it.each(fine)('fine: %s', (text) => {
    expect(impurities(parseSource('src/core/x.ts', text))).toEqual([]);
  });
});
