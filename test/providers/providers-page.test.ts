import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { presets } from '../../src/providers/presets.ts';

const page = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^## (.*)\n+```yaml\n([\s\S]*?)^```/gm)].map(
  ([, title, text]) => [title!, text!] as const,
);
const env = {
  OPENAI_API_KEY: 'sk-1',
  OTHER_KEY: 'k',
  ANTHROPIC_API_KEY: 'k',
  GEMINI_API_KEY: 'k',
  AZURE_OPENAI_API_KEY: 'k',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  GCP_KEY_FILE: '{"client_email": "robot@acme.iam", "private_key": "-----BEGIN PRIVATE KEY-----\\nAAAA\\n"}',
};

it('has an example for each kind of provider', () => {
  expect(blocks.map(([title]) => title)).toEqual([
    'OpenAI and what is like it',
    'Messages and Gemini',
    'Azure',
    'Bedrock',
    'Vertex',
  ]);
});

it.each(blocks)('X-5: the example for %s loads as it is', (_title, text) => {
  const loaded = loadConfig({ text, file: 'providers.md', env });
  expect(loaded.ok ? [] : loaded.problems).toEqual([]);
});

it('names every type', () => {
  for (const type of presets.keys()) expect(page).toContain(`\`${type}\``);
});
