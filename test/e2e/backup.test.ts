/** Backups as docs/backup.md describes them: taken beside a running gateway, put back, and seen to be whole. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { migrateStore } from '../../src/assemble/migrate-store.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { ROOT } from '../architecture/source-tree.ts';
import { TestShell } from '../cli/test-shell.ts';
import { okBody } from '../faults/answers.ts';
import { chatRequest, type RawAnswer, sendRaw } from '../faults/raw-client.ts';
import { findBinaries, hasPostgres } from '../support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../support/servers/postgres-schema.ts';

const SEAL_KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const CLIENT_KEY = 'backup-client-key-0123456789';
const ENV = { UNDERSTUDY_SEAL_KEY: SEAL_KEY };

let home: string;
let simulator: Simulator;
beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'understudy-backup-'));
  simulator = await startSimulator({ script: { models: { ok: [okBody('kept for later')] } } });
});
afterAll(async () => {
  await simulator.close();
  rmSync(home, { recursive: true, force: true });
});

function serve(folder: string): Promise<RunningGateway> {
  const configText = JSON.stringify({
    version: 1,
    providers: { up: { type: 'openai-compatible', base_url: `${simulator.url}/v1` } },
    models: { ok: { channels: [{ provider: 'up' }], price: { input: 1, output: 2 } } },
    workspaces: { acme: { balance_usd: 5 } },
    keys: [{ name: 'acme', workspace: 'acme', secret: CLIENT_KEY }],
  });
  return startGateway({ configText, port: 0, dataDir: path.join(home, folder), env: ENV, log: 'silent' });
}

function ask(gateway: RunningGateway, key: string): Promise<RawAnswer> {
  return sendRaw({
    url: `${gateway.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${CLIENT_KEY}`, 'idempotency-key': key },
    body: chatRequest('ok'),
  });
}

async function verified(...args: string[]): Promise<string> {
  const shell = new TestShell();
  shell.env = ENV;
  const code = await runCommandLine(['verify-ledger', ...args], shell);
  expect([code, shell.complained]).toEqual([0, []]);
  return shell.printed.join('\n');
}

/** The lines of the page that begin so. */
function commands(begin: string): string[] {
  const page = readFileSync(path.join(ROOT, 'docs/backup.md'), 'utf8');
  return page.split('\n').filter((line) => line.startsWith(begin));
}

const hasSqlite = spawnSync('sqlite3', ['-version']).status === 0;

/** The page's line; where its program is missing, what it does. */
function backUp(line: string, data: string, backup: string): void {
  const told = line.replaceAll('DATA', data).replaceAll('BACKUP', backup);
  if (hasSqlite) {
    execFileSync('sh', ['-c', told]);
    return;
  }
  const [, file = '', copy = ''] = /^sqlite3 (\S+) "\.backup (\S+)"$/.exec(told) ?? [];
  const db = new Database(file);
  db.exec(`VACUUM INTO '${copy}'`);
  db.close();
}

describe('a data folder', () => {
  it('H-5, I-4: copies made under load, put back, replay what was answered before them', async () => {
    const gateway = await serve('live');
    const before = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(gateway, `before-${n}`)));
    let stop = false;
    const load = (async () => {
      for (let n = 0; !stop; n += 1) await ask(gateway, `during-${n}`);
    })();
    mkdirSync(path.join(home, 'copy'));
    const lines = commands('sqlite3 ');
    expect(lines).toHaveLength(2);
    for (const line of lines) backUp(line, path.join(home, 'live'), path.join(home, 'copy'));
    stop = true;
    await load;
    await gateway.close();
    expect(await verified('--data', path.join(home, 'copy'))).toContain('Every key has one result at most');
    const again = await serve('copy');
    for (const [n, answer] of before.entries()) {
      const replay = await ask(again, `before-${n}`);
      expect([replay.status, replay.text, replay.headers['idempotent-replayed']]).toEqual([200, answer.text, 'true']);
    }
    await again.close();
  }, 120_000);

  it('H-5: the files of a stopped gateway are a backup as they are', async () => {
    const gateway = await serve('stopped');
    const { text } = await ask(gateway, 'one');
    await gateway.close();
    cpSync(path.join(home, 'stopped'), path.join(home, 'stopped-copy'), { recursive: true });
    expect(await verified('--data', path.join(home, 'stopped-copy'))).toContain('1 keys');
    const again = await serve('stopped-copy');
    expect((await ask(again, 'one')).text).toBe(text);
    await again.close();
  }, 120_000);
});

describe.runIf(hasPostgres())('a database', () => {
  let source: PostgresSchema;
  beforeAll(async () => {
    source = await openSchema();
    return () => source.drop();
  });

  it('H-5, I-11: pg_dump and pg_restore as the page says; every key and answer is there and opens', async () => {
    const gateway = await serve('to-database');
    for (let n = 0; n < 30; n += 1) await ask(gateway, `key-${n}`);
    await gateway.close();
    const from = path.join(home, 'to-database');
    const moved = await migrateStore({ from, to: source.url, checkOnly: false, env: ENV, version: '1' });
    expect(moved.differences).toEqual([]);
    const url = new URL(source.url);
    const schema = url.searchParams.get('schema');
    url.search = '';
    const restored = `restored_${Date.now()}`;
    await source.query(`CREATE DATABASE ${restored}`);
    const target = new URL(url.href);
    target.pathname = `/${restored}`;
    const bin = findBinaries();
    const file = path.join(home, 'understudy.dump');
    const lines = [...commands('pg_dump '), ...commands('pg_restore ')];
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      const told = line
        .replaceAll('--schema=understudy', `--schema=${schema}`)
        .replaceAll('postgres://understudy@db/understudy', url.href)
        .replaceAll('postgres://understudy@db/restored', target.href)
        .replaceAll('understudy.dump', file)
        .replace(/^/, bin === null ? '' : `${bin}/`);
      execFileSync('sh', ['-c', told], { stdio: ['ignore', 'ignore', 'pipe'] });
    }
    expect(existsSync(file)).toBe(true);
    const seen = await verified('--store', `${target.href}?schema=${schema}`);
    expect(seen).toContain('30 keys, 30 attempts, 30 stored answers, 30 keyed requests of the log');
    const counted = async (where: string) =>
      execFileSync(`${bin}/psql`, [where, '-At', '-c', `SELECT count(*), sum(balance) FROM ${schema}.accounts`], {
        encoding: 'utf8',
      });
    expect(await counted(target.href)).toBe(await counted(url.href));
    await source.query(`DROP DATABASE ${restored}`);
  }, 120_000);
});
