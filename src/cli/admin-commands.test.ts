/** The administration commands against a running gateway. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestShell } from '../../test/cli/test-shell.ts';
import { type RunningGateway, startGateway } from '../assemble.ts';

const TOKEN = 'admin-token-0123456789';
const CONFIG = `
version: 1
admin: { token: ${TOKEN} }
providers: { up: { type: sim } }
models: { up/ok: {} }
workspaces: { acme: { balance_usd: 10 } }
credentials: { of-file: { provider: up, secret: file-secret-0123456789 } }
keys: [{ name: file-key, secret: file-key-0123456789 }]
`;

let folder: string;
let gateway: RunningGateway;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'understudy-admin-cli-'));
  gateway = await startGateway({ configText: CONFIG, env: {}, dataDir: join(folder, 'data'), port: 0, log: 'silent' });
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Standard output as JSON. */
  readonly json: () => Record<string, unknown> & Record<string, unknown>[];
}

interface RunOptions {
  readonly token?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function run(args: readonly string[], { token = TOKEN, input, env = {} }: RunOptions = {}): Promise<Ran> {
  const shell = new TestShell();
  shell.env = { UNDERSTUDY_URL: gateway.url, UNDERSTUDY_ADMIN_TOKEN: token, ...env };
  shell.input = input ?? null;
  const code = await shell.run(...args);
  return { code, out: shell.out, err: shell.err, json: () => JSON.parse(shell.out) as ReturnType<Ran['json']> };
}

const ask = (key: string) =>
  fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } }).then((answer) => answer.status);

describe('understudy keys', () => {
  it('G-9: create prints the key alone on standard output; it works at once, and revoke ends it at once', async () => {
    const made = await run(['keys', 'create', 'app', '--workspace', 'acme', '--model', 'up/*', '--rpm', '5']);
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^us-[0-9A-Za-z]{43}$/) });
    expect(made.err).toContain('shown this once');
    expect(await ask(made.out)).toBe(200);

    const listed = await run(['keys', 'list', '--json']);
    expect(listed.json().map((key) => key['name'])).toEqual(['app', 'file-key']);
    expect(listed.json()[0]).toMatchObject({
      workspace: 'acme',
      models: ['up/*'],
      limits: { rpm: 5 },
      managed_by: 'store',
    });
    expect(listed.out).not.toContain(made.out);

    expect(await run(['keys', 'revoke', 'app'])).toMatchObject({ code: 0, out: expect.stringContaining('revoked') });
    expect(await ask(made.out)).toBe(401);
    expect(await run(['keys', 'revoke', 'app'])).toMatchObject({ code: 1, err: expect.stringContaining('`app`') });
  });

  it('X-4: a key may be allowed to rehearse', async () => {
    const made = await run(['keys', 'create', 'drill', '--allow-rehearse']);
    const json = { 'content-type': 'application/json' };
    const headers = { ...json, authorization: `Bearer ${made.out}`, 'x-understudy-rehearse': 'status=503;times=20' };
    const body = JSON.stringify({ model: 'up/ok', messages: [{ role: 'user', content: 'hi' }] });
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
    expect([answer.status, (await run(['keys', 'revoke', 'drill'])).code]).toEqual([503, 0]);
  });

  it('G-8: list is a table for people, by workspace where asked', async () => {
    const { out, code } = await run(['keys', 'list']);
    expect(code).toBe(0);
    expect(out.split('\n')[0]).toMatch(/^NAME +WORKSPACE +STATE/);
    expect(out).toMatch(/file-key +default +ok .* file$/m);
    expect((await run(['keys', 'list', '--workspace', 'acme'])).out).toBe('There is no client key.');
  });

  it('G-6: lift says whether there was anything to lift', async () => {
    expect(await run(['keys', 'lift', 'file-key'])).toMatchObject({ code: 0, out: expect.stringContaining('neither') });
  });

  it('G-8: what the file owns is not revoked here', async () => {
    const { code, err } = await run(['keys', 'revoke', 'file-key']);
    expect(code).toBe(1);
    expect(err).toContain('belongs to the configuration file');
  });
});

