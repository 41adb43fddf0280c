/** Which store a gateway opens, and two gateways at one database. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../test/support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../../test/support/servers/postgres-schema.ts';
import { type RunningGateway, startGateway } from '../assemble.ts';
import { SealKeyError } from '../ports/sealer.ts';
import { storeUrlOf } from './open-store.ts';

const SEAL_KEY = Buffer.from(Array.from({ length: 32 }, (_, ix) => (ix * 37) % 251)).toString('hex');
const configOf = (store: string): string =>
  JSON.stringify({
    version: 1,
    store,
    providers: { sim: { type: 'sim' } },
    models: { m: { channels: [{ provider: 'sim', model: 'sim-model' }] } },
    keys: [{ name: 'dev', secret: 'sk-dev' }],
  });

describe('where the store is', () => {
  it.each([
    ['sqlite:./data/understudy.db', null],
    ['postgres://u:p@db.example/understudy', 'postgres://u:p@db.example/understudy'],
  ])('%s', async (store, url) => {
    expect(await storeUrlOf({ configText: configOf(store), env: {} })).toBe(url);
  });

  it('in the data folder where nothing is said, or what is said is no configuration', async () => {
    expect(await storeUrlOf({ env: {} })).toBeNull();
    expect(await storeUrlOf({ configText: 'nonsense: [', env: {} })).toBeNull();
  });
});

describe('gateways at one database', () => {
  let folders: string[];
  let running: RunningGateway[];
  let schema: PostgresSchema | null;
  beforeEach(() => {
    folders = [];
    running = [];
    schema = null;
  });
  afterEach(async () => {
    await Promise.all(running.map((gateway) => gateway.close()));
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    await schema?.drop();
  });

  async function start(url: string, env: Record<string, string>): Promise<RunningGateway> {
    const dataDir = mkdtempSync(join(tmpdir(), 'understudy-replica-'));
    folders.push(dataDir);
    const logTo = { destination: { write: () => true } };
    const gateway = await startGateway({ configText: configOf(url), env, dataDir, port: 0, host: '127.0.0.1', logTo });
    running.push(gateway);
    return gateway;
  }
  const ask = async (gateway: RunningGateway, key: string): Promise<Response> =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-dev', 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
    });

  it('G-9: a seal key in a folder is one that the others have not', async () => {
    await expect(start('postgres://nobody@127.0.0.1:1/none', {})).rejects.toBeInstanceOf(SealKeyError);
  });

  it.runIf(hasPostgres())(
    'I-4, H-5: what one has answered under a key the other replays; nothing of it lies in a folder',
    async () => {
      schema = await openSchema();
      const env = { UNDERSTUDY_SEAL_KEY: SEAL_KEY };
      const [one, two] = [await start(schema.url, env), await start(schema.url, env)];
      const first = await ask(one, 'order-1');
      expect(first.status).toBe(200);
      const again = await ask(two, 'order-1');
      expect(again.status).toBe(200);
      expect(await again.text()).toBe(await first.text());
      for (const folder of folders) expect(readdirSync(folder).filter((name) => name.endsWith('.db'))).toEqual([]);
    },
    60_000,
  );
});
