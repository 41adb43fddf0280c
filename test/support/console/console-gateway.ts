/** A whole gateway with simulated providers, the built console, people, keys and some traffic to look at. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningGateway, startGateway } from '../../../src/assemble.ts';
import { ADMIN_TOKEN, consoleConfig } from './console-config.ts';
import { type Seeded, seed } from './seed.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface ConsoleGateway {
  readonly gateway: RunningGateway;
  /** `http://127.0.0.1:PORT`; the console lies under `/console/`. */
  readonly url: string;
  readonly adminToken: string;
  /** What was made in it; without `seeded` empty. */
  readonly seeded: Seeded;
  /** Calls the admin API as the account admin: `admin('POST', '/keys', {…})`. Throws on a refusal. */
  admin(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** Sends a chat request with a client key, reads its answer, and resolves to its request id. */
  ask(key: string, body: object, headers?: Readonly<Record<string, string>>): Promise<string>;
  /** Resolves once the log has the request. */
  logged(id: string): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export interface ConsoleGatewayOptions {
  /** Added to the configuration, field by field. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** False: no people, keys and traffic beside those of the configuration. */
  readonly seeded?: boolean;
}

/** The log is written behind the answer (O-2): asked this often, this many times. */
const POLL_MS = 50;
const POLLS = 400;

/** The console is built from what lies in `console/` now; a second when something changed. */
export async function buildConsole(): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), '--console'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the console does not build; the messages are above');
}

/** Starts one on a free port, with a data folder of its own. */
export async function startConsoleGateway(options: ConsoleGatewayOptions = {}): Promise<ConsoleGateway> {
  await buildConsole();
  const folder = await mkdtemp(join(tmpdir(), 'understudy-console-'));
  const configFile = join(folder, 'understudy.json');
  await writeFile(configFile, JSON.stringify({ ...consoleConfig(), ...options.config }));
  const dataDir = join(folder, 'data');
  const gateway = await startGateway({ configFile, port: 0, dataDir, env: {}, log: 'silent' });
  const made = new Made(gateway, folder);
  try {
    if (options.seeded !== false) made.seeded = await seed(made);
  } catch (error) {
    await made.close();
    throw error;
  }
  return made;
}

class Made implements ConsoleGateway {
  readonly gateway: RunningGateway;
  readonly adminToken = ADMIN_TOKEN;
  readonly #folder: string;
  seeded: Seeded = { members: {}, keys: {}, requests: {} };

  constructor(gateway: RunningGateway, folder: string) {
    this.gateway = gateway;
    this.#folder = folder;
  }

  get url(): string {
    return this.gateway.url;
  }

  async admin(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.url}/admin/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 400)}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  async ask(key: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const response = await fetch(`${this.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...body }),
    });
    // A stream that is cut on purpose ends in an error here; its request is in the log all the same.
    await response.text().catch(() => '');
    const id = response.headers.get('x-request-id');
    if (id === null) throw new Error(`no request id under status ${response.status}`);
    return id;
  }

  async logged(id: string): Promise<Record<string, unknown>> {
    for (let poll = 0; poll < POLLS; poll++) {
      const response = await fetch(`${this.url}/admin/v1/requests/${id}`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
      if (response.ok) return (await response.json()) as Record<string, unknown>;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error(`the request ${id} did not appear in the log`);
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