describe('understudy credentials', () => {
  const SECRET = 'piped-secret-0123456789';

  it('G-9: the secret is piped in, sealed, and shown by nothing', async () => {
    const added = await run(['credentials', 'add', 'own', '--provider', 'up', '--workspace', 'acme', '--order', '2'], {
      input: `${SECRET}\n`,
    });
    expect(added).toMatchObject({ code: 0, err: '' });
    const listed = await run(['credentials', 'list', '--json']);
    expect(listed.json().find(({ name }) => name === 'own')).toMatchObject({
      kind: 'byok',
      workspace: 'acme',
      order: 2,
    });
    const table = await run(['credentials', 'list']);
    for (const text of [added.out, listed.out, table.out]) expect(text).not.toContain(SECRET.slice(0, 8));

    const again = await run(['credentials', 'rotate-secret', 'own', '--secret-env', 'NEW'], {
      env: { NEW: 'other-secret-0123456789' },
    });
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('new secret') });
    const sealed = await run(['credentials', 'rotate-key', '--json']);
    expect(sealed.json()).toMatchObject({ key_source: 'file', resealed: 1, broken: [] });
    expect(await run(['credentials', 'remove', 'own'])).toMatchObject({ code: 0 });
    expect((await run(['credentials', 'list', '--json'])).json().map(({ name }) => name)).toEqual(['of-file']);
  });

  it('P-1: reorder sets the order of all of a workspace’s own', async () => {
    for (const name of ['one', 'two']) {
      const added = await run(['credentials', 'add', name, '--provider', 'up', '--workspace', 'acme'], {
        input: SECRET + name,
      });
      expect(added.code).toBe(0);
    }
    const order = (...args: string[]) => run(['credentials', 'reorder', ...args, '--workspace', 'acme']);
    expect(await order('two', 'one')).toMatchObject({ code: 0, out: 'They are tried in this order: two, one.' });
    const listed = (await run(['credentials', 'list', '--workspace', 'acme', '--json'])).json();
    expect(listed.map(({ name, order: place }) => [name, place])).toEqual([
      ['one', 1],
      ['two', 0],
    ]);
    expect(await order('two')).toMatchObject({ code: 1, err: expect.stringContaining('`one` is missing') });
    for (const name of ['one', 'two']) await run(['credentials', 'remove', name]);
  });

  it('G-9: without a secret it says how to hand one over; there is no option for it', async () => {
    const add = ['credentials', 'add', 'x', '--provider', 'up'];
    expect(await run(add)).toMatchObject({ code: 2, err: expect.stringContaining('--secret-env') });
    expect(await run(add, { input: ' \n' })).toMatchObject({ code: 2 });
    expect(await run(add, { input: 'two words' })).toMatchObject({ code: 2, err: expect.stringContaining('one word') });
    expect(await run([...add, '--secret-env', 'NOPE'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('NOPE'),
    });
    expect(await run([...add, '--secret', 's'])).toMatchObject({ code: 2, err: expect.stringContaining('--secret') });
  });

  it('G-8: a mistake is told with its field', async () => {
    const { code, err } = await run(['credentials', 'add', 'x', '--provider', 'upp'], { input: SECRET });
    expect(code).toBe(1);
    expect(err).toMatch(/`provider`|provider/);
    expect(err).toContain('up');
  });
});

