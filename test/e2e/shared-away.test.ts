/** H-4: what replicas share is out of reach from the start, and the gateway is there. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startGateway } from '../../src/assemble.ts';
import { chatRequest, sendRaw } from '../faults/raw-client.ts';

const ADMIN = 'admin-token-0123456789';

it('H-4: it starts, keeps its own limits, says so, and hides the password', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'understudy-shared-'));
  const lines: string[] = [];
  const gateway = await startGateway({
    configText: JSON.stringify({
      version: 1,
      server: { metrics_token: ADMIN },
      // Nothing listens there.
      shared: 'redis://user:shared-password-01@127.0.0.1:1/2',
      admin: { token: ADMIN },
      providers: { up: { type: 'sim' } },
      models: { 'up/echo': {} },
      keys: [{ name: 'k', secret: 'client-key-0123456789', limits: { rpm: 2, concurrent: 1 } }],
    }),
    port: 0,
    dataDir,
    env: {},
    logTo: { destination: { write: (line) => void lines.push(line) } },
  });
  const ask = async () => {
    const url = `${gateway.url}/v1/chat/completions`;
    const headers = { authorization: 'Bearer client-key-0123456789' };
    return (await sendRaw({ url, headers, body: chatRequest('up/echo') })).status;
  };
  try {
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    const told = lines.map((line) => JSON.parse(line) as Record<string, string>).filter(({ alert }) => alert);
    expect(told.map(({ alert }) => alert)).toEqual(['shared.lost']);
    expect(told[0]!['msg']).toMatch(/^the shared state is away \(.+\): each replica goes by its own limits/);
    const metrics = await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${ADMIN}` } });
    expect(await metrics.text()).toMatch(/^understudy_shared_up 0$/m);
    expect(lines.join('')).not.toContain('shared-password');
  } finally {
    await gateway.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
