/** A PostgreSQL server of a test's own: on loopback, in a temporary folder, gone with the test. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findBinaries, missingPostgres, serverUser } from './postgres-binaries.ts';

export interface PostgresOptions {
  /** Server settings beside the rig's own, e.g. `{ fsync: 'on' }`; a later one wins. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder that takes the cluster; absent = one in memory, or among temporary files. */
  readonly folder?: string;
  /** The process it ends with, should nobody stop it before; absent = this one. */
  readonly owner?: number;
}

/** A running server, and what can happen to one. */
export interface PostgresServer {
  /** `postgres://understudy@127.0.0.1:PORT/postgres`. Stays the same over restarts. */
  readonly url: string;
  readonly port: number;
  /** Of the postmaster. */
  readonly pid: number;
  readonly folder: string;
  /** False = it has ended, by whatever hand. */
  readonly isRunning: boolean;
  /** Stops it as an operator would in a hurry (open connections are broken), and starts it again. */
  restart(): Promise<void>;
  /** Kills every one of its processes, as a power cut would. `start` brings it back. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Holds all its processes for `ms`: connections stay open, nothing answers. */
  freeze(ms: number): Promise<void>;
  /** For good; its folder goes too. */
  stop(): Promise<void>;
}

const OWN_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  // Five rigs of three gateways at once want more than the usual hundred.
  max_connections: '200',
  shared_buffers: '64MB',
  // A server that was killed is back at once.
  checkpoint_timeout: '30s',
  log_min_messages: 'warning',
};

const START_MS = 60_000;

/** Starts a fresh server with the superuser `understudy`, who needs no password. Rejects where PostgreSQL is missing. */
export async function startPostgres({ settings = {}, folder, owner }: PostgresOptions = {}): Promise<PostgresServer> {
  const binaries = findBinaries();
  if (binaries === null) throw new Error(missingPostgres() ?? '');
  const user = serverUser();
  const home = folder ?? mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'understudy-pg-'));
  if (user !== null) chownSync(home, user.uid, user.gid);
  const data = path.join(home, 'cluster');
  const options = ['-D', data, '-A', 'trust', '-U', 'understudy', '--no-sync', '--no-locale', '-E', 'UTF8'];
  const made = spawnSync(path.join(binaries, 'initdb'), options, { ...user, cwd: home, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr || String(made.error)}`);
  const port = await freePort();
  const all = { ...OWN_SETTINGS, ...settings, port: String(port) };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = new Server(path.join(binaries, 'postgres'), ['-D', data, ...flags], home, port);
  await server.start();
  watch(owner ?? process.pid, home);
  return server;
}

/** Stops the server whose folder it is once its owner is gone, however that ended. */
function watch(owner: number, home: string): void {
  const script = `while kill -0 ${owner} 2>/dev/null && [ -d "$0" ]; do sleep 0.5; done
    [ -d "$0" ] || exit 0
    pid=$(head -n 1 "$0/cluster/postmaster.pid" 2>/dev/null) && kill -INT "$pid"
    while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    rm -rf "$0"`;
  spawn('sh', ['-c', script, home], { detached: true, stdio: 'ignore', cwd: '/' }).unref();
}

class Server implements PostgresServer {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  readonly #program: string;
  readonly #args: readonly string[];
  #child: ChildProcess | null = null;

  constructor(program: string, args: readonly string[], folder: string, port: number) {
    this.#program = program;
    this.#args = args;
    this.folder = folder;
    this.port = port;
    this.url = `postgres://understudy@127.0.0.1:${port}/postgres`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child !== null && child.exitCode === null && child.signalCode === null;
  }

  async start(): Promise<void> {
    const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' };
    const log = path.join(this.folder, 'log');
    const output = openSync(log, 'a');
    const child = spawn(this.#program, this.#args, {
      ...serverUser(),
      cwd: this.folder,
      env,
      // A session of its own: a Ctrl-C in the terminal is for the tests, which then stop it.
      detached: true,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    child.unref();
    this.#child = child;
    const startedAt = performance.now();
    while (!this.#isReady()) {
      if (child.exitCode !== null || performance.now() - startedAt > START_MS) {
        child.kill('SIGKILL');
        throw new Error(`PostgreSQL did not start: ${readFileSync(log, 'utf8').slice(-4000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async restart(): Promise<void> {
    await this.#end('SIGINT');
    await this.start();
  }

  async kill(): Promise<void> {
    const children = this.#processes();
    const ended = this.#ended();
    for (const pid of children) signal(pid, 'SIGKILL');
    await ended;
    await Promise.all(children.map(gone));
  }

  async freeze(ms: number): Promise<void> {
    const held = this.#processes();
    for (const pid of held) signal(pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, ms));
    for (const pid of held) signal(pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #end(how: NodeJS.Signals): Promise<void> {
    const ended = this.#ended();
    this.#child?.kill(how);
    await ended;
  }

  async #ended(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    await once(child, 'exit');
  }

  /** The postmaster first: held or killed, it starts nobody anew. */
  #processes(): number[] {
    return [this.pid, ...childrenOf(this.pid)];
  }

  /** `postmaster.pid` says `ready` in its last line as soon as the server takes connections. */
  #isReady(): boolean {
    try {
      const lines = readFileSync(path.join(this.folder, 'cluster', 'postmaster.pid'), 'utf8').split('\n');
      return Number(lines[0]) === this.pid && (lines[7] ?? '').trim() === 'ready';
    } catch {
      return false;
    }
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}

function isAlive(pid: number): boolean {
  try {
    return statOf(pid).state !== 'Z';
  } catch {
    return false;
  }
}

/** Every backend has a session of its own: only the parent's number tells whose it is. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return statOf(pid).parent === parent;
      } catch {
        return false;
      }
    });
}

function statOf(pid: number): { readonly state: string; readonly parent: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [state = '', parent = '0'] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state, parent: Number(parent) };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
