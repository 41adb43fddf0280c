/** Several gateways of one process over one schema in PostgreSQL: for what they tell each other, without a load balancer. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningGateway, type StartOptions, startGateway } from '../../../src/assemble.ts';
import { sendRaw } from '../../faults/raw-client.ts';
import { openSchema, type PostgresSchema } from '../servers/postgres-schema.ts';
import { SEAL_KEY } from './fleet.ts';

export const ADMIN = 'scale-admin-token-0123456789';
export const CLIENT = 'scale-client-key-0123456789';
/** What all replicas of one store have in their environment. */
export const SEAL = { UNDERSTUDY_SEAL_KEY: SEAL_KEY };

export interface Answer {
  readonly status: number | null;
  readonly body: Record<string, unknown>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export class Replicas {
  readonly schema: PostgresSchema;
  readonly all: RunningGateway[] = [];
  readonly #dirs: string[] = [];
  readonly #config: (store: string) => object;

  private constructor(schema: PostgresSchema, config: (store: string) => object) {
    this.schema = schema;
    this.#config = config;
  }

  /** `config`: the configuration's members, for a store at that address. */
  static async open(size: number, config: (store: string) => object): Promise<Replicas> {
    const replicas = new Replicas(await openSchema(), config);
    for (let n = 0; n < size; n += 1) await replicas.add();
    return replicas;
  }

  async add(options: Partial<StartOptions> = {}): Promise<RunningGateway> {
    const dataDir = await mkdtemp(join(tmpdir(), 'understudy-replica-'));
    this.#dirs.push(dataDir);
    const configText = JSON.stringify({ version: 1, ...this.#config(this.schema.url) });
    const gateway = await startGateway({ configText, port: 0, dataDir, log: 'silent', env: SEAL, ...options });
    this.all.push(gateway);
    return gateway;
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((gateway) => gateway.close()));
    await Promise.all(this.#dirs.map((dir) => rm(dir, { recursive: true, force: true })));
    await this.schema.drop();
  }
}

/** One call of the admin plane. */
export async function admin(
  { url }: Pick<RunningGateway, 'url'>,
  method: string,
  path: string,
  { body, token = ADMIN }: { readonly body?: object; readonly token?: string } = {},
): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}` };
  return answered(await sendRaw({ url: `${url}/admin/v1${path}`, method, headers, ...(body ? { body } : {}) }));
}

/** One call of the data plane. */
export async function call(
  { url }: Pick<RunningGateway, 'url'>,
  path: string,
  { body, key = CLIENT, headers = {} }: { body?: object; key?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const sent = { authorization: `Bearer ${key}`, ...headers };
  const method = body === undefined ? 'GET' : 'POST';
  return answered(await sendRaw({ url: `${url}${path}`, method, headers: sent, ...(body ? { body } : {}) }));
}

function answered({ status, text, headers }: Awaited<ReturnType<typeof sendRaw>>): Answer {
  return { status, headers, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

/** Until it holds; a guard far too wide. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const until = performance.now() + 20_000; performance.now() < until; ) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`never: ${what}`);
}
