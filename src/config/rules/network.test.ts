import { describe, expect, it } from 'vitest';
import { refusedUrl } from '../../core/net/network-rules.ts';
import { loadConfig } from '../load.ts';
import type { Snapshot } from '../snapshot.ts';

const HEAD = `version: 1
providers: { up: { type: openai-compatible, base_url: "http://10.0.0.5/v1" } }
workspaces: { acme: {} }
models: { up/a: {} }
`;

function load(rest: string): Snapshot {
  const loaded = loadConfig({ text: HEAD + rest, file: 'test.yaml', env: {} });
  if (!loaded.ok) throw new Error(loaded.problems.map(({ path, message }) => `${path} ${message}`).join('\n'));
  return loaded.snapshot;
}

function problems(rest: string): string[] {
  const loaded = loadConfig({ text: HEAD + rest, file: 'test.yaml', env: {} });
  return loaded.ok ? [] : loaded.problems.map(({ path, message }) => `${path}: ${message}`);
}

const credential = (fields: string) => `credentials: { k: { provider: up, secret: sk-1, ${fields} } }\n`;

describe('network.allow_private', () => {
  it('G-9: nothing private is allowed without it', () => {
    const { network } = load('');
    expect(refusedUrl('http://10.0.0.5/', network)).not.toBeNull();
  });

  it('G-9: what it names is in force', () => {
    const { network } = load('network: { allow_private: [10.0.0.0/24, "::1", media.corp.example] }\n');
    expect(refusedUrl('http://10.0.0.5/', network)).toBeNull();
    expect(refusedUrl('http://[::1]/', network)).toBeNull();
    expect(refusedUrl('http://10.0.1.5/', network)).not.toBeNull();
  });

  it.each(['10.0.0.0/40', 'http://x', 'a b', '*.corp', '127.1'])('G-9: %j is refused with its place', (entry) => {
    expect(problems(`network: { allow_private: [10.0.0.1, "${entry}"] }\n`)).toEqual([
      'network.allow_private[1]: must be an address, a range such as 10.1.0.0/16, or a host name without scheme, port or wildcard',
    ]);
  });
});

describe("a credential's own address", () => {
  it('G-9: the file may name a private one: the operator wrote it', () => {
    const snapshot = load(credential('kind: byok, workspace: acme, base_url: "http://10.9.9.9/v1/"'));
    expect(snapshot.credentials[0]).toMatchObject({ baseUrl: 'http://10.9.9.9/v1', managedBy: 'file' });
  });

  it('G-9: only byok credentials have one', () => {
    expect(problems(credential('base_url: "https://api.example.com/v1"'))).toEqual([
      'credentials.k.base_url: only byok credentials have an address of their own',
    ]);
  });

  it.each([
    ['https://user:pass@api.example.com/v1', 'must not contain a user or password; put the secret under `credentials`'],
    ['https://user@api.example.com/v1', 'must not contain a user or password; put the secret under `credentials`'],
    ['https://api.example.com/v1?key=1', 'must not contain `?` or `#`'],
    ['https://api.example.com/v1#x', 'must not contain `?` or `#`'],
    ['https://[::1/v1', 'is no valid address'],
  ])('G-9: %s is refused without repeating it', (address, message) => {
    const found = problems(credential(`kind: byok, workspace: acme, base_url: "${address}"`));
    expect(found).toEqual([`credentials.k.base_url: ${message}`]);
    expect(found[0]).not.toContain('pass@');
    expect(found[0]).not.toContain(address);
  });
});
