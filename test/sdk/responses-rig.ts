/** What the Responses client is put before: a gateway, one simulator, models that fail, are saved, or live elsewhere. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { ADMIN_TOKEN, CLIENT_KEY } from './gateway-config.ts';
import { SdkRig } from './sdk-rig.ts';

/** Public model → what its channels are upstream, in the order to try (names the simulator knows). */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  'steady/text': ['ok:steady'],
  'steady/echo': ['echo:steady'],
  'steady/tools': ['tools:steady'],
  'steady/thinks': ['reasoning:steady'],
  'sealed/thinks': ['sealed:only'],
  'strict/tools': ['strict-tools:only'],
  'rescued/text': ['fail-503:text', 'fail-500:text', 'ok:text'],
  'rescued/tools': ['fail-503:tools', 'fail-500:tools', 'tools:rescued'],
  'rescued/stream': ['error-0:early', 'error-1-429:early', 'cut-1:early', 'ok:late'],
  'down/all': ['fail-503:first', 'fail-500:second', 'fail-503:third'],
  'refused/bad': ['fail-400:only'],
  'cut/after-content': ['cut-3:only'],
  'error/after-content': ['error-3-529:only'],
  'cut/length': ['length:only'],
  'no/answer': ['refusal:only'],
  'no/filter': ['filter:only'],
  'slow/first': ['slow-400:only'],
};

/** Models of other dialects' upstreams, as a channel's `api` names them. */
const ELSEWHERE = {
  chat: ['ok', 'tools', 'reasoning', 'echo'],
  responses: ['ok', 'tools', 'reasoning', 'strict-tools'],
} as const;

/** Upstream calls that one request for a model causes when nobody repeats it. */
export function channelsOf(model: string): number {
  return MODELS[model]?.length ?? 0;
}

/** A chain of three models. The first two always fail. */
export const CHAIN = ['alone/fail-503', 'alone/fail-500', 'alone/ok'] as const;

function configText(simulatorUrl: string): string {
  const upstream = { type: 'openai', base_url: `${simulatorUrl}/v1` };
  const providers: Record<string, object> = { alone: upstream };
  const models: Record<string, object> = { 'alone/*': {} };
  for (const [model, upstreamModels] of Object.entries(MODELS)) {
    const channels = upstreamModels.map((upstreamModel, index) => {
      const provider = `${model.replace('/', '-')}-${index}`;
      providers[provider] = upstream;
      return { id: `c${index}`, provider, model: upstreamModel };
    });
    models[model] = { channels };
  }
  for (const [api, names] of Object.entries(ELSEWHERE)) {
    for (const name of names) {
      models[`${api}/${name}`] = { channels: [{ id: 'only', provider: 'alone', model: `${name}:${api}`, api }] };
    }
  }
  return JSON.stringify({
    version: 1,
    admin: { token: ADMIN_TOKEN },
    providers,
    models,
    workspaces: { main: {} },
    keys: [{ name: 'sdk', workspace: 'main', secret: CLIENT_KEY }],
    health: { circuit: { min_calls: 1_000_000, consecutive: 1_000_000 } },
    streaming: { keep_alive_after_ms: 100, keep_alive_every_ms: 100 },
  });
}

export interface ResponsesStage {
  readonly rig: SdkRig;
  close(): Promise<void>;
}

export async function openStage(): Promise<ResponsesStage> {
  const simulator: Simulator = await startSimulator();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'understudy-responses-'));
  const config = { configText: configText(simulator.url), port: 0, dataDir, env: {}, log: 'silent' } as const;
  const gateway: RunningGateway = await startGateway(config);
  return {
    rig: new SdkRig({ gatewayUrl: gateway.url, simulatorUrl: simulator.url }),
    close: async () => {
      await gateway.close();
      await simulator.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
