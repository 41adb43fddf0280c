/** The first client key and admin token of a store that several gateways share (G-9, X-1). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../../src/assemble.ts';
import { admin, call, eventually, Replicas } from '../support/replicas/in-process.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';

describe.runIf(hasPostgres())('G-9: the first key and token of a shared store', () => {
  let replicas: Replicas;
  let members: object;

  beforeEach(async () => {
    members = {};
    replicas = await Replicas.open(0, (store) => ({ store, ...members }));
  });
  afterEach(() => replicas.close());

  const start = (count: number): Promise<RunningGateway[]> =>
    Promise.all(Array.from({ length: count }, () => replicas.add()));
  const shown = (gateways: readonly RunningGateway[]) => gateways.flatMap(({ firstRun }) => firstRun ?? []);
  const models = async (gateway: RunningGateway, key: string) => (await call(gateway, '/v1/models', { key })).status;

  it('X-1: are made once by those that start at once, shown by one, and good at all', async () => {
    const gateways = await start(3);
    const [made, ...more] = shown(gateways);
    expect(more).toEqual([]);
    for (const gateway of [...gateways, await replicas.add()]) {
      expect(gateway.generated()).toEqual({ clientKey: true, adminToken: true });
      expect(await models(gateway, made!.clientKey)).toBe(200);
      expect((await admin(gateway, 'GET', '/keys', { token: made!.adminToken })).status).toBe(200);
    }
    expect(shown(replicas.all)).toHaveLength(1);
    const stored = await replicas.schema.query('SELECT body FROM objects');
    expect(JSON.stringify(stored)).not.toContain(made!.clientKey);
    expect(JSON.stringify(stored)).not.toContain(made!.adminToken);
  });

  it('are revoked at all by whoever revokes them', async () => {
    const gateways = await start(2);
    const { clientKey, adminToken } = shown(gateways)[0]!;
    expect((await admin(gateways[0]!, 'DELETE', '/keys/first-run', { token: adminToken })).status).toBeLessThan(300);
    await eventually('revoked', async () => (await models(gateways[1]!, clientKey)) === 401);
    expect(await models(await replicas.add(), clientKey)).toBe(401);
  });

  it('are made only as far as somebody needs them', async () => {
    members = {
      admin: { token: 'a-token-of-the-file-0123456789' },
      keys: [{ name: 'k', secret: 'a-key-of-the-file-01234' }],
    };
    const [named] = await start(1);
    expect(named!.firstRun).toBeNull();
    expect(await replicas.schema.query('SELECT 1 FROM objects')).toEqual([]);
    members = { admin: { token: 'a-token-of-the-file-0123456789' } };
    const [second] = await start(1);
    expect(second!.firstRun).toEqual({ clientKey: expect.stringMatching(/^us-/) as string, adminToken: '' });
    members = {};
    const [third] = await start(1);
    expect(third!.firstRun).toEqual({ clientKey: '', adminToken: expect.stringMatching(/^us-admin-/) as string });
    expect(await models(third!, second!.firstRun!.clientKey)).toBe(200);
  });

  it('are nobody’s after a start that failed, and shown by the next one', async () => {
    const [one] = await start(1);
    const taken = new URL(one!.url).port;
    await replicas.schema.query(`DELETE FROM objects`);
    await expect(replicas.add({ port: Number(taken) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(await replicas.schema.query('SELECT 1 FROM objects')).toEqual([]);
    const next = await replicas.add();
    expect(await models(next, next.firstRun!.clientKey)).toBe(200);
  });
});
