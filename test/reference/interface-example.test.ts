/** The interface's own example of a configuration loads as it is. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { ROOT } from '../architecture/source-tree.ts';

const text = readFileSync(path.join(ROOT, 'test', 'reference', 'interface.yaml'), 'utf8');
const env = {
  OPENAI_API_KEY: 'sk-open-0123456789',
  ACME_KEY: 'sk-acme-0123456789',
  DEV_KEY: 'us-dev-0123456789',
  UNDERSTUDY_ADMIN_TOKEN: 'adm-0123456789',
};

it('X-5: all of it is in force', () => {
  const loaded = loadConfig({ text, file: 'interface.yaml', env });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  expect(loaded.snapshot.models.map(({ id, implied = false }) => [id, implied])).toEqual([
    ['openai/gpt-5-nano', false],
    ['anthropic/claude-sonnet', true],
  ]);
});
