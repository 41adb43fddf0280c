/** One gateway in this process before upstreams made of plain sockets, its inside open to the test. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningGateway, type StartOptions, startGateway } from '../../src/assemble.ts';
import type { RequestRecord } from '../../src/core/record.ts';
import { waitFor } from '../faults/gateway.ts';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { chatRequest, type RawAnswer, type RawRequest, sendRaw } from '../faults/raw-client.ts';
import { type RawCall, type RawUpstream, startRawUpstream } from './raw-upstream.ts';

export const SECRET = 'sk-live-Zx9Qw8Er7Ty6Ui5Op4As3Df2';
export const ADMIN_TOKEN = 'admin-token-0123456789abcdef';

export interface AttackRig {
  readonly url: string;
  readonly port: number;
  readonly running: RunningGateway;
  readonly ups: readonly RawUpstream[];
  ask(fields?: Readonly<Record<string, unknown>>, more?: Partial<RawRequest>): Promise<RawAnswer>;
  record(answer: RawAnswer): Promise<RequestRecord>;
  /** Changes the configuration file and loads it again. */
  reload(edit: (config: Config) => void): Promise<void>;
  /** A plain connection to the gateway; `keepHalf`: it never closes its own half by itself. */
  open(keepHalf?: boolean): Promise<RawSocket>;
  close(): Promise<void>;
}

export interface AttackOptions {
  readonly redundancy?: Readonly<Record<string, unknown>>;
  readonly server?: Readonly<Record<string, unknown>>;
  readonly streaming?: Readonly<Record<string, unknown>>;
  readonly health?: Readonly<Record<string, unknown>>;
  readonly start?: Partial<StartOptions>;
  /** Changes the configuration before it is used. */
  readonly edit?: (config: Config) => void;
}

/** A configuration as it is written in a file. */
export type Config = Record<string, unknown>;

/** Model `m`: one channel per upstream, in order, each with the credential SECRET. */
export async function startAttackRig(
  answers: readonly ((call: RawCall) => void)[],
  options: AttackOptions = {},
): Promise<AttackRig> {
  const ups = await Promise.all(answers.map((answer) => startRawUpstream(answer)));
  const dataDir = await mkdtemp(join(tmpdir(), 'understudy-attack-'));
  const configFile = `${dataDir}.json`;
  const config = configuration(ups, options);
  await writeFile(configFile, JSON.stringify(config));
  const running = await startGateway({ configFile, port: 0, dataDir, env: {}, log: 'silent', ...options.start });
  const { url, gateway } = running;
  const port = Number(new URL(url).port);
  return {
    url,
    port,
    running,
    ups,
    ask: (fields = {}, more = {}) =>
      sendRaw({
        url: `${url}/v1/chat/completions`,
        body: chatRequest('m', fields),
        ...more,
        headers: { authorization: `Bearer ${CLIENT_KEY}`, ...more.headers },
      }),
    record: (answer) =>
      waitFor(() => gateway.records.get(String(answer.headers['x-request-id'])), 'the record of the request'),
    reload: async (edit) => {
      edit(config);
      await writeFile(configFile, JSON.stringify(config));
      const result = await running.reload();
      if (!result.ok) throw new Error(JSON.stringify(result.problems));
    },
    open: (keepHalf = false) => openSocket(port, keepHalf),
    close: async () => {
      await running.close();
      await Promise.all(ups.map((up) => up.close()));
      await Promise.all([dataDir, configFile].map((path) => rm(path, { recursive: true, force: true })));
    },
  };
}

function configuration(ups: readonly RawUpstream[], options: AttackOptions): Config {
  const config: Config = {
    version: 1,
    server: { host: '127.0.0.1', port: 0, ...options.server },
    admin: { token: ADMIN_TOKEN },
    providers: Object.fromEntries(
      ups.map((up, i) => [`p${i}`, { type: 'openai-compatible', base_url: `${up.url}/v1` }]),
    ),
    credentials: Object.fromEntries(ups.map((_up, i) => [`c${i}`, { provider: `p${i}`, secret: SECRET }])),
    models: { m: { channels: ups.map((_up, i) => ({ id: `ch${i}`, provider: `p${i}`, model: 'up' })) } },
    workspaces: { main: {} },
    keys: [{ name: 'test', workspace: 'main', secret: CLIENT_KEY }],
    defaults: {
      redundancy: {
        retries: 0,
        timeout_ms: 20_000,
        first_token_timeout_ms: 10_000,
        idle_timeout_ms: 5000,
        ...options.redundancy,
      },
    },
    backoff: { base_ms: 10, cap_ms: 40 },
    health: options.health ?? {},
    streaming: options.streaming ?? {},
  };
  options.edit?.(config);
  return config;
}

/** Runs `body` with a rig of its own. */
export async function withAttackRig(
  answers: readonly ((call: RawCall) => void)[],
  body: (rig: AttackRig) => Promise<void>,
  options: AttackOptions = {},
): Promise<void> {
  const rig = await startAttackRig(answers, options);
  try {
    await body(rig);
  } finally {
    await rig.close();
  }
}

export interface RawSocket {
  readonly socket: Socket;
  /** What came so far. */
  text(): string;
  readonly closed: Promise<void>;
}

function openSocket(port: number, allowHalfOpen: boolean): Promise<RawSocket> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
    socket.on('data', (chunk: Buffer) => parts.push(chunk));
    const closed = new Promise<void>((done) => socket.on('close', () => done()));
    socket.on('error', () => undefined);
    socket.once('error', reject);
    socket.once('connect', () => resolve({ socket, text: () => Buffer.concat(parts).toString('latin1'), closed }));
  });
}

/** A request as bytes. */
export function rawChat(fields: Readonly<Record<string, unknown>> = {}, headers: readonly string[] = []): string {
  const body = JSON.stringify(chatRequest('m', fields));
  const lines = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: gateway',
    `authorization: Bearer ${CLIENT_KEY}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Waits until something is so. */
export function until(holds: () => boolean, what: string): Promise<true> {
  return waitFor(() => (holds() ? true : null), what);
}
