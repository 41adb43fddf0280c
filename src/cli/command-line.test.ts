// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configuration text, not template literals
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemError, TestShell } from '../../test/cli/test-shell.ts';
import { openFirstRun } from '../config/first-run.ts';

let folder: string;
let shell: TestShell;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'understudy-cli-'));
  shell = new TestShell();
});
afterEach(() => rm(folder, { recursive: true }));

async function file(text: string, name = 'config.yaml'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe('usage', () => {
  it.each([
    ['--help'],
    ['serve', '--help'],
    ['check', '--help'],
    ['sim', '--help'],
    ['demo', '--help'],
    ['explain', '--help'],
    ['help', 'serve'],
  ])('%s %s exits 0 and shows examples', async (...args) => {
    expect(await shell.run(...args)).toBe(0);
    expect(shell.out).toMatch(/Usage: understudy/);
    expect(shell.out).toContain('Examples:');
    expect(shell.complained).toEqual([]);
  });

  it('--help names exactly the commands that are carried out', async () => {
    await shell.run('--help');
    const commands = [...shell.out.matchAll(/^ {2}([a-z-]+) .*$/gm)].map((match) => match[1]);
    expect(commands).toEqual([
      'serve',
      'check',
      'sim',
      'demo',
      'apply',
      'explain',
      'verify-ledger',
      'migrate-store',
      'keys',
      'credentials',
      'workspaces',
      'members',
      'help',
    ]);
  });

  it('--version prints the version of the package', async () => {
    expect(await shell.run('--version')).toBe(0);
    expect(shell.out).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it.each([
    [['chekc', 'x'], 'check'],
    [['serv'], 'serve'],
    [['serve', '--prot', '1'], '--port'],
    [['serve', '--port', '70000'], 'from 0 to 65535'],
    [['serve', '--port', 'abc'], 'from 0 to 65535'],
    [['serve', '--drain-timeout', 'soon'], '300s'],
    [['serve', '--drain-timeout', '30'], 'with its unit'],
    [['sim', '--seed', 'x'], 'from 0 to 4294967295'],
    [['serve', 'surplus'], 'too many arguments'],
    [['check'], "missing required argument 'file'"],
    [['explain'], "missing required argument 'request-id'"],
    [['apply', 'package.json'], 'nobody can be asked here'],
    [['aply', 'x'], 'unknown command'],
    [['aply', '--help'], 'unknown command'],
    [[], 'Usage: understudy'],
  ])('%j exits 2 and says what is meant', async (args, hint) => {
    expect(await shell.run(...args)).toBe(2);
    expect(shell.err).toContain(hint);
    expect(shell.printed).toEqual([]);
    expect(shell.started).toEqual([]);
  });
});

describe('check', () => {
  it('X-5: a good file exits 0 with a summary', async () => {
    const path = await file(
      'version: 1\nproviders: { up: { type: sim } }\nmodels: { "up/*": {}, up/a: {} }\nkeys: [{ name: k, secret: s }]',
    );
    expect(await shell.run('check', path)).toBe(0);
    expect(shell.out).toBe(
      `OK  ${path}: 1 provider in use, 0 credentials, 1 model and all of up/*, 1 channel, 0 aliases, 1 workspace, 1 client key`,
    );
    expect(shell.err).toBe('');
  });

  it('X-5: a bad file exits 1 with every problem, a line each', async () => {
    const path = await file('version: 1\nkyes: []\nserver: { port: -1 }');
    expect(await shell.run('check', path)).toBe(1);
    expect(shell.out.split('\n')).toEqual([
      `${path}:2:1: kyes: unknown key; did you mean \`keys\`?`,
      `${path}:3:17: server.port: must be a whole number from 0 to 65535, got -1`,
    ]);
    expect(shell.err).toBe(`understudy: 2 problems in ${path}`);
  });

  it('X-5: --json prints the same for programs, good and bad', async () => {
    const good = await file('version: 1', 'good.yaml');
    expect(await shell.run('check', '--json', good)).toBe(0);
    expect(JSON.parse(shell.out)).toMatchObject({
      ok: true,
      file: good,
      summary: { keys: 0 },
      notes: [expect.stringContaining('404'), expect.stringContaining('client key')],
    });
    const other = new TestShell();
    expect(await other.run('check', await file('version: 3'), '--json')).toBe(1);
    expect(JSON.parse(other.out)).toMatchObject({
      ok: false,
      problems: [{ code: 'invalid_value', path: 'version', line: 1, column: 10 }],
    });
    expect(other.err).toBe('');
  });

  it('X-5: a file of wildcards alone says so', async () => {
    const path = await file('version: 1\nproviders: { up: { type: sim } }\nmodels: { "up/*": {} }');
    expect(await shell.run('check', path)).toBe(0);
    expect(shell.out).toContain(', 0 credentials, all of up/*, 0 channels');
  });

  it('X-5: what is allowed and seldom meant is noted', async () => {
    expect(await shell.run('check', await file('version: 1'))).toBe(0);
    expect(shell.printed).toHaveLength(3);
    expect(shell.out).toMatch(/every request would be answered with 404\n +no client key is named/);
  });

  it('X-5: a file that is not there exits 1', async () => {
    expect(await shell.run('check', join(folder, 'none.yaml'))).toBe(1);
    expect(shell.out).toContain('there is no such file');
  });

  it('X-5: environment variables count', async () => {
    const path = await file('version: 1\nkeys: [{ name: k, secret: ${CLI_TEST_KEY} }]');
    expect(await shell.run('check', path)).toBe(1);
    expect(shell.out).toContain('CLI_TEST_KEY');
    const other = new TestShell();
    other.env = { CLI_TEST_KEY: 'x' };
    expect(await other.run('check', path)).toBe(0);
  });
});

describe('serve', () => {
  const calls: string[] = [];
  const gateway = () => ({
    url: 'http://127.0.0.1:4000',
    host: '127.0.0.1',
    origin: () => ({ kind: 'environment' as const, name: '(environment)', appliedAt: null }),
    generated: () => ({ clientKey: true, adminToken: true }),
    firstRun: null as { clientKey: string; adminToken: string } | null,
    reload: () => Promise.resolve({ ok: true as const, version: 2, notes: ['store takes effect at the next start'] }),
    drain: (ms?: number) => Promise.resolve(void calls.push(`drain ${ms}`)),
    close: () => Promise.resolve(void calls.push('close')),
  });
  beforeEach(() => void calls.splice(0));

  it('starts with the file, announces address and data, drains on SIGTERM, exits 0', async () => {
    const path = await file(
      'version: 1\nstore: sqlite:/tmp/elsewhere/x.db\nserver: { port: 4321 }\nkeys: [{ name: k, secret: s }]\nadmin: { token: t }',
    );
    shell.gateway = () =>
      Promise.resolve({
        ...gateway(),
        origin: () => ({ kind: 'file' as const, name: path, appliedAt: null }),
        generated: () => ({ clientKey: false, adminToken: false }),
        firstRun: { clientKey: 'unused-key', adminToken: 'unused-token' },
      });
    const ended = shell.run('serve', '--config', path, '--drain-timeout', '2m');
    await shell.signal('SIGTERM');
    expect(await ended).toBe(0);
    expect(shell.started).toEqual([
      { configFile: path, dataDir: '/tmp/elsewhere', env: {}, version: expect.any(String) },
    ]);
    expect(calls).toEqual(['drain 120000', 'close']);
    expect(shell.out).toContain('http://127.0.0.1:4000');
    expect(shell.out).toContain('/tmp/elsewhere');
    expect(shell.out).not.toMatch(/unused/);
    expect(shell.listeners()).toBe(0);
  });

  it('without file and provider: a line to copy at the first start, what to do about a lost key at the next', async () => {
    const fresh = { clientKey: 'us-fresh', adminToken: 'us-admin-fresh' };
    shell.gateway = () => Promise.resolve({ ...gateway(), firstRun: fresh });
    const ended = shell.run('serve', '--data', folder);
    await shell.signal('SIGTERM');
    expect(await ended).toBe(0);
    expect(shell.out).toContain('http://127.0.0.1:4000/v1\n');
    expect(shell.out).toMatch(/console +http:\/\/127\.0\.0\.1:4000\/console\/ \(its password: the admin token\)/);
    expect(shell.out).toMatch(/Try it:\n +curl .*us-fresh.*sim\/fail-503.*sim\/ok/);
    expect(shell.out).not.toContain('first start');
    const again = new TestShell();
    again.gateway = () => Promise.resolve(gateway());
    const second = again.run('serve', '--data', folder);
    await again.signal('SIGTERM');
    expect(await second).toBe(0);
    expect(again.out).toMatch(/client key +as shown at the first start\n +admin token +as shown at the first start/);
    expect(again.out).toContain(`delete ${join(folder, 'first-run.json')}`);
    expect(again.out).not.toContain('Try it');
    // The hashes of a shared store are no file to be deleted.
    const third = new TestShell();
    third.gateway = () => Promise.resolve({ ...gateway(), sharesStore: true });
    const shared = third.run('serve', '--data', folder);
    await third.signal('SIGTERM');
    expect(await shared).toBe(0);
    expect(third.out).toContain('Lost? Set admin.token');
    expect(third.out).not.toContain('first-run.json');
  });

  it('flags beat the file', async () => {
    const path = await file('version: 1\nserver: { host: 0.0.0.0, port: 4321 }');
    shell.gateway = () => Promise.resolve(gateway());
    const ended = shell.run('serve', '-c', path, '--host', '127.0.0.2', '--port', '0', '--data', folder);
    await shell.signal('SIGINT');
    expect(await ended).toBe(0);
    expect(shell.started).toMatchObject([{ host: '127.0.0.2', port: 0, dataDir: folder }]);
    expect(shell.out).not.toContain('every address');
    const open = new TestShell();
    open.gateway = () => Promise.resolve({ ...gateway(), host: '0.0.0.0' });
    const second = open.run('serve', '-c', path, '--data', folder);
    await open.signal('SIGINT');
    expect(await second).toBe(0);
    expect(open.out).toContain('every address');
  });

  it('without a file: shows what was made once, and names the providers it found', async () => {
    shell.env = { ANTHROPIC_API_KEY: 'x', GROQ_API_KEY: 'y' };
    shell.gateway = () =>
      Promise.resolve({ ...gateway(), firstRun: { clientKey: 'us-fresh', adminToken: 'us-admin-fresh' } });
    const ended = shell.run('serve', '--data', folder);
    await shell.signal('SIGTERM');
    expect(await ended).toBe(0);
    expect(shell.started[0]).not.toHaveProperty('configFile');
    expect(shell.out).toContain('us-fresh');
    expect(shell.out).toContain('us-admin-fresh');
    expect(shell.out).toContain('anthropic/* (ANTHROPIC_API_KEY), groq/* (GROQ_API_KEY)');
    expect(shell.err).toBe('');
  });

  it('a bad file starts nothing: problems and exit 1', async () => {
    const path = await file('version: 1\nserver: { prot: 1 }');
    expect(await shell.run('serve', '--config', path)).toBe(1);
    expect(shell.started).toEqual([]);
    expect(shell.err).toContain(`${path}:2:11: server.prot: unknown key; did you mean \`port\`?`);
    expect(await shell.run('serve', '--config', join(folder, 'none.yaml'))).toBe(1);
    expect(shell.err).toContain('there is no such file');
  });

  it('G-9: a key that nobody was shown, because the port was taken, is made and shown at the next start', async () => {
    shell.gateway = async (options) => {
      await openFirstRun(options.dataDir);
      throw systemError('EADDRINUSE', 'listen');
    };
    expect(await shell.run('serve', '--data', folder)).toBe(1);
    shell.gateway = async (options) => ({ ...gateway(), firstRun: (await openFirstRun(options.dataDir)).fresh });
    const ended = shell.run('serve', '--data', folder);
    await shell.signal('SIGTERM');
    expect(await ended).toBe(0);
    expect(shell.out).toMatch(/client key +us-/);
    const again = new TestShell();
    again.gateway = shell.gateway;
    const second = again.run('serve', '--data', folder);
    await again.signal('SIGTERM');
    expect(await second).toBe(0);
    expect(again.out).not.toMatch(/us-/);
  });

  it('G-9: a key that the configuration made needless is shown when it is needed', async () => {
    const path = await file('version: 1\nkeys: [{ name: k, secret: s }]');
    shell.gateway = async (options) => ({
      ...gateway(),
      generated: () => ({ clientKey: false, adminToken: true }),
      firstRun: (await openFirstRun(options.dataDir)).fresh,
    });
    const ended = shell.run('serve', '--config', path, '--data', folder);
    await shell.signal('SIGTERM');
    expect(await ended).toBe(0);
    expect(shell.out).toMatch(/admin token +us-admin-/);
    expect(shell.out).not.toContain('client key');
    const later = new TestShell();
    later.gateway = async (options) => ({ ...gateway(), firstRun: (await openFirstRun(options.dataDir)).fresh });
    const second = later.run('serve', '--data', folder);
    await later.signal('SIGTERM');
    expect(await second).toBe(0);
    expect(later.out).toMatch(/client key +us-/);
    expect(later.out).toMatch(/admin token +as shown at the first start/);
    expect(later.out).not.toMatch(/us-admin-/);
  });

  it('SIGHUP loads again; a bad file changes nothing and the gateway goes on', async () => {
    const path = await file('version: 1');
    const answers = [
      {
        ok: false as const,
        problems: [
          { code: 'unknown_key' as const, path: 'x', message: 'unknown key', suggestion: null, line: 9, column: 1 },
        ],
      },
      { ok: true as const, version: 2, notes: ['store takes effect at the next start'] },
    ];
    shell.gateway = () => Promise.resolve({ ...gateway(), reload: () => Promise.resolve(answers.shift()!) });
    const ended = shell.run('serve', '--config', path);
    await shell.signal('SIGHUP');
    expect(shell.err).toContain(`${path}:9:1: x: unknown key`);
    expect(shell.err).toContain('goes on with the last good one');
    expect(calls).toEqual([]);
    await shell.signal('SIGHUP');
    expect(shell.out).toContain('configuration loaded again');
    expect(shell.out).toContain('store takes effect at the next start');
    await shell.signal('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('a second signal ends the drain', async () => {
    shell.gateway = () => Promise.resolve({ ...gateway(), drain: () => new Promise(() => {}) });
    const ended = shell.run('serve', '--data', folder);
    await shell.signal('SIGTERM');
    await shell.signal('SIGTERM');
    expect(await ended).toBe(0);
    expect(calls).toEqual(['close']);
  });

  it.each([
    [
      'EADDRINUSE',
      'listen',
      'port 4000 on 127.0.0.1 is in use: stop what listens there, or choose another port with --port',
    ],
    ['EACCES', 'listen', 'choose a port above 1023'],
    ['EADDRNOTAVAIL', 'listen', 'no address of this machine'],
    ['ENOTFOUND', 'getaddrinfo', 'no address of this machine'],
    ['EACCES', 'mkdir', 'choose another with --data'],
    ['EROFS', 'open', 'read-only'],
    ['ENOTDIR', 'mkdir', 'is a file'],
  ])('H-5: %s at %s is one clear line, exit 1, no stack', async (code, syscall, message) => {
    shell.gateway = () => Promise.reject(systemError(code, syscall));
    expect(await shell.run('serve', '--data', folder)).toBe(1);
    expect(shell.complained).toHaveLength(1);
    expect(shell.err).toContain(message);
    expect(shell.err).not.toMatch(/\n|\bat \S+:\d+/);
  });

  it('what nobody foresaw is one line too, with the stack only on request', async () => {
    shell.gateway = () => Promise.reject(new Error('boom'));
    expect(await shell.run('serve', '--data', folder)).toBe(1);
    expect(shell.err).toContain('boom');
    expect(shell.err).not.toContain('command-line.test');
  });
});

describe('explain', () => {
  let server: Server;
  let url: string;
  let seen: { path: string; authorization: string | undefined }[] = [];
  let answer: { status: number; body: string };
  beforeEach(async () => {
    seen = [];
    server = createServer((request, response) => {
      seen.push({ path: request.url ?? '', authorization: request.headers.authorization });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    shell.env = { UNDERSTUDY_ADMIN_TOKEN: 'adm', UNDERSTUDY_URL: url };
  });
  afterEach(() => new Promise((resolve) => void server.close(resolve)));

  const record = {
    id: 'req_9',
    at: 't',
    endpoint: 'chat',
    stream: false,
    workspace: 'w',
    key: 'k',
    policy: 'standard',
    status: 502,
    ending: 'failed',
    error_code: 'all_models_failed',
    requested_model: 'm',
    served_model: null,
    chain: ['m'],
    degraded: false,
    degraded_reasons: [],
    client_request_id: null,
    client_retry: { count: 0, how: null, upstream_calls: 2 },
    upstream_calls: 2,
    latency_ms: 5,
    usage: null,
    stages: [],
    candidates: [],
    attempts: [],
  };

  it('O-5: asks the admin API of UNDERSTUDY_URL with the token and prints the tree', async () => {
    answer = { status: 200, body: JSON.stringify(record) };
    expect(await shell.run('explain', 'req_9')).toBe(0);
    expect(seen).toEqual([{ path: '/admin/v1/requests/req_9', authorization: 'Bearer adm' }]);
    expect(shell.out).toContain('req_9  502 failed all_models_failed');
  });

  it('O-5: --url beats the environment, --json prints the record', async () => {
    shell.env = { UNDERSTUDY_ADMIN_TOKEN: 'adm', UNDERSTUDY_URL: 'http://127.0.0.1:1' };
    answer = { status: 200, body: JSON.stringify(record) };
    expect(await shell.run('explain', 'req_9', '--url', `${url}/`, '--json')).toBe(0);
    expect(JSON.parse(shell.out)).toEqual(record);
  });

  it('O-5: an id can not reach another path', async () => {
    answer = { status: 404, body: '{}' };
    expect(await shell.run('explain', '../../v1/keys?x=1')).toBe(1);
    expect(seen[0]?.path).toBe('/admin/v1/requests/..%2F..%2Fv1%2Fkeys%3Fx%3D1');
  });

  it.each([
    [404, '{}', 'has no request req_9'],
    [401, '{}', 'refused the admin token'],
    [403, '{}', 'traces are for admins'],
    [200, '<html>', 'no request record'],
    [500, '{"error":{}}', 'no request record'],
  ])('O-5: status %d with %s says what to do', async (status, body, message) => {
    answer = { status, body };
    expect(await shell.run('explain', 'req_9')).toBe(1);
    expect(shell.complained).toHaveLength(1);
    expect(shell.err).toContain(message);
  });

  it('O-5: no gateway, no token, no address', async () => {
    shell.env = { UNDERSTUDY_ADMIN_TOKEN: 'adm', UNDERSTUDY_URL: 'http://127.0.0.1:1' };
    expect(await shell.run('explain', 'req_9')).toBe(1);
    expect(shell.err).toContain('no gateway answers at http://127.0.0.1:1');
    shell.env = {};
    expect(await shell.run('explain', 'req_9')).toBe(1);
    expect(shell.err).toContain('UNDERSTUDY_ADMIN_TOKEN');
    expect(await shell.run('explain', 'req_9', '--url', 'ftp://x')).toBe(2);
  });
});

describe('sim', () => {
  it('X-1: starts, says where, and ends on a signal', async () => {
    const ended = shell.run('sim', '--port', '0');
    await shell.signal('SIGINT');
    expect(await ended).toBe(0);
    expect(shell.out).toMatch(/http:\/\/127\.0\.0\.1:\d+\/v1/);
  });

  it('X-1: --log shows each call, --seed draws other answers', async () => {
    const answers: string[] = [];
    for (const seed of ['1', '1', '2']) {
      const one = new TestShell();
      const ended = one.run('sim', '--port', '0', '--seed', seed, '--log');
      while (one.printed.length < 2) await one.sleep();
      const url = /http:\S+\/v1/.exec(one.out)![0];
      const body = JSON.stringify({ model: 'ok:a', messages: [{ role: 'user', content: 'hi' }] });
      const headers = { 'content-type': 'application/json' };
      answers.push(await (await fetch(`${url}/chat/completions`, { method: 'POST', headers, body })).text());
      await one.signal('SIGTERM');
      expect(await ended).toBe(0);
      expect(one.printed.at(-1)).toContain('ok:a');
    }
    expect(answers[1]).toBe(answers[0]);
    expect(answers[2]).not.toBe(answers[0]);
  });

  it('X-1: a taken port and a bad script are told plainly', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    try {
      expect(await shell.run('sim', '--port', String(port))).toBe(1);
      expect(shell.err).toContain(`port ${port} on 127.0.0.1 is in use`);
    } finally {
      await new Promise((resolve) => void taken.close(resolve));
    }
    const other = new TestShell();
    expect(await other.run('sim', '--port', '0', '--script', join(folder, 'none.yaml'))).toBe(1);
    expect(other.err).toContain('no such file');
    expect(await other.run('sim', '--port', '0', '--script', await file('modles: {}', 'script.yaml'))).toBe(1);
    expect(other.err).toContain('script.yaml:1:1');
    expect(other.err).not.toContain('fault of the program');
  });
});
