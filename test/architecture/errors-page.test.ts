import { describe, expect, it } from 'vitest';
import { ERROR_CATALOGUE } from '../../src/core/errors/catalogue.ts';
import { renderErrorsPage } from './errors-page.ts';
import { readSources, type SyntaxNode, stringValue, walk } from './source-tree.ts';

describe('docs/errors.md', () => {
  it('E-5: is what the catalogue says today', async () => {
    await expect(renderErrorsPage()).toMatchFileSnapshot('../../docs/errors.md');
  });

  it('E-5: every code stands in it', () => {
    const page = renderErrorsPage();
    expect(Object.keys(ERROR_CATALOGUE).filter((code) => !page.includes(`| \`${code}\` |`))).toEqual([]);
  });

  it('E-5: every code is sent by some source; a code nobody sends is not documentation', () => {
    const sent = new Set<string>();
    for (const source of readSources('src').filter((file) => !file.isTest)) {
      if (source.path === 'src/core/errors/catalogue.ts') continue;
      walk(source.program, (node: SyntaxNode) => {
        const text = stringValue(node);
        if (text !== null) sent.add(text);
      });
    }
    expect(Object.keys(ERROR_CATALOGUE).filter((code) => !sent.has(code))).toEqual([]);
  });
});
