/** G-7: two gateways on one database tell every event once, and one goes on where the other has stopped. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { type HookReceiver, startHookReceiver } from '../support/hook-receiver.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../support/servers/postgres-schema.ts';

const CLIENT = 'scale-client-key-0123456789';
const ADMIN = 'scale-admin-token-0123456789';
const SECRET = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;

type Json = Record<string, unknown>;

describe.runIf(hasPostgres())('G-7: several replicas', () => {
  let schema: PostgresSchema;
  let receiver: HookReceiver;
  let dirs: string[];
  let gateways: RunningGateway[];
  let start: (place: number) => Promise<RunningGateway>;

  beforeEach(async () => {
    schema = await openSchema();
    receiver = await startHookReceiver(() => SECRET);
    const configText = JSON.stringify({
      version: 1,
      store: schema.url,
      admin: { token: ADMIN },
      providers: { up: { type: 'sim' } },
      models: { 'up/ok': {}, 'up/fail-503': {} },
      keys: [{ name: 'k', secret: CLIENT }],
      health: { circuit: { min_calls: 10_000, consecutive: 1000 } },
      webhooks: { ops: { url: receiver.url, secret: SECRET, events: ['api:*'] } },
    });
    const env = { UNDERSTUDY_SEAL_KEY: randomBytes(32).toString('base64') };
    dirs = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'understudy-webhooks-'))));
    start = (place) => startGateway({ configText, port: 0, dataDir: dirs[place]!, env, log: 'silent' });
    gateways = await Promise.all([0, 1].map((place) => start(place)));
  });
  afterEach(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await receiver.close();
    await Promise.all(dirs.map((dir) => rm(dir, { recursive: true, force: true })));
    await schema.drop();
  });

  async function moved({ url }: RunningGateway): Promise<string> {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CLIENT}`, 'content-type': 'application/json' },
      body: JSON.stringify({ models: ['up/fail-503', 'up/ok'], messages: [{ role: 'user', content: 'x' }] }),
    });
    await answer.text();
    return answer.headers.get('x-request-id') ?? '';
  }

  async function admin({ url }: RunningGateway, path: string, method = 'GET'): Promise<{ status: number; body: Json }> {
    const answer = await fetch(`${url}/admin/v1${path}`, { method, headers: { authorization: `Bearer ${ADMIN}` } });
    return { status: answer.status, body: (await answer.json()) as Json };
  }
  const dataOf = async (at: RunningGateway, path: string) => (await admin(at, path)).body['data'] as Json[];

  it('every event of both is told once; each answers for both', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 15; n += 1) ids.push(...(await Promise.all(gateways.map(moved))));
    await receiver.until(() => receiver.events.length >= ids.length);
    for (const gateway of gateways) {
      while ((await dataOf(gateway, '/webhooks/ops/deliveries?state=waiting')).length > 0) {
        await new Promise((next) => setTimeout(next, 20));
      }
    }
    expect(receiver.events.map(({ request_id: id }) => id).sort()).toEqual(ids.sort());
    const [a, b] = await Promise.all(gateways.map((gateway) => dataOf(gateway, '/webhooks/ops/deliveries')));
    expect(a).toEqual(b);
    const entries = await Promise.all(
      gateways.map((gateway) => dataOf(gateway, '/audit?action=request.failover&limit=500')),
    );
    expect(entries.map((one) => one.length)).toEqual([ids.length, ids.length]);
    expect(entries[0]).toEqual(entries[1]);

    const again = await admin(gateways[1]!, `/deliveries/${String(a![0]!['id'])}/replay`, 'POST');
    expect(again.status).toBe(200);
    await receiver.until(() => receiver.told.filter(({ id }) => id === a![0]!['id']).length === 2);
  });

  it('what one had begun to tell when it stopped, the other tells', async () => {
    receiver.answer = () => undefined;
    const id = await moved(gateways[0]!);
    await receiver.until(() => receiver.told.length === 1);
    receiver.answer = (response) => response.writeHead(204).end();
    await gateways[0]!.close();
    await receiver.until(() => receiver.told.length === 2);
    const [first, second] = receiver.told;
    expect(second).toMatchObject({ id: first!.id, body: first!.body });
    expect(second?.events.map(({ request_id }) => request_id)).toEqual([id]);
  }, 120_000);
});
