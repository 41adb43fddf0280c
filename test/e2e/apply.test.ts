/** `understudy apply` against a running gateway. */
import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigRejected, SealBroken } from '../../src/assemble.ts';
import { TestShell } from '../cli/test-shell.ts';
import { ADMIN, AdminE2e, FILE_KEY, fileConfig } from './admin-rig.ts';

let rig: AdminE2e;
let shell: TestShell;
beforeEach(async () => {
  rig = await AdminE2e.make();
  await rig.start(fileConfig());
  shell = freshShell();
});
afterEach(() => rig.remove());

function freshShell(answer?: string): TestShell {
  const made = new TestShell();
  made.env = { UNDERSTUDY_URL: rig.gateway.url, UNDERSTUDY_ADMIN_TOKEN: ADMIN };
  if (answer !== undefined) {
    made.ask = (question) => {
      made.asked.push(question);
      return Promise.resolve(answer);
    };
  }
  return made;
}

const OTHER_KEY = 'e2e-other-key-0123456789';
const OTHER = fileConfig({
  models: {
    ok: { price: { input: 1 }, channels: [{ id: 'c', provider: 'up', model: 'ok' }] },
    more: { channels: [{ id: 'c', provider: 'up', model: 'ok' }] },
  },
  keys: [
    { name: 'file-key', workspace: 'filed', secret: OTHER_KEY },
    { name: 'second', secret: 'e2e-second-key-0123456789' },
  ],
  health: { auth_ms: 1000 },
  workspaces: { filed: {}, late: {} },
});

/** Another file than the one the gateway was started with. */
async function otherFile(config: object | string = OTHER): Promise<string> {
  const path = `${rig.file}.other`;
  await rig.write(config);
  await rename(rig.file, path);
  await rig.write(fileConfig());
  return path;
}

describe('what apply shows', () => {
  it('added, removed and changed, field by field; secrets only as changed; nothing happens', async () => {
    const path = await otherFile();
    expect(await shell.run('apply', path, '--dry-run')).toBe(0);
    expect(shell.printed.slice(0, 10)).toEqual([
      '+ model      more',
      '~ model      ok',
      '    price.input  not set → 1',
      '+ workspace  late',
      '~ key        file-key',
      '    secret  changed (secret)',
      '+ key        second',
      '~ setting    health.auth_ms  300000 → 1000',
      expect.stringContaining('note: this gateway was started with the file'),
    ]);
    expect(shell.out).not.toMatch(/0123456789/);
    expect([await rig.ask(FILE_KEY), await rig.ask(OTHER_KEY)]).toEqual([200, 401]);
  });

  it('--json prints the same for programs', async () => {
    expect(await shell.run('apply', await otherFile(), '--dry-run', '--json')).toBe(0);
    expect(JSON.parse(shell.out)).toMatchObject({
      applied: false,
      changes: expect.arrayContaining([
        { change: 'changed', kind: 'key', name: 'file-key', fields: [{ path: 'secret', secret: true }] },
        { change: 'changed', kind: 'setting', name: 'health.auth_ms', fields: [{ path: '', from: 300000, to: 1000 }] },
      ]),
      store: [],
    });
  });

  it('the same file has no differences and asks nothing', async () => {
    shell = freshShell('n');
    expect(await shell.run('apply', rig.file)).toBe(0);
    expect(shell.out).toContain('no differences');
    expect(shell.asked).toEqual([]);
  });

  it('G-9: says what becomes of objects of the store', async () => {
    await rig.admin('POST', '/keys', { name: 'second' });
    await rig.admin('POST', '/keys', { name: 'picky', models: ['ok'] });
    const { ok: _gone, ...models } = OTHER['models'] as Record<string, object>;
    const path = await otherFile({ ...OTHER, models });
    expect(await shell.run('apply', path, '--yes')).toBe(0);
    expect(shell.out).toContain('! key `second` of the store waits: the file names one like it');
    expect(shell.out).toContain('! key `picky` of the store is set aside: models[0]: there is no model `ok`');
    const back = freshShell();
    expect(await back.run('apply', rig.file, '--yes')).toBe(0);
    expect(back.out).toContain('! key `second` of the store is in force again');
    expect(back.out).toContain('! key `picky` of the store is in force again');
  });

  it('E-5: a value from the environment is told by its variable', async () => {
    const text = (url: string) => JSON.stringify(fileConfig({ providers: { up: { type: 'openai', base_url: url } } }));
    await rig.write(text('http://old.test/v1'));
    await rig.start(undefined, { env: { UPSTREAM: 'http://secret-host.test/v1' } });
    shell.env = { ...shell.env, UNDERSTUDY_URL: rig.gateway.url };
    const path = await otherFile(text(`\${UPSTREAM}`));
    expect(await shell.run('apply', path, '--dry-run')).toBe(0);
    expect(shell.out).toContain(`base_url  "http://old.test/v1" → "\${UPSTREAM}"`);
    expect(shell.out).not.toContain('secret-host');
  });
});

