import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, readSources, type SourceFile } from './source-tree.ts';

/** Where execution starts: the command, the benchmark and its small ones. Everything else is reached from these. */
const ENTRIES = ['src/main.ts', 'bench/main.ts', 'bench/plan.ts', 'bench/tap.ts', 'bench/ledger.ts'];

/** Files under src/, sim/ and bench/ that only tests use so far (with what they import), each with its reason. */
const FOR_TESTS: readonly { readonly file: string; readonly why: string }[] = [
  {
    file: 'src/adapters/shared-memory/shared-hub.ts',
    why: 'what replicas share, within one process: the measure of the one over Redis (H-4)',
  },
  { file: 'sim/virtual/every-path.ts', why: 'the virtual-time simulation, until `understudy simulate` (X-3) runs it' },
  { file: 'sim/virtual/invariants.ts', why: 'the same' },
  { file: 'sim/virtual/trace.ts', why: 'the same' },
];

function reachableFrom(start: readonly string[], byPath: ReadonlyMap<string, SourceFile>): Set<string> {
  const seen = new Set<string>();
  const waiting = [...start];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const { target } of byPath.get(file)?.imports ?? []) if (target !== null) waiting.push(target);
  }
  return seen;
}

const sources = readSources('src', 'sim', 'bench', 'test');
const byPath = new Map(sources.map((file) => [file.path, file]));
const product = sources.filter((file) => !file.isTest).map((file) => file.path);

describe('dead files', () => {
  it('every source is reached from where execution starts', () => {
    const alive = reachableFrom([...ENTRIES, ...FOR_TESTS.map(({ file }) => file)], byPath);
    expect(product.filter((file) => !alive.has(file))).toEqual([]);
  });

  it('the files kept for tests are used by one, and by nothing else', () => {
    const alive = reachableFrom(ENTRIES, byPath);
    const tested = reachableFrom(
      sources.filter((file) => file.isTest).map((file) => file.path),
      byPath,
    );
    expect(FOR_TESTS.filter(({ file }) => alive.has(file) || !tested.has(file))).toEqual([]);
  });

  it('every relative import leads to a file', () => {
    const lost = sources.flatMap(({ path: from, imports }) =>
      imports
        .filter(({ target }) => target !== null && !existsSync(path.join(ROOT, target)))
        .map(({ specifier }) => `${from} → ${specifier}`),
    );
    expect(lost).toEqual([]);
  });
});
