import { describe, expect, it } from 'vitest';
import { floorOf, importCycles, wrongImports } from './floors.ts';
import { parseSource, readSources } from './source-tree.ts';

const sources = readSources('src', 'sim', 'bench');

describe('floors', () => {
  it('imports only go down', () => {
    expect(wrongImports(sources)).toEqual([]);
  });

  it('no ring of imports', () => {
    expect(importCycles(sources)).toEqual([]);
  });

  it('every source file stands on a floor', () => {
    const own = sources.filter((file) => file.path.startsWith('src/') && !file.isTest).map((file) => file.path);
    expect(own.filter((file) => floorOf(file) === -1)).toEqual([]);
  });
});

describe('the rules themselves, on samples', () => {
  const broken: [string, string, string][] = [
    ['src/core/plan/x.ts', `import { a } from '../../runtime/y.ts';`, 'go down'],
    ['src/core/plan/x.ts', `import type { A } from '../../config/snapshot.ts';`, 'go down'],
    ['src/dialects/x.ts', `export * from '../ports/clock.ts';`, 'go down'],
    ['src/runtime/x.ts', `import { t } from '../adapters/transport/undici-transport.ts';`, 'only assemble'],
    ['src/server/x.ts', `const t = await import('../adapters/transport/undici-transport.ts');`, 'only assemble'],
    ['src/runtime/x.ts', `import { s } from '../../sim/server.ts';`, 'simulator'],
    ['sim/x.ts', `import { s } from '../src/runtime/relay.ts';`, 'nothing but the core'],
    ['src/runtime/x.ts', `import { s } from '../../test/e2e/s.ts';`, 'a test'],
    ['src/adapters/x.ts', `new Worker(new URL('../runtime/w.ts', import.meta.url));`, 'go down'],
  ];
  it.each(broken)('%s: %s', (file, text, why) => {
    expect(wrongImports([parseSource(file, text)])).toEqual([expect.stringContaining(why)]);
  });

  it('what goes down, or stays on the floor, passes', () => {
    const good = [
      parseSource(
        'src/runtime/a.ts',
        `import { x } from '../core/x.ts'; import { y } from './b.ts'; import 'node:fs';`,
      ),
      parseSource('src/assemble.ts', `import { x } from './adapters/x.ts'; import { s } from '../sim/server.ts';`),
      parseSource('src/core/a.test.ts', `import { x } from '../runtime/x.ts';`),
    ];
    expect(wrongImports(good)).toEqual([]);
  });

  it('a ring is found once and rings of types are none', () => {
    const ring = [
      parseSource('src/core/a.ts', `import { b } from './b.ts';`),
      parseSource('src/core/b.ts', `import { c } from './c.ts'; import type { A } from './a.ts';`),
      parseSource('src/core/c.ts', `import { b } from './b.ts';`),
    ];
    expect(importCycles(ring)).toEqual(['src/core/b.ts → src/core/c.ts → src/core/b.ts']);
  });
});