describe('understudy workspaces', () => {
  it('G-8: set makes one, changes it, takes a field away; remove ends it', async () => {
    expect(await run(['workspaces', 'set', 'new', 'auto=[up/ok]', 'enabled_models=["up/*"]'])).toMatchObject({
      code: 0,
      out: 'The workspace `new` is made.',
    });
    const file = join(folder, 'new.yaml');
    await writeFile(file, 'virtual_models: { smart: { models: [up/ok] } }\nenabled_models: null\n');
    expect(await run(['workspaces', 'set', 'new', '--file', file])).toMatchObject({ code: 0, err: '' });
    const shown = (await run(['workspaces', 'show', 'new', '--json'])).json();
    expect(shown).toMatchObject({ auto: ['up/ok'], virtual_models: { smart: { models: ['up/ok'] } } });
    expect(shown).not.toHaveProperty('enabled_models');
    expect((await run(['workspaces', 'show', 'new'])).out).toMatch(/^auto +\["up\/ok"\]$/m);
    expect((await run(['workspaces', 'list'])).out).toMatch(/^new .* smart /m);
    expect((await run(['workspaces', 'remove', 'new'])).code).toBe(0);
    expect((await run(['workspaces', 'show', 'new'])).code).toBe(1);
  });

  it('G-4: topup and adjust change the balance exactly', async () => {
    expect(await run(['workspaces', 'topup', 'acme', '0.1', '--note', 'invoice 17'])).toMatchObject({
      code: 0,
      out: 'The workspace `acme` has 10.1 USD.',
    });
    const adjusted = await run(['workspaces', 'adjust', 'acme', '--by', '-0.2', '--json']);
    expect(adjusted.json()).toMatchObject({ balance_usd: 9.9, balance_nano_usd: '9900000000' });
    expect((await run(['workspaces', 'show', 'acme'])).out).toContain('9.9 USD');
    expect(await run(['workspaces', 'topup', 'default', '5'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('prepaid'),
    });
  });

  it.each([
    [['workspaces', 'set', 'acme', 'nothing'], 'field=value'],
    [['workspaces', 'set', 'acme', 'auto=[up/ok'], 'YAML'],
    [['workspaces', 'topup', 'acme', 'much'], 'amount in USD'],
    [['workspaces', 'topup', 'acme'], "missing required argument 'usd'"],
    [['workspaces', 'adjust', 'acme'], '--by'],
    [['workspaces'], 'Usage: understudy workspaces'],
    [['keys', 'create'], "missing required argument 'name'"],
    [['keys', 'create', 'x', '--rpm', '0'], 'at least 1'],
    [['members', 'add', 'x', '--role', 'king'], 'account_admin'],
    [['credentials', 'add', 'x'], '--provider'],
    [['keys', 'list', '--url', 'ftp://x'], 'no http address'],
  ])('%j exits 2 and says what is meant', async (args, hint) => {
    expect(await run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(hint) });
  });
});

describe('understudy members', () => {
  it('G-8: a member’s token opens what its role may; explain works with it, and removing it ends that', async () => {
    const added = await run(['members', 'add', 'lead', '--role', 'workspace_admin', '--workspace', 'acme']);
    expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/^us-member-/) });
    const lead = { token: added.out };
    expect((await run(['members', 'list'])).out).toMatch(/^lead +workspace_admin +acme +store/m);

    const made = await run(['keys', 'create', 'leads-own'], lead);
    expect((await run(['keys', 'list', '--json'], lead)).json().map(({ name }) => name)).toEqual(['leads-own']);
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.out}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'up/ok', messages: [{ role: 'user', content: 'hi' }] }),
    });
    const id = answer.headers.get('x-request-id') ?? '';
    expect(await run(['explain', id], lead)).toMatchObject({ code: 0, out: expect.stringContaining(id) });

    const denied = await run(['members', 'list'], lead);
    expect(denied).toMatchObject({ code: 1, err: expect.stringContaining('workspace_admin') });
    expect((await run(['members', 'remove', 'lead'])).code).toBe(0);
    expect(await run(['keys', 'list'], lead)).toMatchObject({
      code: 1,
      err: expect.stringContaining('UNDERSTUDY_ADMIN_TOKEN'),
    });
  });
});

describe('all of them', () => {
  it('E-5: without a token, or without a gateway, they say what to do', async () => {
    expect(await run(['keys', 'list'], { token: '' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('UNDERSTUDY_ADMIN_TOKEN'),
    });
    const nobody = await run(['keys', 'list', '--url', 'http://127.0.0.1:1']);
    expect(nobody).toMatchObject({ code: 1, err: expect.stringContaining('no gateway answers') });
  });

  it.each(['keys', 'credentials', 'workspaces', 'members'])(
    '%s --help shows its commands and examples',
    async (name) => {
      const { code, out } = await run([name, '--help']);
      expect(code).toBe(0);
      expect(out).toContain('Examples:');
      expect(out).toContain('UNDERSTUDY_ADMIN_TOKEN');
      const commands = [...out.matchAll(/^ {2}([a-z-]+) .*<|^ {2}([a-z-]+) \[options\]/gm)].map((m) => m[1] ?? m[2]);
      expect(commands.length).toBeGreaterThan(2);
      for (const command of commands) {
        if (command === 'help') continue;
        const help = await run([name, command!, '--help']);
        expect(help).toMatchObject({ code: 0, out: expect.stringContaining('Examples:') });
        expect(help.out).toContain('--json');
      }
    },
  );
});