describe('whether it is wanted', () => {
  it.each([
    ['y', 0],
    ['YES', 0],
    ['', 1],
    ['n', 1],
    ['yep', 1],
  ])('the answer %j exits %d', async (answer, exit) => {
    shell = freshShell(answer);
    expect(await shell.run('apply', await otherFile())).toBe(exit);
    expect(shell.asked).toEqual([expect.stringMatching(/Apply this to http.*\[y\/N\]/)]);
    expect(await rig.ask(OTHER_KEY)).toBe(exit === 0 ? 200 : 401);
    if (exit === 1) expect(shell.err).toContain('nothing was applied');
  });

  it.each([[[]], [['--json']]])('where nobody can be asked, %j without --yes is wrong usage', async (args) => {
    shell = args.length === 0 ? freshShell() : freshShell('y');
    expect(await shell.run('apply', await otherFile(), ...args)).toBe(2);
    expect(shell.err).toContain('--yes');
    expect(await rig.ask(OTHER_KEY)).toBe(401);
  });
});

describe('a file that can not be applied', () => {
  it('X-5: one that is missing is told before anything else, also where nobody can be asked', async () => {
    shell = freshShell();
    for (const args of [[], ['--json'], ['--yes']]) {
      expect(await shell.run('apply', `${rig.file}.missing`, ...args)).toBe(1);
      expect(shell.err).toContain('there is no such file');
      expect(shell.err).not.toContain('--yes');
    }
  });

  it('X-5: every problem with its place, exit 1, nothing changed', async () => {
    const path = await otherFile('version: 1\nmodells: {}\nserver: { prot: 1 }\n');
    expect(await shell.run('apply', path, '--yes')).toBe(1);
    expect(shell.err).toContain('2 problems');
    expect(shell.err).toContain(`${path}:2:1: modells: unknown key; did you mean \`models\`?`);
    expect(shell.err).toContain(`${path}:3:11: server.prot: unknown key; did you mean \`port\`?`);
    expect(await rig.ask(FILE_KEY)).toBe(200);
    expect(await rig.admin('POST', '/apply', { text: 'version: 3' })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_parameter', param: 'version' } },
    });
  });

  it('not there, no gateway, a wrong token: exit 1 and what to do', async () => {
    expect(await shell.run('apply', join(rig.dataDir, 'none.yaml'), '--yes')).toBe(1);
    expect(shell.err).toContain('there is no such file');
    const path = await otherFile();
    const wrong = freshShell();
    wrong.env = { ...wrong.env, UNDERSTUDY_ADMIN_TOKEN: 'wrong' };
    expect(await wrong.run('apply', path, '--yes')).toBe(1);
    expect(wrong.err).toContain('refused the admin token');
    const client = freshShell();
    client.env = { ...client.env, UNDERSTUDY_ADMIN_TOKEN: FILE_KEY };
    expect(await client.run('apply', path, '--yes')).toBe(1);
    const nobody = freshShell();
    expect(await nobody.run('apply', path, '--yes', '--url', 'http://127.0.0.1:1')).toBe(1);
    expect(nobody.err).toContain('no gateway answers');
  });

  it('H-5: another configuration in force since the differences were shown is 409', async () => {
    const text = JSON.stringify(OTHER);
    const looked = await rig.admin('POST', '/apply', { text });
    const base = looked.body['base'];
    await rig.admin('POST', '/apply', {
      text: JSON.stringify(fileConfig({ health: { auth_ms: 2000 } })),
      dry_run: false,
    });
    const late = await rig.admin('POST', '/apply', { text, dry_run: false, base });
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(await rig.ask(FILE_KEY)).toBe(200);
  });
});

