/** G-8: who signs in at one replica is signed in at all, and who signs out or is taken away is out at all. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../../src/assemble.ts';
import { sendRaw } from '../faults/raw-client.ts';
import { ADMIN, admin, Replicas } from '../support/replicas/in-process.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';

interface Session {
  readonly cookie: string;
  readonly csrf: string;
}

describe.runIf(hasPostgres())('console sessions over two replicas', () => {
  let replicas: Replicas;
  let a: RunningGateway;
  let b: RunningGateway;
  beforeAll(async () => {
    replicas = await Replicas.open(2, (store) => ({
      store,
      admin: { token: ADMIN },
      providers: { up: { type: 'sim' } },
      models: { 'up/ok': {} },
      workspaces: { acme: {} },
    }));
    [a, b] = replicas.all as [RunningGateway, RunningGateway];
  });
  afterAll(() => replicas.close());

  async function signIn({ url }: RunningGateway, token: string): Promise<Session> {
    const answer = await sendRaw({ url: `${url}/admin/v1/session`, body: { token } });
    expect(answer.status).toBe(200);
    const { csrf_token: csrf } = JSON.parse(answer.text) as { csrf_token: string };
    return { cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '', csrf };
  }
  const ask = async ({ url }: RunningGateway, method: string, path: string, session: Session): Promise<number> => {
    const headers = { cookie: session.cookie, 'x-understudy-csrf': session.csrf };
    return (await sendRaw({ url: `${url}/admin/v1${path}`, method, headers })).status ?? 0;
  };

  it('G-8: a session opened at one is used at the other, its CSRF token as well', async () => {
    const session = await signIn(a, ADMIN);
    expect(await ask(b, 'GET', '/keys', session)).toBe(200);
    // Nothing is there to be removed: it was let in.
    expect(await ask(b, 'DELETE', '/keys/none', session)).toBe(404);
    expect(await ask(b, 'DELETE', '/keys/none', { ...session, csrf: 'x' })).toBe(403);
  });

  it('G-8: signing out at one ends it at the other at once', async () => {
    const session = await signIn(a, ADMIN);
    expect(await ask(b, 'GET', '/keys', session)).toBe(200);
    expect(await ask(a, 'DELETE', '/session', session)).toBe(200);
    expect([await ask(b, 'GET', '/keys', session), await ask(b, 'GET', '/session', session)]).toEqual([401, 401]);
  });

  it('G-8: a member made at one signs in at the other at once, and is out at both as soon as one has removed him', async () => {
    const made = await admin(a, 'POST', '/members', {
      body: { name: 'mia', role: 'workspace_admin', workspace: 'acme' },
    });
    const session = await signIn(b, String(made.body['token']));
    expect(await ask(a, 'GET', '/keys', session)).toBe(200);
    expect((await admin(a, 'DELETE', '/members/mia')).status).toBe(200);
    expect([await ask(b, 'GET', '/keys', session), await ask(a, 'GET', '/keys', session)]).toEqual([401, 401]);
    expect(await ask(b, 'GET', '/session', session)).toBe(401);
  });

  it('G-8: what a session of a person may is twenty over all replicas together', async () => {
    const [first] = [await signIn(a, ADMIN)];
    for (let n = 0; n < 10; n += 1) {
      await signIn(a, ADMIN);
      await signIn(b, ADMIN);
    }
    expect(await ask(b, 'GET', '/session', first)).toBe(401);
    expect(await replicas.schema.query("SELECT count(*) FROM sessions WHERE person = 'admin'")).toEqual([['20']]);
  });
});
