/** Objects of the configuration over several replicas: what is changed at one is in force at all (G-8, G-9, H-5). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import type { RunningGateway } from '../../src/assemble.ts';
import { secretHash } from '../../src/config/secret-hash.ts';
import { okBody } from '../faults/answers.ts';
import { ADMIN, admin, CLIENT, call, eventually, Replicas, SEAL } from '../support/replicas/in-process.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';

const ASK = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

describe.runIf(hasPostgres())('what is changed at one replica', () => {
  let replicas: Replicas;
  let upstream: Simulator;
  let config: (store: string) => object;
  let one: RunningGateway;
  let two: RunningGateway;

  beforeAll(async () => {
    upstream = await startSimulator({ name: 'up', script: { models: { m: [okBody('a')] } } });
    config = (store) => ({
      store,
      admin: { token: ADMIN },
      providers: { up: { type: 'openai-compatible', base_url: `${upstream.url}/v1` } },
      models: { m: { channels: [{ provider: 'up' }] } },
      workspaces: { default: {}, acme: {} },
      keys: [{ name: 'own', secret: CLIENT }],
    });
    replicas = await Replicas.open(2, (store) => config(store));
    [one, two] = replicas.all as [RunningGateway, RunningGateway];
  });
  afterAll(async () => {
    await replicas.close();
    await upstream.close();
  });

  const ask = (gateway: RunningGateway, key: string) => call(gateway, '/v1/chat/completions', { body: ASK, key });
  const made = async (gateway: RunningGateway, name: string): Promise<string> => {
    const answer = await admin(gateway, 'POST', '/keys', { body: { name } });
    expect(answer.status).toBe(201);
    return String(answer.body['secret']);
  };
  const names = (gateway: RunningGateway): string[] =>
    [...gateway.gateway.snapshot().keys.values()].map(({ name }) => name);
  const inStore = (): Promise<unknown[][]> => replicas.schema.query('SELECT kind, name FROM objects ORDER BY ix');
  /** As another process would, whose word gets lost. */
  const changeInSilence = async (sql: string, values: readonly unknown[] = []): Promise<void> => {
    await replicas.schema.query(sql, values);
    await replicas.schema.query(`UPDATE revisions SET value = value + 1 WHERE name = 'objects'`);
  };
  const insert =
    'INSERT INTO objects (kind, name, body, version, created_at, updated_at, updated_by) VALUES ($1, $2, $3, 1, 0, 0, $4)';

  it('G-9: a key works at the other in the next request, and is shown there', async () => {
    const secret = await made(one, 'next');
    expect((await ask(two, secret)).status).toBe(200);
    expect((await admin(two, 'GET', '/keys/next')).body).toMatchObject({ name: 'next', version: 1 });
    expect((await admin(two, 'PATCH', '/keys/next', { body: { models: ['m'] } })).status).toBe(200);
    expect((await admin(one, 'GET', '/keys/next')).body).toMatchObject({ models: ['m'], version: 2 });
  });

  it('G-9: a key that is revoked at one is refused at the other, by word and without one', async () => {
    const told = await made(one, 'told');
    const untold = await made(one, 'untold');
    expect([(await ask(two, told)).status, (await ask(two, untold)).status]).toEqual([200, 200]);
    expect((await admin(one, 'DELETE', '/keys/told')).status).toBeLessThan(300);
    await eventually('revoked by word', async () => (await ask(two, told)).status === 401);
    await changeInSilence(`DELETE FROM objects WHERE kind = 'key' AND name = 'untold'`);
    await eventually('revoked without a word', async () => (await ask(two, untold)).status === 401);
    expect(names(two)).not.toContain('untold');
  });

  it('G-9: a key nobody has told of is looked for in the store before it is refused', async () => {
    // Whoever was not known less than a second ago has had the store asked.
    await eventually('made in silence and known', async () => {
      const secret = `us-silent-${Math.random()}-0123456789`;
      await changeInSilence(insert, [
        'key',
        `k${secretHash(secret).slice(0, 8)}`,
        JSON.stringify({ hash: secretHash(secret) }),
        'admin',
      ]);
      return (await ask(one, secret)).status === 200;
    });
    expect((await ask(one, 'us-nobody-0123456789-0123456789')).status).toBe(401);
  });

  it('G-8: a member made at one may come in at the other, and a removed one may not', async () => {
    const answer = await admin(one, 'POST', '/members', {
      body: { name: 'mia', role: 'workspace_admin', workspace: 'acme' },
    });
    expect(answer.status).toBe(201);
    const token = String(answer.body['token']);
    expect((await admin(two, 'GET', '/keys', { token })).status).toBe(200);
    expect((await admin(one, 'DELETE', '/members/mia')).status).toBeLessThan(300);
    expect((await admin(two, 'GET', '/keys', { token })).status).toBe(401);
  });

  it('G-8: of two changes of one object one is refused, of two objects both are kept', async () => {
    const [first, second] = await Promise.all(
      [one, two].map((at) => admin(at, 'POST', '/keys', { body: { name: 'race' } })),
    );
    expect([first!.status, second!.status].sort()).toEqual([201, 409]);
    const many = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        admin(n % 2 === 0 ? one : two, 'POST', '/keys', { body: { name: `many-${n}` } }),
      ),
    );
    expect(many.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
    await eventually('all at both', () => names(one).length === names(two).length && names(one).includes('many-9'));
    expect(names(one).sort()).toEqual(names(two).sort());
  });

  it('H-5: what the store holds and nobody can read leaves in force what is, and is told', async () => {
    const before = names(two).sort();
    await changeInSilence(insert, ['key', 'torn', 'no json', 'admin']);
    await eventually('told', async () => (await alertsAt(two)).includes('config.not_taken'));
    expect((await ask(two, CLIENT)).status).toBe(200);
    expect(names(two).sort()).toEqual(before);
    await changeInSilence(`DELETE FROM objects WHERE name = 'torn'`);
    const secret = await made(one, 'after');
    expect((await ask(two, secret)).status).toBe(200);
  });

  it('H-5: an object that does not fit is set aside at each, and nothing else', async () => {
    const body = JSON.stringify({ hash: secretHash('us-x'), workspace: 'nowhere' });
    await changeInSilence(insert, ['key', 'misfit', body, 'admin']);
    const shown = await admin(two, 'GET', '/keys/misfit');
    expect(shown.body['problem']).toContain('nowhere');
    expect(names(two)).not.toContain('misfit');
    expect(names(two)).toContain('own');
  });

  it('G-10: what is applied at one is in force at all; where it can’t be, the old one stays and objects go on', async () => {
    const text = JSON.stringify({ version: 1, ...config(replicas.schema.url), answers: { calm: { text: 'calm' } } });
    const applied = await admin(one, 'POST', '/apply', { body: { text, name: 'new.yaml', dry_run: false } });
    expect([applied.status, applied.body]).toEqual([200, expect.objectContaining({ applied: true })]);
    await eventually('applied', () => two.gateway.snapshot().answers.get('calm') === 'calm');
    expect(two.origin().kind).toBe('applied');
    // A replica whose environment lacks what the text names.
    const other = await replicas.add({ env: { ...SEAL, UNDERSTUDY_ONLY_HERE: 'x' } });
    const named = text.replace('"calm"}', `"\${UNDERSTUDY_ONLY_HERE}"}`);
    expect(
      (await admin(other, 'POST', '/apply', { body: { text: named, name: 'env.yaml', dry_run: false } })).status,
    ).toBe(200);
    await eventually('told', async () => (await alertsAt(one)).includes('config.not_taken'));
    expect(one.gateway.snapshot().answers.get('calm')).toBe('calm');
    const secret = await made(other, 'still');
    expect((await ask(one, secret)).status).toBe(200);
    expect(await inStore()).toContainEqual(['configuration', 'applied']);
  });

  async function alertsAt(gateway: RunningGateway): Promise<unknown[]> {
    const answer = await admin(gateway, 'GET', '/alerts');
    return (answer.body['data'] as { kind: string }[]).map(({ kind }) => kind);
  }
});
