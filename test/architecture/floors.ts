/** The floors of the house: imports only go down. As rules over parsed sources, so that they can be tried on samples. */
import type { SourceFile } from './source-tree.ts';

/** Lowest first. `providers` is data that dialects and configuration read, so it lies below them. */
const FLOORS = [
  'src/core',
  'src/providers',
  'src/dialects',
  'src/ports',
  'src/config',
  'src/adapters',
  'src/runtime',
  'src/server',
  'src/assemble',
  'src/cli',
  'src/main',
] as const;

/** A floor's number; −1 for files outside src/. `src/assemble.ts` and `src/assemble/…` are one floor. */
export function floorOf(file: string): number {
  return FLOORS.findIndex((floor) => file === `${floor}.ts` || file.startsWith(`${floor}/`));
}

const isOn = (file: string, floor: (typeof FLOORS)[number]) => floorOf(file) === FLOORS.indexOf(floor);

function complaint(from: string, to: string): string | null {
  // The benchmark starts the same servers as the tests do.
  if (from.startsWith('bench/') && to.startsWith('test/support/servers/')) return null;
  if (to.startsWith('test/') || to.endsWith('.test.ts')) return 'a test is imported by what it tests';
  if (to.startsWith('bench/') && !from.startsWith('bench/')) return 'bench/ is a program of its own';
  if (to.startsWith('sim/') && !from.startsWith('sim/') && !from.startsWith('bench/')) {
    return isOn(from, 'src/assemble') || isOn(from, 'src/cli')
      ? null
      : 'only assemble and the commands start the simulator';
  }
  if (!to.startsWith('src/')) return null;
  if (from.startsWith('sim/')) return isOn(to, 'src/core') ? null : 'the simulator may share nothing but the core';
  if (floorOf(to) === -1) return 'the target lies on no floor';
  if (
    isOn(to, 'src/adapters') &&
    from.startsWith('src/') &&
    !isOn(from, 'src/adapters') &&
    !isOn(from, 'src/assemble')
  ) {
    return 'only assemble names concrete adapters';
  }
  return from.startsWith('src/') && floorOf(to) > floorOf(from) ? 'imports only go down the floors' : null;
}

/** Every import that breaks the rules, in words. Types count: they tie floors together like anything else. */
export function wrongImports(sources: readonly SourceFile[]): string[] {
  const found: string[] = [];
  for (const source of sources) {
    if (source.isTest) continue;
    for (const edge of source.imports) {
      const why = edge.target === null ? null : complaint(source.path, edge.target);
      if (why !== null) found.push(`${source.path} → ${edge.target}: ${why}`);
    }
  }
  return found;
}

/** Rings of imports that exist when it runs (types only may refer to each other), each named once. */
export function importCycles(sources: readonly SourceFile[]): string[] {
  const edges = new Map(
    sources.map((source) => [source.path, source.imports.filter((e) => !e.typeOnly).map((e) => e.target)]),
  );
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    const at = trail.indexOf(file);
    if (at !== -1) found.push([...trail.slice(at), file].join(' → '));
    if (at !== -1 || done.has(file)) return;
    for (const target of edges.get(file) ?? []) if (target !== null) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return found;
}
