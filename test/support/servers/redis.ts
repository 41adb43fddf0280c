/** A Redis server of a test's own: on loopback, in a folder of its own, gone with the test at the latest. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The one line that brings what is missing. */
const APT_LINE = 'apt-get install -y --no-install-recommends redis-server';
const START_MS = 10_000;
const LOOPBACK = '127.0.0.1';

export interface RedisOptions {
  /** What its command line begins with, as to run it inside another network. */
  readonly prefix?: readonly string[];
  /** The address it listens on; loopback without it. */
  readonly host?: string;
}

export interface RedisServer {
  /** `redis://HOST:PORT`, the same after a restart. */
  readonly url: string;
  readonly port: number;
  /** At once and without a word, as by `kill -9`; it keeps nothing. */
  kill(): Promise<void>;
  /** Again, and empty. */
  start(): Promise<void>;
  /** It takes connections and bytes, and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** For good. */
  stop(): Promise<void>;
}

/** The program; null where there is none. `UNDERSTUDY_TEST_REDIS` names another one. */
export function findRedis(env: Readonly<Record<string, string | undefined>> = process.env): string | null {
  const named = env['UNDERSTUDY_TEST_REDIS'];
  const folders = (env['PATH'] ?? '').split(path.delimiter);
  const all = named
    ? [named]
    : [...folders, '/usr/bin', '/usr/local/bin'].map((folder) => path.join(folder, 'redis-server'));
  return all.find((file) => existsSync(file)) ?? null;
}

/** Whether tests that need Redis run: in CI always, so that a missing server fails; elsewhere not without one, which is said. */
export function hasRedis(): boolean {
  if (findRedis() !== null) return true;
  const missing = `no Redis here: ${APT_LINE}, or name a redis-server (or valkey-server) in UNDERSTUDY_TEST_REDIS`;
  if (process.env['CI']) throw new Error(missing);
  process.stderr.write(`left out: ${missing}\n`);
  return false;
}

/** Runs when it resolves. */
export async function startRedis({ prefix = [], host = LOOPBACK }: RedisOptions = {}): Promise<RedisServer> {
  const program = findRedis();
  if (program === null) throw new Error(`no redis-server: ${APT_LINE}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'understudy-redis-'));
  const port = await freePort();
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const bound = ['--bind', host, '--protected-mode', 'no', '--port', String(port), '--dir', folder];
    const forgetful = ['--save', '', '--appendonly', 'no', '--daemonize', 'no', '--loglevel', 'warning'];
    const [first, ...rest] = [...prefix, program, ...bound, ...forgetful];
    child = spawn(first!, rest, { stdio: 'ignore', cwd: folder });
    outlivedBy(process.pid, child.pid!);
    await answers(host, port);
  };
  const kill = async (): Promise<void> => {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const over = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await over;
  };
  await start();
  return {
    url: `redis://${host}:${port}`,
    port,
    start,
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, LOOPBACK, () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

async function answers(host: string, port: number): Promise<void> {
  const until = Date.now() + START_MS;
  while (!(await isOpen(host, port))) {
    if (Date.now() > until) throw new Error(`redis-server does not answer on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const say = (open: boolean): void => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => say(true));
    socket.once('error', () => say(false));
  });
}

/** A test process that is killed leaves no server behind. */
function outlivedBy(owner: number, server: number): void {
  const script = `while kill -0 ${owner} 2>/dev/null; do kill -0 ${server} 2>/dev/null || exit 0; sleep 0.5; done; kill -9 ${server}`;
  spawn('sh', ['-c', script], { detached: true, stdio: 'ignore', cwd: '/' }).unref();
}
