/** docs/rules.md against the ids that exist: whoever meets one in a message can look it up. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { RULE_IDS, RULES_TO_COME } from './rule-ids.ts';
import { listFiles, ROOT } from './source-tree.ts';

const page = readFileSync(path.join(ROOT, 'docs', 'rules.md'), 'utf8');
/** By id: the text up to the next entry or heading. */
const entries = new Map(
  [...page.matchAll(/^- \*\*([A-Z]-\d+)\*\* ([\s\S]*?)(?=^- \*\*|^#|^\n)/gm)].map(([, id, text]) => [id, text]),
);

it('the page explains every rule once, in order', () => {
  const written = [...page.matchAll(/^- \*\*([A-Z]-\d+)\*\*/gm)].map(([, id]) => id);
  expect(written).toEqual([...RULE_IDS]);
});

it('a rule that is still to come says so', () => {
  expect([...RULES_TO_COME].filter((id) => !entries.get(id)?.includes('*Later'))).toEqual([]);
});

it('a rule that is carried out does not begin with what is to come', () => {
  const later = [...entries].filter(([, text]) => text?.startsWith('*Later')).map(([id]) => id);
  expect(later.filter((id) => !RULES_TO_COME.has(id!))).toEqual([]);
  expect(later).toContain([...RULES_TO_COME][0]);
});

it('every id that a page names exists', () => {
  const pages = [...listFiles('docs', '.md'), ...listFiles('examples', '.md'), 'README.md', 'CHANGELOG.md'];
  const unknown = pages.flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/\b([CPFDTHIERGOX])-(\d+)\b/g)]
      .filter(([id]) => !RULE_IDS.has(id))
      .map(([id]) => `${file}: ${id}`),
  );
  expect(unknown).toEqual([]);
});