describe('after apply', () => {
  it('the text is in force at once, and at a start without a file; a file beats it', async () => {
    expect(await shell.run('apply', await otherFile(), '--yes')).toBe(0);
    expect(shell.out).toMatch(/applied to http/);
    expect([await rig.ask(FILE_KEY), await rig.ask(OTHER_KEY), await rig.ask(OTHER_KEY, 'more')]).toEqual([
      401, 200, 200,
    ]);
    await rig.start(null);
    expect(rig.gateway.origin()).toMatchObject({ kind: 'applied', appliedAt: expect.any(Number) });
    expect([await rig.ask(FILE_KEY), await rig.ask(OTHER_KEY)]).toEqual([401, 200]);
    await rig.start();
    expect(rig.gateway.origin()).toMatchObject({ kind: 'file' });
    expect([await rig.ask(FILE_KEY), await rig.ask(OTHER_KEY)]).toEqual([200, 401]);
  });

  it('a reload reads the file again where there is one', async () => {
    await shell.run('apply', await otherFile(), '--yes');
    expect(await rig.gateway.reload()).toMatchObject({ ok: true });
    expect([await rig.ask(FILE_KEY), await rig.ask(OTHER_KEY)]).toEqual([200, 401]);
  });

  it('no warning about the next start when the file it was started with says the same', async () => {
    const path = await otherFile();
    await rename(path, rig.file);
    expect(await shell.run('apply', rig.file, '--yes')).toBe(0);
    expect(shell.out).not.toContain('note:');
  });

  it('G-9: the text is kept sealed: its secrets are in no file of the data folder', async () => {
    await shell.run('apply', await otherFile(), '--yes');
    await rig.stop();
    const state = (await readFile(join(rig.dataDir, 'state.db'))).toString('latin1');
    expect(state).toContain('applied');
    expect(state).not.toContain(OTHER_KEY);
    expect(existsSync(join(rig.dataDir, 'seal.key'))).toBe(true);
  });

  it('G-9: a text that can not be opened, or no longer holds, stops a start without a file and says so', async () => {
    const needs = fileConfig({ keys: [{ name: 'k', secret: `\${APPLIED_KEY:-}${OTHER_KEY}` }] });
    await shell.run('apply', await otherFile(needs), '--yes');
    await rig.stop();
    const key = join(rig.dataDir, 'seal.key');
    await rename(key, `${key}.away`);
    const refused = await rig.start(null).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SealBroken);
    expect((refused as Error).message).toMatch(/applied configuration cannot be opened.*--config FILE/);
    await rename(`${key}.away`, key);
    await rig.start(null);
    expect(await rig.ask(OTHER_KEY)).toBe(200);
    await rig.start(null, { env: { APPLIED_KEY: 'two words ' } }).catch((error: unknown) => {
      expect(error).toBeInstanceOf(ConfigRejected);
    });
    expect(() => rig.gateway).toThrow('not running');
  });

  it('without a file before, serve says what it goes on from', async () => {
    await shell.run('apply', await otherFile(), '--yes');
    await rig.start(null);
    const { gateway } = rig;
    const serving = new TestShell();
    serving.gateway = () =>
      Promise.resolve({ ...gateway, drain: () => Promise.resolve(), close: () => Promise.resolve() });
    const ended = serving.run('serve', '--data', rig.dataDir);
    await serving.signal('SIGTERM');
    expect(await ended).toBe(0);
    expect(serving.out).toMatch(/configuration +as applied on \d{4}-/);
    expect(serving.out).not.toContain('Try it');
  });
});
