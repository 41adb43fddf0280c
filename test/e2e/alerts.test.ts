/** What an operator reads in the process log when a provider refuses its credentials. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startGateway } from '../../src/assemble.ts';
import { chatRequest, sendRaw } from '../faults/raw-client.ts';

it('D-12: each refused credential is told by name, without its secret', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'understudy-alerts-'));
  const lines: string[] = [];
  // No six characters of a name may be the secret's: they would be masked.
  const credential = (secret: string) => ({ provider: 'up', secret: `sk-${secret}-0123456789` });
  const gateway = await startGateway({
    configText: JSON.stringify({
      version: 1,
      providers: { up: { type: 'sim' } },
      credentials: { first: credential('aaaa'), second: credential('bbbb') },
      models: { 'up/fail-401': {} },
      keys: [{ name: 'k', secret: 'client-key-0123456789' }],
    }),
    port: 0,
    dataDir,
    env: {},
    logTo: { destination: { write: (line) => void lines.push(line) } },
  });
  try {
    await sendRaw({
      url: `${gateway.url}/v1/chat/completions`,
      headers: { authorization: 'Bearer client-key-0123456789' },
      body: chatRequest('up/fail-401'),
    });
    const alerts = lines.map((line) => JSON.parse(line) as Record<string, string>).filter(({ alert }) => alert);
    expect(alerts.map(({ alert, msg }) => `${alert} ${msg}`)).toEqual([
      expect.stringMatching(/^upstream\.auth up\/fail-401 via up \((first|second)\): Incorrect API key/),
      expect.stringMatching(/^upstream\.auth up\/fail-401 via up \((first|second)\): Incorrect API key/),
    ]);
    expect(new Set(alerts.map(({ msg }) => msg)).size).toBe(2);
    expect(lines.join('')).not.toContain('0123456789');
  } finally {
    await gateway.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
