/** What both majors of the Messages client library are put before: a gateway, one simulator, models that fail and are saved. */
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
  'steady/tools': ['tools:steady'],
  'steady/thinking': ['reasoning:steady'],
  'rescued/text': ['fail-503:text', 'fail-500:text', 'ok:text'],
  'rescued/tools': ['fail-503:tools', 'fail-500:tools', 'tools:rescued'],
  'rescued/stream': ['error-0:early', 'cut-1:early', 'ok:late'],
  'down/all': ['fail-503:first', 'fail-500:second', 'fail-503:third'],
  'busy/all': ['fail-529:only'],
  'refused/bad': ['fail-400:only'],
  'cut/after-content': ['cut-3:only'],
  'sealed/thinking': ['sealed:only'],
  'cut/length': ['length:only'],
  'no/answer': ['refusal:only'],
  'slow/first': ['slow-500:only'],
};

/** Upstream calls that one request for a model causes when nobody repeats it. */
export function channelsOf(model: string): number {
  return MODELS[model]?.length ?? 0;
}

/** A chain of three models. The first two always fail. */
export const CHAIN = ['alone/fail-503', 'alone/fail-500', 'alone/ok'] as const;

/** Dialects of upstreams that are none of the client's, by the names a channel has for them. */
export const FOREIGN = ['chat', 'responses', 'gemini', 'converse'] as const;
/** Names the simulator knows, asked for through each of them: `gemini/tools`. */
const BEHAVIOURS = ['ok', 'tools', 'reasoning', 'sealed', 'json', 'length', 'fail-429', 'fail-400', 'cut-3', 'error-3'];
/** Both halves of a pair for who signs; any key for all others. */
const SECRET = 'AKIASIMULATOR001:SECRETOF/AKIASIMULATOR001';

function configText(simulatorUrl: string, keepAliveMs: number): string {
  const providers: Record<string, object> = {
    alone: { type: 'anthropic', base_url: simulatorUrl },
    any: { type: 'sim', base_url: simulatorUrl },
    other: { type: 'sim', base_url: simulatorUrl },
  };
  const models: Record<string, object> = { 'alone/*': {} };
  for (const api of FOREIGN) {
    for (const model of BEHAVIOURS)
      models[`${api}/${model}`] = { channels: [{ id: 'c', provider: 'any', model, api }] };
    models[`${api}/rescue`] = {
      channels: [
        { id: 'a', provider: 'other', model: 'error-0', api: 'messages' },
        { id: 'b', provider: 'any', model: 'ok', api },
      ],
    };
  }
  for (const [model, upstreamModels] of Object.entries(MODELS)) {
    const channels = upstreamModels.map((upstreamModel, index) => {
      const provider = `${model.replace('/', '-')}-${index}`;
      providers[provider] = { type: 'anthropic', base_url: simulatorUrl };
      return { id: `c${index}`, provider, model: upstreamModel };
    });
    models[model] = { channels };
  }
  return JSON.stringify({
    version: 1,
    admin: { token: ADMIN_TOKEN },
    providers,
    credentials: { any: { provider: 'any', secret: SECRET } },
    models,
    workspaces: { main: {} },
    keys: [{ name: 'sdk', workspace: 'main', secret: CLIENT_KEY }],
    health: { circuit: { min_calls: 1_000_000, consecutive: 1_000_000 } },
    streaming: { keep_alive_after_ms: keepAliveMs, keep_alive_every_ms: keepAliveMs },
  });
}

export interface MessagesStage {
  readonly gateway: RunningGateway;
  readonly simulator: Simulator;
  readonly rig: SdkRig;
  close(): Promise<void>;
}

/** `keepAliveMs`: by default so long that no test sees one. */
export async function openStage({ keepAliveMs = 60_000 } = {}): Promise<MessagesStage> {
  const simulator = await startSimulator();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'understudy-messages-'));
  const gateway = await startGateway({
    configText: configText(simulator.url, keepAliveMs),
    port: 0,
    dataDir,
    env: {},
    log: 'silent',
  });
  const rig = new SdkRig({ gatewayUrl: gateway.url, simulatorUrl: simulator.url });
  return {
    gateway,
    simulator,
    rig,
    close: async () => {
      await gateway.close();
      await simulator.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
