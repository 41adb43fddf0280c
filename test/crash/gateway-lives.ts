/** One gateway after the other on the same data folder, each a process that is killed; the next is loaded meanwhile. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Program {
  readonly path: string;
  remove(): void;
}

/** Everything in one file: a process is ready in a third of a second. Inside the project, so that it finds its packages. */
export async function buildProgram(): Promise<Program> {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const outDir = mkdtempSync(join(ROOT, '.cache', 'gateway-lives-'));
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    build: { ssr: 'test/support/warm-gateway.ts', outDir, emptyOutDir: false, minify: true, target: 'node20' },
    ssr: { external: ['libsql', 'pg', 'ioredis'], noExternal: true },
  });
  copyFileSync(join(ROOT, 'src/adapters/store-sqlite/sql-worker.mjs'), join(outDir, 'sql-worker.mjs'));
  return { path: join(outDir, 'warm-gateway.js'), remove: () => rmSync(outDir, { recursive: true, force: true }) };
}

/** A process that has loaded the program, and waits. */
export class GatewayProcess {
  readonly child: ChildProcess;
  /** Resolves when it is gone. */
  readonly dead: Promise<void>;
  /** The fault point that ended it; null = none so far. */
  fault: string | null = null;
  readonly #loaded: Promise<void>;
  /** Null = it died first. */
  readonly #address: Promise<string | null>;

  /** `faults`: as UNDERSTUDY_FAULT; empty = none. `more`: variables of its environment. */
  constructor(program: Program, faults: string, more: Readonly<Record<string, string>> = {}) {
    const env = { ...process.env, UNDERSTUDY_TEST_FAULTS: '1', UNDERSTUDY_FAULT: faults, ...more };
    const child = spawn(process.execPath, [program.path], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.child = child;
    child.stdin.on('error', () => undefined);
    this.dead = once(child, 'close').then(() => undefined);
    const lines = createInterface({ input: child.stdout });
    const said = (what: RegExp): Promise<string | null> =>
      new Promise((resolve) => {
        lines.on('line', (line) => {
          if (what.test(line)) resolve(line);
        });
        void this.dead.then(() => resolve(null));
      });
    this.#loaded = said(/^loaded$/).then(() => undefined);
    this.#address = said(/^http:/);
    void said(/^fault /).then((line) => {
      this.fault = line?.replace('fault ', '') ?? null;
    });
  }

  /** Its address; null = it died before it had one. */
  async start(options: {
    readonly configText: string;
    readonly dataDir: string;
    readonly env?: Readonly<Record<string, string>>;
  }): Promise<string | null> {
    await this.#loaded;
    this.child.stdin?.write(`${JSON.stringify({ port: 0, env: {}, ...options })}\n`);
    return this.#address;
  }

  /** Ends it in peace. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.dead;
  }
}
