/** From a data folder into PostgreSQL: everything, once, and seen to be the same. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'libsql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import {
  type MigrateOptions,
  MigrationRefused,
  type MigrationReport,
  migrateStore,
} from '../../src/assemble/migrate-store.ts';
import { markWarning } from '../../src/assemble/move-marks.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { TestShell } from '../cli/test-shell.ts';
import { errorStep, okBody } from '../faults/answers.ts';
import { chatRequest, type RawAnswer, sendRaw } from '../faults/raw-client.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../support/servers/postgres-schema.ts';

const SEAL_KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const OTHER_KEY = '202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f';
const CLIENT_KEY = 'moved-client-key-0123456789';
const ADMIN_TOKEN = 'moved-admin-token-0123456789';
/** Beside those that a gateway made. */
const MORE_KEYS = 10_000;

let folder: string;
let simulator: Simulator;
let jobId = '';

/** A folder that a gateway has worked in: keys and answers, money, a queued request, kept answers, objects, a log. */
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'understudy-moved-'));
  simulator = await startSimulator({
    script: {
      models: {
        down: [errorStep(503, { message: 'down' })],
        // Of a model of its own: its tries come when they come.
        queued: [errorStep(503, { message: 'down' })],
        big: [okBody('x'.repeat(200_000))],
      },
    },
  });
  const gateway = await serve();
  for (const key of ['one', 'two', 'big'])
    expect((await ask(gateway, key === 'big' ? 'big' : 'ok', { 'idempotency-key': key })).status).toBe(200);
  await ask(gateway, 'ok');
  await ask(gateway, 'down', { 'idempotency-key': 'failed' });
  const queued = await ask(gateway, 'queued', {}, { redundancy: { on_exhausted: ['queue'] } });
  expect(queued.status).toBe(202);
  jobId = (JSON.parse(queued.text) as { id: string }).id;
  await admin(gateway, 'POST', '/credentials', { name: 'mine', provider: 'up', secret: 'sk-sealed-0123456789' });
  await admin(gateway, 'POST', '/workspaces/acme/balance', { topup_usd: 12.5, note: 'a gift' });
  await gateway.close();
  multiply();
}, 300_000);
afterAll(async () => {
  await simulator.close();
  rmSync(folder, { recursive: true, force: true });
});

function serve(more: { store?: string; dataDir?: string } = {}): Promise<RunningGateway> {
  const configText = JSON.stringify({
    version: 1,
    ...(more.store === undefined ? {} : { store: more.store }),
    admin: { token: ADMIN_TOKEN },
    providers: { up: { type: 'openai-compatible', base_url: `${simulator.url}/v1` } },
    models: {
      ...Object.fromEntries(
        ['ok', 'down', 'queued', 'big'].map((name) => [
          name,
          { channels: [{ provider: 'up' }], price: { input: 1, output: 2 } },
        ]),
      ),
    },
    workspaces: { acme: { balance_usd: 100, answers: { keep: true } } },
    keys: [{ name: 'acme', workspace: 'acme', secret: CLIENT_KEY }],
    defaults: { redundancy: { retries: 0 } },
  });
  return startGateway({
    configText,
    port: 0,
    dataDir: more.dataDir ?? folder,
    env: { UNDERSTUDY_SEAL_KEY: SEAL_KEY },
    log: 'silent',
  });
}

function ask(
  gateway: RunningGateway,
  model: string,
  headers: Record<string, string> = {},
  fields = {},
): Promise<RawAnswer> {
  return sendRaw({
    url: `${gateway.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${CLIENT_KEY}`, ...headers },
    body: chatRequest(model, fields),
  });
}

async function admin(gateway: RunningGateway, method: string, route: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const answer = await sendRaw({ url: `${gateway.url}/admin/v1${route}`, method, headers, body });
  expect([200, 201]).toContain(answer.status);
}

