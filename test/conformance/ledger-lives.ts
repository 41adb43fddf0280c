/** Lives of a process with nothing but a ledger, each ended by a kill; what their clients were given is remembered. */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { expect } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export const STEPS = ['claim', 'start', 'end', 'succeed', 'fail'] as const;
/** Every durable step, before and after, on its first and second passing. */
export const FAULTS = STEPS.flatMap((step) => [`before:${step}`, `after:${step}`]).flatMap((fault) => [
  `${fault}:1`,
  `${fault}:2`,
]);

export class LedgerLives {
  /** Data folder. Inside the project, so that the program finds its packages. */
  readonly dir: string;
  /** Digests that clients of each key were given. */
  readonly delivered = new Map<string, Set<string>>();
  readonly #children = new Set<ChildProcess>();
  readonly #program: string;

  private constructor(dir: string) {
    this.dir = dir;
    this.#program = join(dir, 'ledger-child.js');
  }

  static async prepare(): Promise<LedgerLives> {
    mkdirSync(join(ROOT, '.cache'), { recursive: true });
    const dir = mkdtempSync(join(ROOT, '.cache', 'ledger-crash-'));
    await build({
      root: ROOT,
      configFile: false,
      logLevel: 'error',
      build: { ssr: 'test/support/ledger-child.ts', outDir: dir, emptyOutDir: false, minify: false, target: 'node20' },
      ssr: { external: ['libsql', 'pg'] },
    });
    copyFileSync(join(ROOT, 'src/adapters/store-sqlite/sql-worker.mjs'), join(dir, 'sql-worker.mjs'));
    return new LedgerLives(dir);
  }

  /**
   * One life on the store in `place`; resolves with the signal that ended it. `killAfter`: so many deliveries, then
   * SIGKILL. `onDelivery` hears of each.
   */
  live(
    place: string,
    fault: string | null,
    [first, last]: readonly [number, number],
    killAfter = Number.POSITIVE_INFINITY,
    onDelivery: (count: number) => void = () => undefined,
  ): Promise<string | null> {
    const env = { ...process.env, ...(fault === null ? {} : { UNDERSTUDY_TEST_FAULTS: '1', UNDERSTUDY_FAULT: fault }) };
    const child = spawn(process.execPath, [this.#program, this.dir, String(first), String(last), place], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#children.add(child);
    let text = '';
    let seen = 0;
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        if (!this.#take(line)) continue;
        seen += 1;
        onDelivery(seen);
        if (seen === killAfter) child.kill('SIGKILL');
      }
    });
    return new Promise((resolve) => child.once('close', (_code, signal) => resolve(signal)));
  }

  /** No key was answered with two successes. */
  expectOneAnswerEach(): void {
    for (const [key, digests] of this.delivered) expect([...digests], key).toHaveLength(1);
  }

  killAll(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    this.#children.clear();
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  #take(line: string): boolean {
    const [, key, digest] = /^delivered (\S+) (\w+)$/.exec(line) ?? [];
    if (key === undefined || digest === undefined) return false;
    this.delivered.set(key, (this.delivered.get(key) ?? new Set()).add(digest));
    return true;
  }
}
