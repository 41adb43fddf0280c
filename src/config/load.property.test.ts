// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configuration text, not template literals
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig } from './load.ts';

const TEXT = `version: 1
server: { host: 127.0.0.1, port: "\${PORT:-4000}", body_limit: 32mb, drain_timeout: 300s }
admin: { token: \${TOKEN} }
providers:
  up: { type: openai, headers: { x-team: a }, proxy: "http://u:p@proxy:3128" }
  near: { type: openai-compatible, base_url: "http://127.0.0.1:9101/v1" }
credentials:
  c: { provider: up, secret: \${SECRET} }
models:
  "up/*": {}
  up/nano: { price: { input: 0.05 }, channels: [{ id: a, provider: up }, { id: b, provider: near, weight: 2 }] }
aliases: { nano: up/nano, x: up/y }
workspaces: { acme: { enabled_models: ["*"], redundancy: { policy: strict }, ceilings: { policies: [strict] } } }
keys:
  - { name: k, workspace: acme, secret: \${SECRET}, failover_defaults: { models: [nano, up/other] }, expires_at: 2027-12-31 }
policies: { standard: { overloaded: [retry, next_channel] } }
`;
const ENV = { TOKEN: 'tok-en', SECRET: 'hush-hush-hush' };

/** Whatever the text, an answer: a snapshot, or problems that have a place inside it. */
function load(text: string): void {
  const result = loadConfig({ text, file: 'f', env: ENV });
  if (result.ok) return;
  expect(result.problems.length).toBeGreaterThan(0);
  const lines = text.split(/\r\n|\r|\n/).length;
  for (const problem of result.problems) {
    expect(problem.line).toBeGreaterThanOrEqual(1);
    expect(problem.line).toBeLessThanOrEqual(lines);
    expect(problem.column).toBeGreaterThanOrEqual(1);
    expect(problem.message).not.toMatch(/hush-hush|[\uE000-\uE4FF]/);
  }
}

describe('loadConfig', () => {
  it('X-5: the text itself is good', () => {
    expect(loadConfig({ text: TEXT, file: 'f', env: ENV })).toMatchObject({ ok: true });
  });

  it('X-5: cut anywhere, it never throws', () => {
    for (let length = 0; length < TEXT.length; length += 17) load(TEXT.slice(0, length));
  });

  it('X-5: with any piece replaced by another, it never throws and never tells a secret', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '\n',
      '  ',
      '- ',
      '*a',
      '&a ',
      '${',
      '${X}',
      '$${X}',
      '0',
      '-1',
      'null',
      'true',
      '!!x',
      '#',
      '|',
      '~',
      '\t',
      '__proto__',
      'constructor',
      'up/*',
      '',
    );
    fc.assert(
      fc.property(fc.nat(TEXT.length), fc.nat(12), fc.array(pieces, { maxLength: 4 }), (at, removed, put) => {
        load(TEXT.slice(0, at) + put.join('') + TEXT.slice(at + removed));
      }),
      { numRuns: 250, seed: 20261129 },
    );
  });
});
