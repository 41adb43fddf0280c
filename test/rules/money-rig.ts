/** A gateway whose models have prices, whose workspace is prepaid, and whose accounts can be looked into. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Step, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import type { RequestRecord } from '../../src/core/record.ts';
import type { LedgerEntry } from '../../src/ports/ledger.ts';
import { waitFor } from '../faults/gateway.ts';
import { type RawAnswer, type RawRequest, sendRaw } from '../faults/raw-client.ts';

type Json = Record<string, unknown>;

export const ACME_KEY = 'acme-client-key-0123456789';
export const FREE_KEY = 'free-client-key-0123456789';

/** 1000 and 2000 nano-dollars a token: sums a reader can follow. */
export const PRICE = { input: 1, output: 2 };

export interface MoneySettings {
  /** Steps by upstream model; a model without any answers `answered(10, 5)`. */
  readonly up?: Readonly<Record<string, readonly Step[]>>;
  /** The configuration's models; default `m` with PRICE, at most 50 output tokens. */
  readonly models?: Json;
  readonly balance?: number | null;
  readonly workspace?: Json;
  readonly credentials?: Json;
  readonly redundancy?: Json;
  readonly dataDir?: string;
}

export interface MoneyRig {
  readonly running: RunningGateway;
  ask(fields?: Json, more?: Partial<RawRequest> & { key?: string }): Promise<RawAnswer>;
  /** Nano-dollars. */
  balance(): bigint | null;
  available(): bigint | null;
  entries(): Promise<readonly LedgerEntry[]>;
  record(answer: RawAnswer): Promise<RequestRecord>;
  /** Upstream models called, in order. */
  called(): string[];
  metric(name: string): Promise<number>;
  close(): Promise<void>;
}

/** A whole answer with these counts. */
export function answered(input: number, output: number, more: Json = {}): Step {
  return {
    body: {
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'up',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello there' }, finish_reason: 'stop', ...more }],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    },
  };
}

export async function startMoney(settings: MoneySettings = {}): Promise<MoneyRig> {
  const models = settings.models ?? { m: channelsOf('p', { price: PRICE, max_output_tokens: 50 }) };
  const script = Object.fromEntries(
    Object.keys(models).map((name) => [name, settings.up?.[name] ?? [answered(10, 5)]] as const),
  );
  const simulator = await startSimulator({ script: { models: { ...script, ...settings.up } } });
  const provider = { type: 'openai-compatible', base_url: `${simulator.url}/v1` };
  const balance = settings.balance === undefined ? 1 : settings.balance;
  const config = {
    version: 1,
    server: { host: '127.0.0.1', port: 0 },
    providers: { p: provider, q: provider },
    credentials: settings.credentials ?? {},
    models,
    workspaces: { acme: { ...(balance === null ? {} : { balance_usd: balance }), ...settings.workspace }, free: {} },
    keys: [
      { name: 'acme', workspace: 'acme', secret: ACME_KEY },
      { name: 'free', workspace: 'free', secret: FREE_KEY },
    ],
    defaults: { redundancy: { retries: 0, timeout_ms: 20_000, ...settings.redundancy } },
    backoff: { base_ms: 10, cap_ms: 40 },
  };
  const dataDir = settings.dataDir ?? (await mkdtemp(join(tmpdir(), 'understudy-money-')));
  const running = await startGateway({
    configText: JSON.stringify(config),
    port: 0,
    dataDir,
    env: {},
    log: 'silent',
  });
  const { accounts, records } = running.gateway;
  return {
    running,
    ask: (fields = {}, { key = ACME_KEY, ...more } = {}) =>
      sendRaw({
        url: `${running.url}/v1/chat/completions`,
        body: { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields },
        ...more,
        headers: { authorization: `Bearer ${key}`, ...more.headers },
      }),
    balance: () => accounts.balance('acme'),
    available: () => accounts.available('acme'),
    entries: async () => (await accounts.entries('acme', 1000)).data,
    record: (answer) => waitFor(() => records.get(String(answer.headers['x-request-id'])), 'the record'),
    called: () => simulator.calls.map(({ model }) => String(model)),
    metric: async (name) => {
      const page = await sendRaw({ url: `${running.url}/metrics`, method: 'GET' });
      const lines = page.text.split('\n').filter((line) => line.startsWith(`${name}{`));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
    close: async () => {
      await running.close();
      await simulator.close();
      if (settings.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A model with one channel at `provider`. */
export function channelsOf(provider: string, model: Json = {}, channel: Json = {}): Json {
  return { ...model, channels: [{ id: provider, provider, ...channel }] };
}

export async function withMoney(settings: MoneySettings, body: (rig: MoneyRig) => Promise<void>): Promise<void> {
  const rig = await startMoney(settings);
  try {
    await body(rig);
  } finally {
    await rig.close();
  }
}

export function errorOf(answer: RawAnswer): Json {
  return (JSON.parse(answer.text) as { error: Json }).error;
}
