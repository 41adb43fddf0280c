import { describe, expect, it } from 'vitest';
import { listFiles, readSources } from './source-tree.ts';

const ADAPTERS = 'src/adapters';
/** Engines of the store: what they share lies in store-sql, under these names each has its own part. */
const ENGINES = ['store-sqlite', 'store-postgres'];
/** Statements that one engine alone needs, each with its reason. */
const OWN: Readonly<Record<string, string>> = {
  'replicas-sql.ts': 'who lives and who is gone: of SQLite there is one process',
  'joins-sql.ts': 'who waits for a round that another process runs: of SQLite there is one process',
};
/** In store-sql, and put together from an engine's words there. */
const COMPOSED = ['request-query.ts', 'failed-query.ts', 'usage-query.ts'];

/** Names of an engine's tables of statements, and of what opens it. */
function partsOf(engine: string): string[] {
  return listFiles(`${ADAPTERS}/${engine}`, '.ts')
    .map((file) => file.slice(file.lastIndexOf('/') + 1))
    .filter((name) => !name.endsWith('.test.ts') && /(-sql\.ts$|^open-)/.test(name));
}

describe('engines of the store', () => {
  it('every table of statements, and what opens an engine, has a namesake in the other engines', () => {
    const all = ENGINES.map(partsOf);
    const names = new Set(all.flat());
    const missing = ENGINES.flatMap((engine, ix) =>
      [...names]
        .filter((name) => OWN[name] === undefined && !all[ix]!.includes(name))
        .map((name) => `${engine}/${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('what they share holds no statement of its own', () => {
    const shared = readSources(`${ADAPTERS}/store-sql`).filter(
      ({ path, isTest }) => !isTest && !COMPOSED.some((name) => path.endsWith(`/${name}`)),
    );
    const own = shared.filter(({ text }) =>
      /\b(SELECT |INSERT (OR|INTO)|DELETE FROM|UPDATE \w+ SET|PRAGMA )/.test(text),
    );
    expect(own.map(({ path }) => path)).toEqual([]);
  });

  it('and knows none of them', () => {
    const shared = readSources(`${ADAPTERS}/store-sql`).filter(({ isTest }) => !isTest);
    const known = shared.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target !== null && ENGINES.some((engine) => target.includes(`/${engine}/`)))
        .map(() => path),
    );
    expect(known).toEqual([]);
  });
});
