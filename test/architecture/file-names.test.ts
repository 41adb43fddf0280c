import { describe, expect, it } from 'vitest';
import { listFiles, readSources } from './source-tree.ts';

/** Names that say nothing; what is put there belongs to no one. */
const EMPTY_NAMES = /^((.+-)?(utils?|helpers?|common|managers?|misc)|data|info|shared)$/;

/** Named as the option it stands behind. */
const SHARED = 'src/ports/shared.ts';

describe('names', () => {
  const files = ['src', 'sim', 'bench', 'test', 'scripts'].flatMap((folder) => [
    ...listFiles(folder, '.ts'),
    ...listFiles(folder, '.mjs'),
  ]);

  it('no file or folder has a name that says nothing', () => {
    const vague = files.filter((file) => file.split('/').some((part) => EMPTY_NAMES.test(part.split('.', 1)[0] ?? '')));
    expect(vague.filter((file) => file !== SHARED)).toEqual([]);
  });

  it('files are named in kebab-case', () => {
    expect(files.filter((file) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(file.split('/').at(-1) ?? ''))).toEqual([]);
  });
});

describe('standing alone', () => {
  it('no source reaches outside the checkout', () => {
    const outside = readSources('src', 'sim', 'bench', 'test').flatMap((source) =>
      source.imports
        .filter(({ target }) => target?.startsWith('..'))
        .map(({ specifier }) => `${source.path} → ${specifier}`),
    );
    expect(outside).toEqual([]);
  });

  it('no source is so long that it hides its faults', () => {
    const long = readSources('src', 'sim').filter((file) => !file.isTest && file.text.split('\n').length > 400);
    expect(long.map((file) => file.path)).toEqual([]);
  });
});
