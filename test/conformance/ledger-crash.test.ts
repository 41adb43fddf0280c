/** Real processes killed at every durable step of the ledger, and at moments nobody chose. */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '../../src/assemble/verify-ledger.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Inside the project, so that the program finds its packages. */
let dir: string;
let program: string;
const children = new Set<ChildProcess>();
const delivered = new Map<string, Set<string>>();

beforeAll(async () => {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  dir = mkdtempSync(join(ROOT, '.cache', 'ledger-crash-'));
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    build: { ssr: 'test/support/ledger-child.ts', outDir: dir, emptyOutDir: false, minify: false, target: 'node20' },
    ssr: { external: ['libsql'] },
  });
  program = join(dir, 'ledger-child.js');
  copyFileSync(join(ROOT, 'src/adapters/store-sqlite/sql-worker.mjs'), join(dir, 'sql-worker.mjs'));
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** One life of the process; resolves with the signal that ended it. `killAfter`: so many deliveries, then SIGKILL. */
function live(
  fault: string | null,
  keys: readonly [number, number],
  killAfter = Number.POSITIVE_INFINITY,
): Promise<string | null> {
  const env = { ...process.env, ...(fault === null ? {} : { UNDERSTUDY_TEST_FAULTS: '1', UNDERSTUDY_FAULT: fault }) };
  const child = spawn(process.execPath, [program, dir, String(keys[0]), String(keys[1])], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  let text = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const [, key, digest] = /^delivered (\S+) (\w+)$/.exec(line) ?? [];
      if (key === undefined || digest === undefined) continue;
      delivered.set(key, (delivered.get(key) ?? new Set()).add(digest));
      seen += 1;
      if (seen === killAfter) child.kill('SIGKILL');
    }
  });
  return new Promise((resolve) => child.once('close', (_code, signal) => resolve(signal)));
}

async function expectSound(): Promise<void> {
  for (const [key, digests] of delivered) expect([...digests], key).toHaveLength(1);
  const report = await verifyLedger({ dataDir: dir, logFile: 'understudy.db', env: {} });
  // A dead process leaves what the next one closes; nothing else.
  const other = report.violations.filter(({ kind }) => kind !== 'orphaned_round' && kind !== 'orphaned_attempt');
  expect(other).toEqual([]);
}

const STEPS = ['claim', 'start', 'end', 'succeed', 'fail'] as const;
const FAULTS = STEPS.flatMap((step) => [`before:${step}`, `after:${step}`]).flatMap((fault) => [
  `${fault}:1`,
  `${fault}:2`,
]);

describe('kill -9', () => {
  it.each(FAULTS.map((fault, life) => [fault, life] as const))('I-11, I-8: at %s', async (fault, life) => {
    // Four keys of its own, and four the life before has touched.
    expect(await live(fault, [life * 4, life * 4 + 8])).toBe('SIGKILL');
    await expectSound();
  });

  it.each(['before:recover:1', 'after:recover:1'])('I-8: at %s, closing what the life before left', async (fault) => {
    await live('after:start:2', [1000, 1008]);
    expect(await live(fault, [0, 0])).toBe('SIGKILL');
    await expectSound();
  });

  it.each(['before:expire:1', 'after:expire:1'])('I-1: at %s, forgetting keys', async (fault) => {
    await live(null, [2000, 2004], 4);
    const db = new Database(join(dir, 'state.db'));
    db.exec(
      "UPDATE idempotency_keys SET expires_at = 1 WHERE row ->> 'state' = 'succeeded' AND row ->> 'life' % 2 = 0",
    );
    db.close();
    delivered.clear();
    await live(fault, [0, 0], 1);
    await expectSound();
  });

  it('I-11, I-8: at moments nobody chose, and in the end no key is stuck', async () => {
    for (let life = 0; life < 12; life++) {
      expect(await live(null, [3000 + life * 3, 3000 + life * 3 + 12], 1 + life * 7)).toBe('SIGKILL');
      await expectSound();
    }
    // The last one closes what is left, and leaves its own rounds alone.
    await live('before:claim:1', [9000, 9001]);
    const report = await verifyLedger({ dataDir: dir, logFile: 'understudy.db', env: {} });
    expect(report.violations).toEqual([]);
    expect(report.keys).toBeGreaterThan(50);
  });
});
