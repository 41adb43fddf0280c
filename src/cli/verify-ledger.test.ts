import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestShell } from '../../test/cli/test-shell.ts';
import { answerOf, claimOf, refOf, T0 } from '../../test/conformance/ledger-samples.ts';
import { sampleDraft } from '../../test/support/sample-draft.ts';
import { openSealer } from '../adapters/sealer/open-sealer.ts';
import { createIdempotencyStore } from '../adapters/store-sql/idempotency-store.ts';
import { lockDataDir } from '../adapters/store-sqlite/data-dir-lock.ts';
import { IDEMPOTENCY_SQL } from '../adapters/store-sqlite/idempotency-sql.ts';
import { openRecordStore } from '../adapters/store-sqlite/open-record-store.ts';
import { openStateDb } from '../adapters/store-sqlite/open-state-db.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { soleHolder } from '../ports/holder.ts';

let dir: string;
let shell: TestShell;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'verify-'));
  shell = new TestShell();
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const SUCCEEDED = 300;

/** A folder as a gateway leaves it: succeeded keys with their records, one replay, one large answer, one failed key. */
async function fill(): Promise<void> {
  const db = await openStateDb({ path: join(dir, 'state.db'), clock: systemClock });
  const sealer = await openSealer({ dataDir: dir, env: {} });
  const store = createIdempotencyStore({
    db,
    sql: IDEMPOTENCY_SQL,
    sealer,
    clock: systemClock,
    holder: soleHolder('p1'),
  });
  const records = await openRecordStore({ path: join(dir, 'understudy.db'), queueLimit: 1000, clock: systemClock });
  const note = (id: string, key: string, text: string, original: string | null) => {
    const role = original === null ? 'owner' : 'replay';
    const { digest } = answerOf(text);
    const idempotency = { key_hash: refOf(key).keyHash, state: 'succeeded', round: 1, role, digest };
    const ending = original === null ? 'served' : 'replayed';
    records.append({
      ...sampleDraft(1),
      id,
      at: new Date(T0).toISOString(),
      key: 'dev',
      endpoint: 'chat',
      ending,
      status: 200,
      idempotency: original === null ? idempotency : { ...idempotency, original_request_id: original },
    });
  };
  await Promise.all(
    Array.from({ length: SUCCEEDED }, async (_, n) => {
      const [key, requestId] = [`k${n}`, `req_${n}`];
      const text = n === 7 ? 'large '.repeat(30_000) : `answer ${n}`;
      await store.claim(claimOf(key, { requestId }));
      await store.startAttempt({ ref: refOf(key), round: 1, no: 1, attemptId: `att_${n}`, target: 't', at: T0 });
      const round = { ref: refOf(key), round: 1, requestId, attemptId: `att_${n}` };
      await store.succeed({ ...round, answer: answerOf(text) });
      note(requestId, key, text, null);
    }),
  );
  note('req_again', 'k5', 'answer 5', 'req_5');
  await store.claim(claimOf('failed'));
  const failure = { status: 502, code: 'x', message: '', requestId: 'req_1', at: T0 };
  await store.fail({ ref: refOf('failed'), round: 1, state: 'failed', failure, release: false });
  await store.close();
  await records.flush();
  await records.close();
  await db.close();
}

function change(file: string, sql: string, ...params: unknown[]): void {
  const db = new Database(join(dir, file));
  const { changes } = db.prepare(sql).run(params);
  db.close();
  expect(changes).toBe(1);
}

/** Of an answer, by its key's hash. */
const OF_KEY = 'ix = (SELECT ix FROM idempotency_keys WHERE key_hash = ?)';

