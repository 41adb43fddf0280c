/** A whole gateway on a data folder of its own, with its admin plane, to be stopped and started again. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningGateway, type StartOptions, startGateway } from '../../src/assemble.ts';
import { chatRequest, sendRaw } from '../faults/raw-client.ts';

export const ADMIN = 'e2e-admin-token-0123456789';
export const FILE_KEY = 'e2e-file-key-0123456789';

/** Providers in the process, two models, one key, one workspace. */
export function fileConfig(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    version: 1,
    admin: { token: ADMIN },
    providers: { up: { type: 'sim' } },
    models: { ok: { channels: [{ id: 'c', provider: 'up', model: 'ok' }] } },
    workspaces: { filed: {} },
    keys: [{ name: 'file-key', workspace: 'filed', secret: FILE_KEY }],
    ...more,
  };
}

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export class AdminE2e {
  readonly dataDir: string;
  readonly file: string;
  readonly logged: string[] = [];
  #running: RunningGateway | null = null;
  private constructor(parent: string) {
    this.dataDir = join(parent, 'data');
    this.file = join(parent, 'understudy.json');
  }

  static async make(): Promise<AdminE2e> {
    return new AdminE2e(await mkdtemp(join(tmpdir(), 'understudy-admin-')));
  }

  get gateway(): RunningGateway {
    if (this.#running === null) throw new Error('the gateway is not running');
    return this.#running;
  }

  /** `config`: written to the file and started with; null = without a file; absent = with the file as it is. */
  async start(config?: object | null, more: Partial<StartOptions> = {}): Promise<void> {
    await this.stop();
    if (config !== undefined && config !== null) await this.write(config);
    this.#running = await startGateway({
      ...(config === null ? {} : { configFile: this.file }),
      port: 0,
      dataDir: this.dataDir,
      env: {},
      logTo: { destination: { write: (line) => this.logged.push(line) } },
      ...more,
    });
  }

  write(config: object | string): Promise<void> {
    return writeFile(this.file, typeof config === 'string' ? config : JSON.stringify(config));
  }

  async stop(): Promise<void> {
    await this.#running?.close();
    this.#running = null;
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(join(this.dataDir, '..'), { recursive: true, force: true });
  }

  async admin(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<AdminAnswer> {
    const answer = await sendRaw({
      url: `${this.gateway.url}/admin/v1${path}`,
      method,
      headers: { authorization: `Bearer ${ADMIN}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const { status, headers: received } = answer;
    return { status: status ?? 0, headers: received, body: JSON.parse(answer.text) as Record<string, unknown> };
  }

  /** Status of a chat request. */
  async ask(key: string, model = 'ok'): Promise<number> {
    const answer = await sendRaw({
      url: `${this.gateway.url}/v1/chat/completions`,
      headers: { authorization: `Bearer ${key}` },
      body: chatRequest(model),
    });
    return answer.status ?? 0;
  }
}