/** As many keys as a page does not hold, failed ones: nothing of theirs was delivered. */
function multiply(): void {
  const db = new Database(path.join(folder, 'state.db'));
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MORE_KEYS})
    INSERT INTO idempotency_keys (key_hash, scope, version, pending, expires_at, row, attempts)
    SELECT printf('%064x', i), k.scope, k.version, k.pending, k.expires_at + i, k.row, k.attempts FROM n,
      (SELECT * FROM idempotency_keys WHERE row ->> 'state' = 'failed' LIMIT 1) k`);
  // And the one whose gateway was killed under it.
  db.exec(`UPDATE idempotency_keys SET pending = 1, row = json_set(row, '$.state', 'running', '$.holder', 'proc_killed')
    WHERE ix = (SELECT min(ix) FROM idempotency_keys WHERE row ->> 'state' = 'failed')`);
  db.close();
}

const count = (table: string, file = 'state.db'): number => {
  const db = new Database(path.join(folder, file));
  const [row] = db.prepare(`SELECT COUNT(*) AS n FROM ${table}`).all() as { n: number }[];
  db.close();
  return row!.n;
};

describe.runIf(hasPostgres())('migrate-store', () => {
  let schema: PostgresSchema;
  beforeEach(async () => {
    schema = await openSchema();
  });
  afterEach(() => schema.drop());

  const move = (more: Partial<MigrateOptions> = {}): Promise<MigrationReport> =>
    migrateStore({
      from: folder,
      to: schema.url,
      checkOnly: false,
      env: { UNDERSTUDY_SEAL_KEY: SEAL_KEY },
      version: '1.0.0',
      ...more,
    });

  it('H-5, I-11: every row arrives, sealed as it was; balances and the ledger agree', async () => {
    const report = await move();
    expect(report.differences).toEqual([]);
    expect(report.ledger).toMatchObject({ keys: MORE_KEYS + 4, answers: 3, violation_count: 0 });
    const rows = Object.fromEntries(report.tables.map(({ table, target }) => [table, target.rows]));
    for (const table of [
      'objects',
      'ledger_entries',
      'period_counters',
      'idempotency_keys',
      'idempotency_answers',
      'kept_answers',
      'jobs',
      'audit',
    ]) {
      expect([table, rows[table]]).toEqual([table, count(table)]);
      expect([table, rows[table]! > 0]).toEqual([table, true]);
    }
    for (const table of ['requests', 'snapshots', 'setup_parts'])
      expect([table, rows[table]]).toEqual([table, count(table, 'understudy.db')]);
    // Six that were asked for, and what tries of the queued one have added.
    expect(rows['requests']).toBeGreaterThanOrEqual(6);
    const [account] = await schema.query("SELECT balance::text, held::text FROM accounts WHERE workspace = 'acme'");
    expect(account?.[1]).toBe('0');
    expect(BigInt(String(account?.[0]))).toBeGreaterThan(112_000_000_000n);
    const mark = JSON.parse(readFileSync(path.join(folder, 'MIGRATED.json'), 'utf8')) as Record<string, unknown>;
    expect(mark).toMatchObject({ to: report.to, finished_at: expect.any(String) });
    expect(report.to).not.toContain('password');
    // Whoever starts a gateway on it all the same is told.
    expect(markWarning(folder)).toBe(
      `the store of ${folder} was migrated to ${report.to} at ${String(mark['finished_at'])}: what happens here from now on is not there`,
    );
    // The folder's first key and token open the shared store, too.
    const [firstRun] = await schema.query("SELECT body FROM objects WHERE kind = 'first_run' AND name = 'hashes'");
    expect(JSON.parse(String(firstRun?.[0]))).toEqual(
      JSON.parse(readFileSync(path.join(folder, 'first-run.json'), 'utf8')),
    );
    // What comes next has a number of its own.
    await schema.query(
      "INSERT INTO objects (kind, name, body, version, created_at, updated_at, updated_by) VALUES ('x', 'y', '{}', 1, 0, 0, 'z')",
    );
  }, 300_000);

  it('I-4, G-4, G-9, E-4: a gateway over the database goes on where the one in the folder stopped', async () => {
    await move();
    const dataDir = mkdtempSync(path.join(tmpdir(), 'understudy-goes-on-'));
    const gateway = await serve({ store: schema.url, dataDir });
    try {
      const calls = simulator.calls.length;
      const replay = await ask(gateway, 'big', { 'idempotency-key': 'big' });
      expect([replay.status, replay.headers['idempotent-replayed'], replay.text.length]).toEqual([
        200,
        'true',
        expect.any(Number),
      ]);
      expect(replay.text).toContain('x'.repeat(200_000));
      expect(simulator.calls.slice(calls).map(({ model }) => model)).not.toContain('big');
      const { accounts } = gateway.gateway;
      expect(accounts.available('acme')).toBeGreaterThan(112_000_000_000n);
      const { credentials } = gateway.gateway.snapshot();
      expect(credentials.map(({ name, secret }) => [name, secret.reveal()])).toContainEqual([
        'mine',
        'sk-sealed-0123456789',
      ]);
      const headers = { authorization: `Bearer ${CLIENT_KEY}` };
      const job = await sendRaw({ url: `${gateway.url}/v1/jobs/${jobId}`, method: 'GET', headers });
      expect([job.status, JSON.parse(job.text)]).toMatchObject([200, { id: jobId }]);
      // Nobody runs the round that was cut off: its key is free, and the request calls somebody again.
      const before = simulator.calls.length;
      const cut = await ask(gateway, 'down', { 'idempotency-key': 'failed' });
      expect([cut.status, simulator.calls.slice(before).filter(({ model }) => model === 'down').length]).toEqual([
        503, 1,
      ]);
      // The next one gets a number of its own.
      expect((await ask(gateway, 'ok', { 'idempotency-key': 'new' })).status).toBe(200);
    } finally {
      await gateway.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  }, 300_000);

  it('H-5: cut off anywhere, the next run goes on; nothing is there twice', async () => {
    let steps = 0;
    for (const stopAt of [1, 6, 12]) {
      steps = 0;
      const onProgress = (): void => {
        steps += 1;
        if (steps === stopAt) throw new Error('pulled out');
      };
      await expect(move({ onProgress })).rejects.toThrow('pulled out');
    }
    await expect(move({ checkOnly: true })).rejects.toThrow(/not to its end/);
    const dataDir = mkdtempSync(path.join(tmpdir(), 'understudy-half-'));
    await expect(serve({ store: schema.url, dataDir })).rejects.toThrow(/a migration into it has not ended/);
    rmSync(dataDir, { recursive: true, force: true });
    const report = await move();
    expect([report.copied, report.differences]).toEqual([true, []]);
    expect((await move()).copied).toBe(false);
  }, 300_000);

  it('I-11: a byte, a row, a character or a balance that differs is found', async () => {
    expect((await move()).differences).toEqual([]);
    const flip = 'UPDATE idempotency_answers SET sealed = set_byte(sealed, 40, get_byte(sealed, 40) # 1) WHERE ix = 1';
    const spoiled: [sql: string, undo: string, told: RegExp][] = [
      [flip, flip, /^idempotency_answers: 3 rows on both sides, and not the same/],
      [
        `UPDATE requests SET summary = replace(summary, 'acme', 'acne')`,
        `UPDATE requests SET summary = replace(summary, 'acne', 'acme')`,
        new RegExp(`^requests: ${count('requests', 'understudy.db')} rows on both sides, and not the same`),
      ],
      [
        'UPDATE accounts SET balance = balance + 1',
        'UPDATE accounts SET balance = balance - 1',
        /^balance of acme: \d+ \d+ 0 here, \d+ \d+ 0 there$/,
      ],
      [
        'DELETE FROM idempotency_keys WHERE ix = (SELECT max(ix) FROM idempotency_keys)',
        'SELECT 1',
        new RegExp(`^idempotency_keys: ${MORE_KEYS + 4} rows here, ${MORE_KEYS + 3} there`),
      ],
    ];
    for (const [sql, undo, told] of spoiled) {
      await schema.query(sql);
      const { differences } = await move({ checkOnly: true });
      expect(differences[0]).toMatch(told);
      await schema.query(undo);
    }
  }, 300_000);

  it('H-5: what stands in the way is told before anything is written', async () => {
    const gateway = await serve();
    await expect(move()).rejects.toThrow(/another|in use|held/i);
    await gateway.close();
    await expect(move({ env: {} })).rejects.toThrow(/UNDERSTUDY_SEAL_KEY is not set: .*\n.*seal\.key/);
    await expect(move({ env: { UNDERSTUDY_SEAL_KEY: OTHER_KEY } })).rejects.toThrow(/lacks seal key [0-9a-f]{8}: /);
    await expect(move({ from: path.join(folder, 'nothing') })).rejects.toThrow(MigrationRefused);
    await expect(move({ checkOnly: true })).rejects.toThrow(/was not migrated/);
    await schema.query(
      "INSERT INTO replicas (holder, lease_until, started_at, app_version, schema_known, host) VALUES ('p', us_now() + 30000, 0, '1', 1, 'h')",
    );
    await expect(move()).rejects.toThrow(/a gateway runs on/);
    await schema.query('DELETE FROM replicas');
    await schema.query(
      "INSERT INTO objects (kind, name, body, version, created_at, updated_at, updated_by) VALUES ('x', 'y', '{}', 1, 0, 0, 'z')",
    );
    await expect(move()).rejects.toThrow(/holds something already/);
  }, 300_000);

  it('the command: progress, what was moved, and 1 for a difference', async () => {
    const shell = new TestShell();
    shell.env = { UNDERSTUDY_SEAL_KEY: SEAL_KEY };
    expect(await runCommandLine(['migrate-store', '--from', folder, '--to', schema.url], shell)).toBe(0);
    const said = shell.printed.join('\n');
    expect(said).toMatch(/^copy {4}\d+ %/m);
    expect(said).toMatch(/^check {3}100 %/m);
    expect(said).toContain('Both sides are the same.');
    expect(said).toMatch(new RegExp(`idempotency_keys\\s+${MORE_KEYS + 4} rows$`, 'm'));
    await schema.query('DELETE FROM jobs');
    const again = new TestShell();
    again.env = shell.env;
    const drawn: string[] = [];
    Object.assign(again, { progress: (line: string) => drawn.push(line) });
    expect(await runCommandLine(['migrate-store', '--from', folder, '--to', schema.url, '--check'], again)).toBe(1);
    expect(again.printed.join('\n')).toContain('1 difference:\n  jobs: 1 rows here, 0 there');
    expect(drawn.some((line) => line.includes('[####'))).toBe(true);
    expect(drawn.at(-1)).toBe('');
  }, 300_000);
});