describe('understudy verify-ledger', () => {
  it('I-11: a sound folder is told as such, every key, attempt, answer and record looked at', async () => {
    await fill();
    const before = readFileSync(join(dir, 'state.db'));
    expect(await shell.run('verify-ledger', '--data', dir, '--json')).toBe(0);
    expect(JSON.parse(shell.out)).toEqual({
      data: dir,
      live: false,
      keys: SUCCEEDED + 1,
      answers: SUCCEEDED,
      attempts: SUCCEEDED,
      records: SUCCEEDED + 1,
      violations: [],
      violation_count: 0,
    });
    expect(readFileSync(join(dir, 'state.db'))).toEqual(before);
    shell.printed.length = 0;
    expect(await shell.run('verify-ledger', '--data', dir)).toBe(0);
    expect(shell.out).toMatch(/301 keys, 300 attempts, 300 stored answers, 301 keyed requests of the log\nEvery key/);
  });

  it.each<[string, string, () => void]>([
    [
      'an answer whose bytes were exchanged for those of another key',
      'answer_unreadable',
      () =>
        change(
          'state.db',
          `UPDATE idempotency_answers SET sealed = (SELECT sealed FROM idempotency_answers WHERE ${OF_KEY}) WHERE ${OF_KEY}`,
          refOf('k1').keyHash,
          refOf('k2').keyHash,
        ),
    ],
    [
      'a byte of a large answer that was changed',
      'answer_unreadable',
      () => {
        const db = new Database(join(dir, 'state.db'));
        const at = [refOf('k7').keyHash];
        const sql = `SELECT sealed FROM idempotency_answers WHERE ${OF_KEY}`;
        const [[sealed]] = db.prepare(sql).raw().all(at) as unknown as [[Buffer]];
        db.close();
        sealed[100_000]! ^= 1;
        change('state.db', `UPDATE idempotency_answers SET sealed = ? WHERE ${OF_KEY}`, sealed, ...at);
      },
    ],
    [
      'an answer that is gone',
      'answer_missing',
      () => change('state.db', `DELETE FROM idempotency_answers WHERE ${OF_KEY}`, refOf('k3').keyHash),
    ],
    [
      'a round that nobody runs',
      'orphaned_round',
      () =>
        change(
          'state.db',
          "UPDATE idempotency_keys SET row = json_set(row, '$.state', 'accepted') WHERE key_hash = ?",
          refOf('failed').keyHash,
        ),
    ],
    [
      'more attempts than the key may have',
      'attempts_over_budget',
      () =>
        change(
          'state.db',
          "UPDATE idempotency_keys SET row = json_set(row, '$.maxAttempts', 0) WHERE key_hash = ?",
          refOf('k4').keyHash,
        ),
    ],
    [
      'a replay that was another body',
      'delivered_twice_differently',
      () =>
        change(
          'understudy.db',
          "UPDATE requests SET summary = replace(summary, ?, 'ee') WHERE id = 'req_again'",
          answerOf('answer 5').digest,
        ),
    ],
  ])('I-11: %s is found: exit 1', async (_name, kind, damage) => {
    await fill();
    damage();
    expect(await shell.run('verify-ledger', '--data', dir)).toBe(1);
    expect(shell.out).toContain('1 violation:');
    expect(shell.out).toContain(`  ${kind}  `);
    expect(shell.err).toBe('');
  });

  it('I-11: beside a running gateway its rounds are no violation', async () => {
    await fill();
    const db = await openStateDb({ path: join(dir, 'state.db'), clock: systemClock });
    const sealer = await openSealer({ dataDir: dir, env: {} });
    const store = createIdempotencyStore({
      db,
      sql: IDEMPOTENCY_SQL,
      sealer,
      clock: systemClock,
      holder: soleHolder('p2'),
    });
    await store.claim(claimOf('under way'));
    const first = { round: 1, no: 1, attemptId: 'att_1', target: 't', at: T0 };
    await store.startAttempt({ ref: refOf('under way'), ...first });
    expect(await shell.run('verify-ledger', '--data', dir)).toBe(1);
    const lock = lockDataDir(dir);
    shell.printed.length = 0;
    expect(await shell.run('verify-ledger', '--data', dir)).toBe(0);
    expect(shell.out).toContain('(a gateway runs on it)');
    await store.claim(claimOf('goes on'));
    lock.release();
    await store.close();
    await db.close();
  });

  it('shows how far it is where somebody sees it, and takes the line away', async () => {
    await fill();
    const lines: string[] = [];
    const seen = Object.assign(shell, { progress: (line: string) => void lines.push(line) });
    expect(await seen.run('verify-ledger', '--data', dir)).toBe(0);
    expect(lines[0]).toMatch(/^\[#{10}\.{20}\] 33 % {2}200 of 602$/);
    expect(lines.at(-2)).toMatch(/^\[#{30}\] 100 % {2}602 of 602$/);
    expect(lines.at(-1)).toBe('');
  });

  it('finds the folder by the configuration, as serve does', async () => {
    await fill();
    mkdirSync(join(dir, 'conf'));
    const file = join(dir, 'conf', 'understudy.yaml');
    writeFileSync(file, `version: 1\nstore: "sqlite:${join(dir, 'understudy.db')}"\n`);
    expect(await shell.run('verify-ledger', '--config', file)).toBe(0);
    expect(shell.out).toContain('301 keyed requests');
  });

  it('wrong usage is exit 2: no such folder, no such option, a bad configuration', async () => {
    expect(await shell.run('verify-ledger', '--data', join(dir, 'nowhere'))).toBe(2);
    expect(shell.err).toMatch(/there is no ledger in .*nowhere: no state.db; name the folder with --data/);
    expect(await shell.run('verify-ledger', '--dta', dir)).toBe(2);
    writeFileSync(join(dir, 'bad.yaml'), 'version: 2\n');
    expect(await shell.run('verify-ledger', '--config', join(dir, 'bad.yaml'))).toBe(2);
  });

  it('a file that is no database is told plainly: exit 1', async () => {
    writeFileSync(join(dir, 'state.db'), 'not a database, but long enough to be looked at as one '.repeat(20));
    expect(await shell.run('verify-ledger', '--data', dir)).toBe(1);
    expect(shell.err).toMatch(/damaged, or no SQLite file/);
    expect(readdirSync(dir)).toEqual(['state.db']);
  });
});
